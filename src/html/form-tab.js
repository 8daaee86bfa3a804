// The tab “Form” without leaving it: the server draws what is typed, and what a button makes of it. Without this script, each
// button loads the page.

const builder = document.querySelector('form[data-draws]')

if (builder) {
  const drawAfterMilliseconds = 400
  let waiting
  let isDrawing = false
  // Counts what the buttons did: what was typed before is drawn by them.
  let turn = 0

  /** What the server makes of the page; undefined if it makes nothing of it. */
  const send = async (action) => {
    const body = new URLSearchParams(new FormData(builder))
    body.set('field-do', action)
    try {
      const answer = await fetch(builder.action, { method: 'POST', body })
      if (answer.ok) return new DOMParser().parseFromString(await answer.text(), 'text/html')
    } catch {
      // The connection was lost. The next key tries again, and a button loads the page.
    }
  }

  const drawSoon = () => {
    clearTimeout(waiting)
    waiting = setTimeout(drawTyped, drawAfterMilliseconds)
  }

  /** One at a time: what is typed meanwhile is drawn afterwards. */
  const drawTyped = async () => {
    if (isDrawing) return drawSoon()
    isDrawing = true
    const before = turn
    const drawn = await send('draw')
    isDrawing = false
    if (!drawn || before !== turn) return
    for (const part of ['.beside', '.save']) {
      const [old, fresh] = [builder.querySelector(part), drawn.querySelector(part)]
      if (old && fresh && !old.contains(document.activeElement)) old.replaceWith(fresh)
    }
  }

  /** @param focus a selector, if it is not what the server gives the focus */
  const act = async (action, { button, focus = '[autofocus]' } = {}) => {
    clearTimeout(waiting)
    turn++
    builder.inert = true
    const fresh = (await send(action))?.getElementById('fields')
    builder.inert = false
    if (fresh) {
      builder.replaceChildren(...fresh.childNodes)
      builder.dataset.edits = fresh.dataset.edits
      enhance()
      builder.querySelector(focus)?.focus()
    } else if (button) {
      builder.dataset.draws = 'no longer'
      builder.requestSubmit(button)
    }
  }

  /** The types of closed rows, which are on the page once; and what the script adds. */
  const enhance = () => {
    for (const select of builder.querySelectorAll('.type')) {
      const { value } = select
      select.replaceChildren(builder.querySelector('#types').content.cloneNode(true))
      select.value = value
    }
    for (const move of builder.querySelectorAll('.move')) move.title = 'Drag, or press Alt with ↑ or ↓'
    makeCopyable(builder)
  }

  builder.addEventListener('input', drawSoon)

  builder.addEventListener('submit', (event) => {
    const button = event.submitter
    if (button?.name !== 'field-do' || builder.dataset.draws === 'no longer') return
    event.preventDefault()
    act(button.value, { button })
  })

  // What is open asks for what the type needs.
  builder.addEventListener('change', ({ target }) => {
    const key = target.closest('li')?.querySelector('[name=row]')?.value
    if (target.matches('.type') && target.closest('li').querySelector('.rest[open]'))
      act(`open ${key}`, { focus: `[name=${target.name}]` })
  })

  builder.addEventListener('keydown', (event) => {
    const what = { ArrowUp: 'up', ArrowDown: 'down' }[event.key]
    const row = event.target.closest('.asked > li')
    const button = row?.querySelector(`.move [value^=${what}]`)
    if (!event.altKey || !button || button.disabled || event.target.matches('select, textarea')) return
    event.preventDefault()
    const to = what === 'up' ? row.previousElementSibling : row.nextElementSibling
    const { id } = to
    const same = event.target.name?.replace(/\d+$/, id.slice('field-'.length))
    act(button.value, { focus: event.target.matches('input') ? `[name="${same}"]` : '[autofocus]' })
  })

  builder.addEventListener('pointerdown', (down) => {
    const row = down.target.closest('.move')?.parentElement
    if (!row || down.button !== 0) return
    let isDragged = false
    const isBeyond = (other, clientY, sign) => {
      if (!other?.matches('li:not(.edge)')) return false
      const { top, height } = other.getBoundingClientRect()
      return sign * (clientY - top - height / 2) > 0
    }
    // The others move: what has the pointer must stay where it is in the page.
    const drag = ({ clientY }) => {
      if (!isDragged && Math.abs(clientY - down.clientY) < 6) return
      if (!isDragged) down.target.setPointerCapture(down.pointerId)
      isDragged = true
      row.classList.add('is-dragged')
      while (isBeyond(row.previousElementSibling, clientY, -1)) row.after(row.previousElementSibling)
      while (isBeyond(row.nextElementSibling, clientY, 1)) row.before(row.nextElementSibling)
    }
    const drop = () => {
      for (const [type, listener] of listeners) builder.removeEventListener(type, listener)
      if (!isDragged) return
      // The button below the pointer was not meant.
      const swallow = (click) => click.preventDefault()
      builder.addEventListener('click', swallow, true)
      setTimeout(() => builder.removeEventListener('click', swallow, true))
      const position = [...row.parentElement.querySelectorAll('li:not(.edge)')].indexOf(row)
      act('show', { focus: `#field-${position} .move button:not(:disabled)` })
    }
    const listeners = Object.entries({ pointermove: drag, pointerup: drop, pointercancel: drop })
    for (const [type, listener] of listeners) builder.addEventListener(type, listener)
  })

  enhance()
}
