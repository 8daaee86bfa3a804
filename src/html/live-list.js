// Shows what is new on a page that was fetched again. What is selected or focused stays so, and what is read stays in its
// place.

/** Returns how many submissions have arrived. */
// biome-ignore lint/correctness/noUnusedVariables: live.js calls it
function showList(list, fresh, { href, searchParams }) {
  if (list.dataset.newest) return addFound(list, fresh, href)
  const known = unreadCount(list)
  const isFirstPage = !(searchParams.get('page') > 1)
  if (!list.querySelector('.toolbar') || !fresh.querySelector('.toolbar')) {
    exchange(list, [...fresh.childNodes])
    return unreadCount(list) - known
  }
  const inserted = isFirstPage ? showRows(list, fresh, href) : undefined
  const arrived = inserted ?? unreadCount(fresh) - known
  const isMenuOpen = list.querySelector('.toolbar [open]') !== null
  replace(list, fresh, isMenuOpen ? '.toolbar > p' : '.toolbar')
  replace(list, fresh, 'nav.pages', (pages) => list.append(pages))
  const all = list.querySelector('[data-select-all]')
  if (all) all.textContent = `Select all ${rowsOf(list).size}`
  return arrived
}

/** Adds what a search has found among those that have arrived since. Returns how many. */
function addFound(list, fresh, href) {
  const [table, freshTable] = [list.querySelector('table'), fresh.querySelector('table')]
  if (!freshTable) return 0
  const address = new URL(href)
  address.searchParams.delete('newer')
  if (!table) {
    offer(list, address)
    return 0
  }
  return keepInPlace(table, () => {
    let [older] = rowsOf(table).values()
    const found = [...rowsOf(freshTable).values()].reverse()
    for (const row of found) {
      place(table, row, row.parentNode.firstElementChild.textContent, older)
      older = row
    }
    return found.length
  })
}

/** Returns how many submissions have arrived. Nothing moves below the pointer, or away from the focus. */
// biome-ignore lint/correctness/noUnusedVariables: live.js calls it
function showForms(list, fresh) {
  const [items, freshItems] = [formsOf(list), formsOf(fresh)]
  const arrived = arrivedSince(list.unread ?? unreadOf(items), freshItems)
  list.unread = unreadOf(freshItems)
  if (!list.matches(':hover') && !list.contains(document.activeElement)) list.replaceChildren(...fresh.childNodes)
  else
    for (const [form, item] of items)
      if (freshItems.has(form) && !item.contains(document.activeElement)) item.replaceWith(freshItems.get(form))
  return arrived
}

const formsOf = (list) =>
  new Map([...list.querySelectorAll('.forms > li')].map((item) => [item.querySelector('.open').href, item]))

const unreadOf = (items) => new Map([...items].map(([form, { dataset }]) => [form, Number(dataset.unread)]))

/**
 * Counts the submissions that arrived. A form that was on another page counts for one: the submission that brought it
 * above a form of this page.
 */
function arrivedSince(unread, freshItems) {
  let [arrived, others] = [0, 0]
  for (const [form, count] of unreadOf(freshItems)) {
    if (!unread.has(form)) others += Math.min(count, 1)
    else {
      arrived += others + Math.max(0, count - unread.get(form))
      others = 0
    }
  }
  return arrived
}

function exchange(list, parts) {
  const hadFocus = list.contains(document.activeElement)
  list.replaceChildren(...parts)
  for (const form of list.querySelectorAll('.selectable')) makeSelectable(form)
  if (hadFocus) list.focus({ preventScroll: true })
}

/** Replaces an element by that of another page, unless it has the focus. */
function replace(root, other, selector, add) {
  const [old, fresh] = [root.querySelector(selector), other.querySelector(selector)]
  if (!fresh || old?.contains(document.activeElement)) return
  if (old) old.replaceWith(fresh)
  else add(fresh)
}

const unreadCount = (list) => Number(list.querySelector('[data-unread]')?.dataset.unread ?? 0)

