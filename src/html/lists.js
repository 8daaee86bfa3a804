// In lists: closes menus, and selects ranges with Shift. A menu opens and a box is checked without this.

document.addEventListener('keydown', (event) => {
  const menu = document.querySelector('.menu[open]')
  if (event.key !== 'Escape' || !menu) return
  // The focus would be lost inside a closed menu.
  if (menu.contains(document.activeElement)) menu.firstElementChild.focus()
  menu.open = false
})

// Escape empties the field of a search, and then leads back to the whole list.
document.addEventListener('keydown', (event) => {
  const { key, target } = event
  if (key !== 'Escape' || !target.matches('[data-search]')) return
  event.preventDefault()
  if (target.value !== '') target.value = ''
  else if (target.dataset.search) location.assign(target.dataset.search)
})

document.addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll('.menu[open]')) menu.open = menu.contains(target)
})

// In Firefox, the click that a key makes does not say whether Shift was held.
let isShiftDown = false
for (const type of ['keydown', 'keyup']) {
  document.addEventListener(type, ({ shiftKey }) => {
    isShiftDown = shiftKey
  })
}

for (const form of document.querySelectorAll('.selectable')) makeSelectable(form)

function makeSelectable(form) {
  const boxes = () => [...form.querySelectorAll('.check [type=checkbox]')]
  const status = document.createElement('span')
  status.className = 'visually-hidden'
  status.role = 'status'
  form.append(status)
  const tell = () => {
    const ticked = boxes().filter(({ checked }) => checked)
    status.textContent = `${ticked.length} selected`
    history.replaceState({ ticked: ticked.map(({ value }) => value) }, '')
  }
  // When someone comes back. The browser itself would tick by position, where other rows may be by now.
  const before = history.state?.ticked ?? []
  for (const box of boxes()) box.checked ||= before.includes(box.value)
  let last
  form.addEventListener('click', (event) => {
    const box = event.target.closest('.check')?.control
    const isLabel = event.target !== box
    // A click on the label is followed by one on the box. In Firefox it is not, with Shift.
    if (!box || (isLabel && !event.shiftKey)) return
    if (isLabel) {
      event.preventDefault()
      box.checked = !box.checked
      box.focus()
    }
    const withShift = event.detail === 0 ? isShiftDown : event.shiftKey
    if (withShift && last?.isConnected) checkBetween(boxes(), last, box)
    last = box
    tell()
  })
  form.addEventListener('reset', () => setTimeout(tell))
  const tickAll = (form.closest('.list') ?? form).querySelector('[data-select-all]')
  tickAll?.addEventListener('click', (event) => {
    event.preventDefault()
    for (const box of boxes()) box.checked = true
    tell()
    boxes()[0].focus()
  })
}

function checkBetween(boxes, one, other) {
  const [first, last] = [boxes.indexOf(one), boxes.indexOf(other)].sort((a, b) => a - b)
  for (const box of boxes.slice(first, last + 1)) box.checked = other.checked
  // With Shift, a click also selects the text between.
  getSelection().removeAllRanges()
}
