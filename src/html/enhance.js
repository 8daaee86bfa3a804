// Every page works without the scripts. This one adds buttons that copy, and says once what was done.

for (const button of document.querySelectorAll('button[data-copy]')) {
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

// Browsers may keep a page in memory for the back button. It should not contain a secret.
addEventListener('pagehide', () => {
  for (const secret of document.querySelectorAll('[data-secret]')) secret.remove()
})

// What was just done, such as `?done=deleted&count=2`, is not said again when the page is reloaded or bookmarked.
const address = new URL(location)
if (address.searchParams.has('done') || address.searchParams.has('saved')) {
  for (const name of ['done', 'count', 'saved']) address.searchParams.delete(name)
  history.replaceState(history.state, '', address)
}