/** Returns how many new rows were inserted; undefined if the rows were exchanged, or can't be shown with the others. */
function showRows(list, fresh, href) {
  const [table, freshTable] = [list.querySelector('table'), fresh.querySelector('table')]
  if (table && freshTable && fits(table, freshTable))
    return keepInPlace(table, (isSeen) => merge(table, freshTable, isSeen))
  if (table && isUsed(table)) offer(list, href)
  else
    exchange(list, [list.querySelector('.toolbar'), ...[...fresh.children].filter((part) => !part.matches('.toolbar'))])
  return undefined
}

const rowsOf = (table) =>
  new Map([...table.querySelectorAll('tbody > :not(.day)')].map((row) => [row.querySelector('[name=ids]').value, row]))

/** Whether the tables have the same columns, and no row is missing between theirs. */
function fits(table, freshTable) {
  const rows = rowsOf(table)
  const columns = (one) => [...one.querySelectorAll('thead bdi')].map(({ textContent }) => textContent).join('\n')
  return columns(table) === columns(freshTable) && [...rowsOf(freshTable).keys()].some((id) => rows.has(id))
}

/** Whether something in it is selected or has the focus. */
const isUsed = (element) => element.contains(document.activeElement) || element.querySelector(':checked') !== null

function offer(list, href) {
  if (list.querySelector('.offer')) return
  const link = document.createElement('a')
  link.href = href
  link.className = 'offer'
  link.textContent = 'Show what is new'
  list.querySelector('.toolbar').after(link)
}

/** Adds the rows that the table does not have yet, and removes those that are no longer on the page and out of sight. */
function merge(table, freshTable, isSeen) {
  const rows = rowsOf(table)
  const freshRows = rowsOf(freshTable)
  const added = [...freshRows].filter(([id]) => !rows.has(id))
  let older
  for (const [id, row] of [...freshRows].reverse()) {
    if (!rows.has(id)) place(table, row, row.parentNode.firstElementChild.textContent, older)
    // It was read in another window, or on another device.
    else if (rows.get(id).className !== row.className && !isUsed(rows.get(id))) {
      rows.get(id).replaceWith(row)
      rows.set(id, row)
    }
    older = rows.get(id) ?? row
  }
  for (const [id, row] of rows) {
    const group = row.parentNode
    if (!freshRows.has(id) && !isUsed(row) && !isSeen(row)) row.remove()
    if (group.children.length === 1) group.remove()
  }
  return added.filter(([, row]) => row.matches('.is-unread')).length
}

/** Puts a row before an older one, or at the end of the table, in the group of its day. */
function place(table, row, day, older) {
  const isOf = (group) => group?.firstElementChild.textContent === day
  const next = older ? older.parentNode : table.tBodies[table.tBodies.length - 1]
  const above = older ? next.previousElementSibling : null
  if (isOf(next)) next.insertBefore(row, older ?? null)
  else if (above?.matches('tbody') && isOf(above)) above.append(row)
  else {
    const group = dayGroup(next, day)
    group.append(row)
    if (older) next.before(group)
    else next.after(group)
  }
}

/** Where someone reads, the rows on the screen stay where they are. */
function keepInPlace(table, change) {
  const isReading = table.matches(':hover') || isUsed(table) || table.getBoundingClientRect().top < 0
  const isSeen = (row) => row.getBoundingClientRect().bottom > 0 && row.getBoundingClientRect().top < innerHeight
  const anchor = isReading && [...rowsOf(table).values()].findLast(isSeen)
  if (!anchor) return change(() => false)
  const top = anchor.getBoundingClientRect().top
  const result = change(isSeen)
  const moved = anchor.getBoundingClientRect().top - top
  // A page that is too short to scroll becomes longer.
  document.body.style.minHeight = `${Math.ceil(innerHeight + scrollY + moved)}px`
  scrollBy({ top: moved, behavior: 'instant' })
  return result
}
