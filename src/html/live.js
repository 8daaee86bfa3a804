// A list of submissions shows by itself those that arrive, and a list of forms how many they are. The server only tells that
// there are others. Then the page is fetched again, and live-list.js shows what is new on it.

for (const list of document.querySelectorAll('[data-live]')) follow(list)

function follow(list) {
  let events
  let timer
  let failures = 0
  let toldState
  let isRefreshing = false

  const connect = () => {
    events = new EventSource(list.dataset.live)
    events.onmessage = ({ data }) => {
      list.querySelector('.over')?.remove()
      toldState = data
      refresh()
    }
    events.addEventListener('end', async () => {
      disconnect()
      tellOver(list, (await whyOver(list)) ?? ['too many lists are open', 'Reload', location])
    })
    events.onerror = connectLater
  }

  const disconnect = () => {
    clearTimeout(timer)
    events?.close()
  }

  // A browser itself would give up when a proxy answers for a server that is being started.
  const connectLater = () => {
    disconnect()
    const seconds = Math.min(60, 2 ** failures++) * (0.5 + Math.random())
    timer = setTimeout(reconnect, 1000 * seconds)
  }

  const reconnect = async () => {
    const why = await whyOver(list)
    if (why) tellOver(list, why)
    else connectIfSeen()
  }

  const refresh = async () => {
    if (isRefreshing) return
    if (list.dataset.state === toldState) {
      failures = 0
      return
    }
    isRefreshing = true
    try {
      await showPage(list)
      // Many that arrive one after the other are shown together.
      setTimeout(() => {
        isRefreshing = false
        refresh()
      }, 2000)
    } catch {
      isRefreshing = false
      connectLater()
    }
  }

  // A browser has few connections for a server, so a hidden page uses none. Only its title says now and then how many are
  // unread. When it is seen again, it catches up.
  const connectIfSeen = () => {
    disconnect()
    if (document.hidden) countLater(Date.now() + 12 * 3_600_000)
    else connect()
  }

  const countLater = (end) => {
    timer = setTimeout(async () => {
      const page = await fetchPage(location).catch(() => undefined)
      if (!document.hidden) return
      if (page) document.title = page.title
      if (Date.now() < end) countLater(end)
    }, 60_000)
  }
  document.addEventListener('visibilitychange', connectIfSeen)
  connectIfSeen()
}

/** Returns why the server tells nothing more, and the name and address of what helps; undefined if it would. */
async function whyOver(list) {
  try {
    // Not the list, which takes longer.
    const page = list.dataset.ask ?? list.dataset.forms ?? `${location.pathname}/embed`
    const { type, status } = await fetch(page, { method: 'HEAD', redirect: 'manual' })
    if (type === 'opaqueredirect') return ['you are signed out', 'Sign in', location]
    return status === 404 ? ['the form has been deleted', 'Forms', list.dataset.home] : undefined
  } catch {
    return undefined
  }
}

/** Or what is old would look as if nothing had come since. */
function tellOver(list, [why, name, address]) {
  const notice = document.createElement('p')
  const link = document.createElement('a')
  notice.className = 'notice over'
  notice.role = 'alert'
  link.href = address
  link.textContent = name
  notice.append(`No longer updated: ${why}. `, link)
  list.querySelector('.over')?.remove()
  list.prepend(notice)
}

async function showPage(list) {
  const address = new URL(location)
  address.searchParams.delete('select')
  // Of a search, only what has arrived since.
  if (list.dataset.newest) address.searchParams.set('newer', list.dataset.newest)
  const page = await fetchPage(address)
  const fresh = page.querySelector('[data-live]')
  // The last one of a list of forms is gone. Another page has taken its place, or another list.
  if (fresh?.dataset.live !== list.dataset.live) return location.reload()
  localise(fresh)
  document.title = page.title
  list.dataset.state = fresh.dataset.state
  if ('whole' in list.dataset) {
    list.replaceChildren(...fresh.childNodes)
    return announce('A message has arrived')
  }
  replace(document, page, '.top nav')
  replace(document, page, '.head > .plot', (plot) => document.querySelector('.head').append(plot))
  const arrived = list.dataset.forms ? showForms(list, fresh) : showList(list, fresh, address)
  if (arrived > 0) announce(arrived === 1 ? '1 new submission' : `${arrived} new submissions`)
}

async function fetchPage(address) {
  const response = await fetch(address)
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  // The form was deleted, its reader has signed out, or a proxy answers.
  if (!response.ok || !page.querySelector('.account')) throw new Error(`the list answers ${response.status}`)
  return page
}

/** Has it read aloud, after what is being read. */
function announce(text) {
  const status = document.getElementById('arrived')
  status.textContent = ''
  // The same text again would be no news.
  setTimeout(() => {
    status.textContent = text
  }, 100)
}
