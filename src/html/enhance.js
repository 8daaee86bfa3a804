// Every page works without the scripts. This one adds buttons that copy, and says once what was done.

function makeCopyable(part) {
  for (const button of part.querySelectorAll('button[data-copy][hidden]')) {
    const label = button.textContent
    button.hidden = false
    button.addEventListener('click', async () => {
      const isCopied = await copy(document.getElementById(button.dataset.copy))
      const outcome = isCopied ? 'Copied' : 'Press Ctrl+C'
      const status = button.nextElementSibling
      button.textContent = status.textContent = outcome
      setTimeout(() => {
        button.textContent = label
        status.textContent = ''
      }, 3000)
    })
  }
}
makeCopyable(document)

async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent)
    return true
  } catch {
    // Over plain http there is no clipboard API: select the text, and use the older command.
    getSelection().selectAllChildren(source)
    return document.execCommand('copy')
  }
}

for (const item of document.querySelectorAll('[data-print]')) {
  item.hidden = false
  item.addEventListener('click', () => {
    item.closest('details').open = false
    print()
  })
}

// Browsers may keep a page in memory for the back button. It should not contain a secret.
addEventListener('pagehide', () => {
  for (const secret of document.querySelectorAll('[data-secret]')) secret.remove()
})

// The page before still has what a visitor typed. The link opens it anew, or the start page of its site.
for (const link of document.querySelectorAll('a[data-back]'))
  link.addEventListener('click', (event) => {
    if (document.referrer !== link.href || history.length < 2 || event.ctrlKey || event.metaKey || event.shiftKey)
      return
    event.preventDefault()
    history.back()
  })

// Reply opens the mail program. What to do when the mail is sent is asked on this page.
for (const link of document.querySelectorAll('a[data-then]'))
  link.addEventListener('click', () => {
    setTimeout(() => {
      location.hash = link.dataset.then
    }, 500)
  })

// What was just done, such as `?done=deleted&count=2`, is not said again when the page is reloaded or bookmarked.
const address = new URL(location)
if (address.searchParams.has('done') || address.searchParams.has('saved')) {
  for (const name of ['done', 'count', 'saved', 'undo', 'more']) address.searchParams.delete(name)
  history.replaceState(history.state, '', address)
}

// Of a double click, the second form would do things twice, or no longer find what the first has deleted.
let last
addEventListener('submit', (event) => {
  const { target, timeStamp, defaultPrevented } = event
  if (defaultPrevented) return
  if (target === last?.target && timeStamp - last.timeStamp < 1000) event.preventDefault()
  else last = { target, timeStamp }
})
addEventListener('pagehide', () => {
  last = undefined
})

// Leaving a page would lose what was typed. A form that is being sent is not left.
const edited = document.querySelectorAll('[data-edits]')
let sending
if (edited.length > 0) {
  addEventListener('submit', ({ target, defaultPrevented }) => {
    if (!defaultPrevented) sending = target
  })
  addEventListener('input', () => {
    sending = undefined
  })
  addEventListener('beforeunload', (event) => {
    for (const form of edited) if (form !== sending && hasEdits(form)) event.preventDefault()
  })
}

function hasEdits(form) {
  const isEdited = (input) =>
    input.type === 'checkbox' || input.type === 'radio'
      ? input.checked !== input.defaultChecked
      : 'defaultValue' in input && input.value !== input.defaultValue
  return form.dataset.edits === 'unsaved' || [...form.elements].some(isEdited)
}
