// One key does what a link or button of the page does, which names it in `data-key`. In a list, j and k go from row to row, and
// the keys of the bar for selected rows do the same with the row that has the focus. A person can turn the keys off, because
// some write with their voice (WCAG 2.1.4).

const keysByPlace = [
  [
    'Anywhere',
    [
      ['g i', 'Go to the inbox'],
      ['g f', 'Go to the forms'],
      ['/', 'Search'],
      ['?', 'These keys'],
    ],
  ],
  [
    'In a list',
    [
      ['j k', 'Next, the one before'],
      ['o', 'Open'],
      ['x', 'Select'],
    ],
  ],
  [
    'For a message, or those selected',
    [
      ['e', 'Done, or open again'],
      ['s', 'Spam, or not spam'],
      ['u', 'Read, or back to the list'],
      ['#', 'Delete'],
      ['r', 'Reply'],
      ['j k', 'Next, the one before'],
    ],
  ],
]

function keysAreOn() {
  try {
    return localStorage.getItem('keys') !== 'off'
  } catch {
    return true
  }
}

/** When `g` was pressed, which waits for a second key. */
let wentAt = -Infinity

document.addEventListener('keydown', (event) => {
  const { key, target } = event
  const isTyping = target.closest('input:not([type=checkbox]), textarea, select, dialog, .menu > summary')
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !keysAreOn()) return
  const isSecond = event.timeStamp - wentAt < 1000
  wentAt = -Infinity
  const control = controlFor(isSecond ? `g${key}` : key)
  // A key that is still held when the next page is there does not do the same to that one.
  if (event.repeat && control) return
  if (key === 'g' && !isSecond) wentAt = event.timeStamp
  else if (key === '?') showKeys()
  else if (control?.matches('input')) control.focus()
  else if (control?.closest('.picked')) doSelected(key, control.form)
  else if (control) control.click()
  else if (!toRow(key)) return
  event.preventDefault()
})

const controlsFor = (key) => [...document.querySelectorAll(`[data-key~="${CSS.escape(key)}"]`)]

const controlFor = (key) => controlsFor(key)[0]

const rowsInSight = () => [
  ...document.querySelectorAll(':is(.rows, .columns tbody, .entries tbody) :is(.open, summary)'),
]

const rowOf = (element) => element?.closest('.row, tr')

/** With those that are selected; else with the row that has the focus. */
function doSelected(key, form) {
  const isAny = form.querySelector('.check :checked') !== null
  const box = rowOf(document.activeElement)?.querySelector('.check input')
  if (!isAny && !box) return
  if (!isAny) box.checked = true
  // “Read” or “Unread”: the one that is shown, now that something is ticked.
  controlsFor(key)
    .find((control) => getComputedStyle(control).display !== 'none')
    ?.click()
}

/** Returns whether the key does something with a row. */
function toRow(key) {
  const rows = rowsInSight()
  const at = rows.findIndex((row) => rowOf(row).contains(document.activeElement))
  if (key === 'o' || key === 'x') {
    if (at === -1) return false
    const what = key === 'o' ? rows[at] : rowOf(rows[at]).querySelector('.check input')
    what?.click()
    return true
  }
  const step = { j: 1, k: -1 }[key]
  if (!step || rows.length === 0) return false
  const row = rows[at === -1 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)]
  row.focus()
  row.scrollIntoView({ block: 'nearest' })
  return true
}

const element = (name, ...children) => {
  const made = document.createElement(name)
  made.append(...children)
  return made
}

/** Lists the keys, and turns all of them off or on. */
function showKeys() {
  const dialog = element('dialog', element('h2', 'Keys'))
  const places = keysByPlace.map(([name, keys]) => {
    const list = element('dl', ...keys.map(([key, what]) => element('div', keyTerm(key), element('dd', what))))
    list.className = 'facts'
    return element('section', element('h3', name), list)
  })
  const close = element('button', 'Close')
  close.addEventListener('click', () => dialog.close())
  dialog.className = 'keys'
  dialog.setAttribute('aria-label', 'Keys')
  dialog.append(element('div', ...places), keysSwitch(), close)
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

function keyTerm(keys) {
  const term = element('dt')
  for (const key of keys.split(' ')) term.append(element('kbd', key), ' ')
  return term
}

function keysSwitch() {
  const box = document.createElement('input')
  const label = element('label', box, element('span', 'Keys are on, in this browser'))
  label.className = 'choice'
  box.type = 'checkbox'
  box.autocomplete = 'off'
  box.checked = keysAreOn()
  box.addEventListener('change', () => {
    if (box.checked) localStorage.removeItem('keys')
    else localStorage.setItem('keys', 'off')
  })
  return label
}

for (const section of document.querySelectorAll('[data-keys-switch]')) {
  section.hidden = false
  section.append(keysSwitch())
}
