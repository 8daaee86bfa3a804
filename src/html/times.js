// The server writes times in UTC. This shows them in the reader's time zone, and keeps true how long ago something was.

// In the language of the pages, in the form that is usual where the reader lives.
const locale = navigator.language.startsWith('en') ? navigator.language : 'en-GB'
const formatter = (options) => new Intl.DateTimeFormat(locale, options)
const timeFormats = {
  date: formatter({ dateStyle: 'medium', timeStyle: 'short' }),
  day: formatter({ dateStyle: 'full', timeStyle: 'short' }),
  time: formatter({ timeStyle: 'short' }),
  weekday: formatter({ weekday: 'short', day: 'numeric', month: 'short' }),
  year: formatter({ dateStyle: 'medium' }),
}
const relative = new Intl.RelativeTimeFormat('en')

const formatted = (format, time) => timeFormats[format].format(new Date(time.dateTime)).replace(/^(\w+day),/, '$1')

/** Does it for everything inside an element. */
function localise(root) {
  for (const link of root.querySelectorAll('a[data-days]')) limitToDays(link)
  for (const element of root.querySelectorAll('[data-local]')) element.textContent = element.dataset.local
  for (const time of root.querySelectorAll('time')) {
    const { within, format } = time.dataset
    if (format === 'row') {
      if (!time.closest('[data-days]')) tellWhen(time, rowTime(time))
      continue
    }
    const text = within ? formatted('date', time) : format ? formatted(format, time) : momentOf(time)
    if (within) time.title = text
    else {
      time.title ||= time.textContent
      time.textContent = text
    }
  }
  for (const list of root.querySelectorAll('.selectable')) groupByDay(list)
  tellHowLongAgo(root)
}

function tellHowLongAgo(root) {
  for (const time of root.querySelectorAll('time[data-within]')) {
    const minutes = Math.floor((Date.now() - new Date(time.dateTime)) / 60_000)
    const hours = Math.floor(minutes / 60)
    // What has become too old for that is a date, unless one stands beside it.
    if (hours >= time.dataset.within && !time.dataset.then) time.remove()
    else if (hours >= time.dataset.within) time.textContent = time.title
    else if (minutes < 1) time.textContent = 'just now'
    else time.textContent = hours < 1 ? relative.format(-minutes, 'minute') : relative.format(-hours, 'hour')
  }
}

const dayOf = (time) => new Date(time.dateTime).toDateString()

/** How many days ago it was. */
function daysAgo(time) {
  const [then, today] = [new Date(time.dateTime), new Date()]
  return Math.round((today.setHours(0, 0, 0, 0) - then.setHours(0, 0, 0, 0)) / 86_400_000)
}

const clockOf = (time) => formatted('time', time).replace(/^0/, '')

function dateOf(time) {
  const isThisYear = new Date(time.dateTime).getFullYear() === new Date().getFullYear()
  return formatted(isThisYear ? 'weekday' : 'year', time).replace(',', '')
}

/** `today 9:40`, `yesterday 9:40`, `Wed 25 Nov 9:40`, `14 Mar 2025 9:40`. */
function momentOf(time) {
  const day = rowTime(time)
  return day.startsWith('today') ? day : `${day} ${clockOf(time)}`
}

/** As `rowTime` of the server: `today 9:40`, `yesterday`, `Wed 25 Nov`, `14 Mar 2025`. */
function rowTime(time) {
  const ago = daysAgo(time)
  return ago === 0 ? `today ${clockOf(time)}` : ago === 1 ? 'yesterday' : dateOf(time)
}

/** Writes when a row arrived, also for who hears what its box selects. */
function tellWhen(time, text) {
  const label = time.closest('.row, tr')?.querySelector('.check span')
  if (label) label.textContent = label.textContent.slice(0, -time.textContent.length) + text
  time.title ||= `${time.dateTime.slice(0, 16).replace('T', ' ')} UTC`
  time.textContent = text
}

