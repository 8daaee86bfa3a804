// One key does what a link or button of the page does, which names it in `data-key`. In a list of submissions, j and k go
// from row to row. A person can turn the keys off, because some write with their voice (WCAG 2.1.4).

const keyNames = { ArrowLeft: '←', ArrowRight: '→' }

function keysAreOn() {
  try {
    return localStorage.getItem('keys') !== 'off'
  } catch {
    return true
  }
}

document.addEventListener('keydown', (event) => {
  const { key, target } = event
  const isTyping = target.closest('input:not([type=checkbox]), textarea, select, dialog, summary:not(.entries *)')
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !keysAreOn()) return
  const control = document.querySelector(`[data-key~="${CSS.escape(key)}"]`)
  // A key that is still held when the next page is there does not do the same to that one.
  if (event.repeat && control) return
  if (key === '?') showKeys()
  else if (control?.matches('input')) control.focus()
  else if (control) control.click()
  else if (!focusRow(key)) return
  event.preventDefault()
})

/** Returns whether the key goes to another row of a list. */
function focusRow(key) {
  const step = { j: 1, k: -1 }[key]
  const rows = [...document.querySelectorAll('.entries tbody :is(.open, summary)')]
  if (!step || rows.length === 0) return false
  const at = rows.findIndex((row) => row.closest('tr').contains(document.activeElement))
  const row = rows[at === -1 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)]
  row.focus()
  row.scrollIntoView({ block: 'nearest' })
  return true
}

/** Lists the keys of this page, and turns all of them off or on. */
function showKeys() {
  const dialog = document.createElement('dialog')
  const list = document.createElement('dl')
  const add = (keys, text) => {
    const [row, term, what] = ['div', 'dt', 'dd'].map((name) => document.createElement(name))
    term.textContent = keys
    what.textContent = text
    row.append(term, what)
    list.append(row)
  }
  for (const control of document.querySelectorAll('[data-key]'))
    add(
      control.dataset.key.replace(/Arrow\w+/, (name) => keyNames[name] ?? name),
      control.getAttribute('aria-label') ??
        control.placeholder ??
        (control.querySelector('.desk') ?? control).textContent.trim(),
    )
  if (document.querySelector('.entries tbody :is(.open, summary)')) add('j k', 'Next row, row before')
  add('?', 'This list')
  dialog.className = 'keys'
  dialog.setAttribute('aria-label', 'Keys')
  const close = document.createElement('button')
  close.textContent = 'Close'
  close.addEventListener('click', () => dialog.close())
  dialog.append(list, keysSwitch(), close)
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

function keysSwitch() {
  const label = document.createElement('label')
  const box = document.createElement('input')
  label.className = 'choice'
  box.type = 'checkbox'
  box.autocomplete = 'off'
  box.checked = keysAreOn()
  box.addEventListener('change', () => {
    if (box.checked) localStorage.removeItem('keys')
    else localStorage.setItem('keys', 'off')
  })
  label.append(box, 'Single keys work, in this browser')
  return label
}

for (const section of document.querySelectorAll('[data-keys-switch]')) {
  section.hidden = false
  section.append(keysSwitch())
}
