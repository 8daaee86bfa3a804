// Shows what is new on a page that was fetched again. Where someone reads, selects or types, a link says how many there are, and
// nothing moves.

/** Returns how many submissions have arrived that were not told of before. */
// biome-ignore lint/correctness/noUnusedVariables: live.js calls it
function showList(list, fresh, { href, searchParams }) {
  const shown = new Set(idsIn(list))
  const arrived = searchParams.get('page') > 1 ? [] : idsIn(fresh).filter((id) => !shown.has(id))
  const isSearch = list.dataset.newest !== undefined
  list.told ??= new Set()
  const news = arrived.filter((id) => !list.told.has(id))
  for (const id of news) list.told.add(id)
  if (isSearch) offer(list, list.told.size, href)
  else if (isUsed(list)) {
    offer(list, arrived.length, href)
    replace(list, fresh, '.segments')
    replace(list, fresh, '.tools > .unread')
  } else exchange(list, [...fresh.childNodes])
  return news.length
}

const idsIn = (list) => [...list.querySelectorAll('[name=ids]')].map(({ value }) => value)

/** Whether someone reads further down, points at a row, or has selected, opened or focused something in it. */
function isUsed(list) {
  const isWithin = list.contains(document.activeElement) && document.activeElement !== list
  return (
    isWithin || list.querySelector('.check :checked, [open], .selectable:hover') || list.getBoundingClientRect().top < 0
  )
}

/** A link that shows what is new. */
function offer(list, count, href) {
  if (count === 0) return
  const address = new URL(href)
  address.searchParams.delete('newer')
  const link = list.querySelector('.fresh') ?? document.createElement('a')
  link.href = address
  link.className = 'fresh'
  link.textContent = `${count} new`
  list.querySelector('.tools')?.after(link)
}

function exchange(list, parts) {
  const hadFocus = list.contains(document.activeElement)
  list.replaceChildren(...parts)
  list.told = undefined
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