/** Puts rows below headings for the reader's days, which are not those of UTC, by the same rule as the server. */
function groupByDay(list) {
  const model = list.querySelector('ol[data-days]')
  if (!model) return
  const focused = document.activeElement
  const rows = [...list.querySelectorAll('.row')]
  const end = list.querySelector('.picked')
  for (const part of list.querySelectorAll(':scope > :is(ol, .day)')) part.remove()
  const add = (heading, some, toText) => {
    const group = model.cloneNode()
    if (heading) {
      const title = document.createElement('h2')
      title.className = 'day'
      title.textContent = heading
      end.before(title)
    }
    for (const row of some) {
      const time = row.querySelector('time')
      tellWhen(time, toText(time))
      group.append(row)
    }
    end.before(group)
  }
  let start = 0
  while (start < rows.length) {
    const time = rows[start].querySelector('time')
    const others = rows.findIndex((row, i) => i > start && dayOf(row.querySelector('time')) !== dayOf(time))
    const next = others === -1 ? rows.length : others
    if (next - start < 3) break
    add(['Today', 'Yesterday'][daysAgo(time)] ?? dateOf(time), rows.slice(start, next), clockOf)
    start = next
  }
  if (start < rows.length) add(start > 0 && 'Earlier', rows.slice(start), rowTime)
  if (list.contains(focused)) focused.focus({ preventScroll: true })
}

// In a range of dates, each is a whole day of the reader.

const firstMoment = (day) => new Date(`${day}T00:00`)

function lastMoment(day) {
  const at = firstMoment(day)
  at.setDate(at.getDate() + 1)
  return new Date(at - 1)
}

/** Such as `2026-11-20T00:00:00.000-05:00`. */
function withOffset(at) {
  const minutes = -at.getTimezoneOffset()
  const two = (number) => String(Math.floor(Math.abs(number))).padStart(2, '0')
  const local = new Date(at.getTime() + minutes * 60_000).toISOString().slice(0, -1)
  return `${local}${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}

document.addEventListener('formdata', ({ target, formData }) => {
  if (!target.matches('[data-dates]')) return
  const { startDate, endDate } = Object.fromEntries(formData)
  if (startDate) formData.set('startDate', withOffset(firstMoment(startDate)))
  if (endDate) formData.set('endDate', withOffset(lastMoment(endDate)))
})

// Of other times, the server takes and gives UTC, and readers see their own time.

const inUtc = (at) => new Date(at).toISOString().slice(0, 19).replace(/:00$/, '')

for (const input of document.querySelectorAll('input[type=datetime-local]')) {
  const utc = input.value
  if (!utc) continue
  input.defaultValue = withOffset(new Date(`${utc}Z`)).slice(0, utc.length)
  // What no one changed is sent as it came: in autumn, an hour comes twice.
  input.dataset.utc = JSON.stringify([input.value, utc])
}

document.addEventListener('formdata', ({ target, formData }) => {
  for (const { name, value, dataset } of target.querySelectorAll('input[type=datetime-local]')) {
    const [shown, utc] = JSON.parse(dataset.utc ?? '[]')
    if (value) formData.set(name, value === shown ? utc : inUtc(value))
  }
})

// A new form has the time zone of who makes it.
for (const input of document.querySelectorAll('[data-zone]')) input.value = formatter().resolvedOptions().timeZone

/** A link to the last days, or to the last month. */
function limitToDays(link) {
  const at = new Date()
  at.setHours(0, 0, 0, 0)
  const query = new URLSearchParams(link.search)
  if (link.dataset.days === 'month') {
    query.set('endDate', withOffset(new Date(at.setDate(1) - 1)))
    at.setMonth(at.getMonth() - 1)
  } else at.setDate(at.getDate() - (link.dataset.days - 1))
  query.set('startDate', withOffset(at))
  link.search = query
  if (location.search === link.search) link.ariaCurrent = 'true'
}

localise(document)
setInterval(() => tellHowLongAgo(document), 30_000)
// A browser lets the timers of a hidden page rest.
document.addEventListener('visibilitychange', () => tellHowLongAgo(document))
