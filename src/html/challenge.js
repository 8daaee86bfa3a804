// Solves the proof of work that a form of Formbox asks for, while its visitor types. Nothing is loaded from elsewhere, and
// a page whose policy allows this origin for scripts and connections may use it. docs/spam.md has the details.
{
  const script = document.currentScript
  const { origin, host } = new URL(script.src)
  /** Beside the script, which may be below a path. */
  const { pathname: start } = new URL('s/', script.src)
  // By language. The server writes them here.
  const sentences = 'SENTENCES'
  const own = script.dataset

  // An input may be called as any of these, so those of a form will not do.
  const { appendChild, closest, getAttribute, getRootNode, querySelector, requestSubmit, submit } =
    HTMLFormElement.prototype

  /** The language of an element, which may be that of a page around its shadow root. */
  const languageOf = (element) => {
    const named = closest.call(element, '[lang]')
    if (named) return getAttribute.call(named, 'lang')
    const { host: outer } = getRootNode.call(element)
    return outer instanceof Element ? languageOf(outer) : ''
  }

  /** The sentences below a form: the words of the page, or ours in the language of the form. */
  const wordsFor = (form, name) => {
    const [language] = languageOf(form).toLowerCase().split(/[-_]/)
    const ours = Object.hasOwn(sentences, language) ? sentences[language] : sentences.en
    return own[name] ?? ours[name].replace('HOST', () => host)
  }

  /** The proofs of each form by address: a solution, or the promise of one. */
  const proofs = new WeakMap()
  const inputs = new WeakMap()
  const notes = new WeakMap()
  const waiting = new WeakSet()

  /** Where a form is sent, by this button if there is one, if that is here. */
  const addressOf = (form, button) => {
    if (!(form instanceof HTMLFormElement)) return null
    const link = document.createElement('a')
    link.href = button?.getAttribute('formaction') ?? (getAttribute.call(form, 'action') || '')
    const path = link.pathname
    const isHere = link.origin === origin && path.startsWith(start) && /^[^/]+$/.test(path.slice(start.length))
    return isHere ? origin + path : null
  }

  /** The proof of a form for its next message. A new one is begun if there is none, or it was used or is too old. */
  const proofOf = (form, address, isSending) => {
    if (!proofs.has(form)) proofs.set(form, new Map())
    const known = proofs.get(form).get(address)
    const now = Date.now()
    // After a failure, typing tries again only every five seconds.
    const isGood = known && !known.isUsed && now >= known.begunAt && now < known.until
    if (isGood && !(known.isFailed && isSending)) return known
    const proof = { begunAt: now, until: Number.POSITIVE_INFINITY }
    proofs.get(form).set(address, proof)
    proof.done = prove(address).then(
      ({ solution, seconds }) => {
        proof.solution = solution
        // A minute is left for sending it.
        proof.until = proof.begunAt + (seconds - 60) * 1000
        if (proofs.get(form).get(address) === proof) fill(form, solution)
      },
      () => {
        proof.isFailed = true
        proof.until = Date.now() + 5000
      },
    )
    return proof
  }

  const fill = (form, solution) => {
    const input = inputs.get(form) || document.createElement('input')
    input.type = 'hidden'
    input.name = '_challenge'
    input.value = solution
    // It may have been taken out by a script of the page.
    if (input.parentNode !== form) appendChild.call(form, input)
    inputs.set(form, input)
  }

  /** The form of an event, also in an open shadow root. Its event `submit` stays in there, so that is where to listen. */
  const formOf = (event) => {
    const path = event.composedPath().filter((node) => node instanceof Node)
    for (const node of path) if (node instanceof ShadowRoot) node.addEventListener('submit', onSubmit, true)
    const inner = path.find((node) => node instanceof HTMLFormElement || node.form instanceof HTMLFormElement)
    return inner instanceof HTMLFormElement ? inner : inner?.form
  }

  const begin = (event) => {
    const form = formOf(event)
    const address = addressOf(form)
    if (address) proofOf(form, address)
  }
  // Safari gives buttons no focus.
  for (const type of ['focusin', 'input', 'click']) addEventListener(type, begin, true)

  // What is sent twice without a change in between, as by a double click, is one message. The page of a form comes with a value,
  // which the way back must bring back.
  document.addEventListener('input', (event) => {
    const form = formOf(event)
    const input = addressOf(form) && querySelector.call(form, 'input[name=_idempotency]:not([data-fresh])')
    if (input) input.value = Date.now() + Math.random()
  })

  const onSubmit = (event) => {
    const form = event.target
    const address = addressOf(form, event.submitter)
    if (!address) return
    const proof = proofOf(form, address, true)
    if (proof.solution !== undefined) {
      fill(form, proof.solution)
      // The form may stay, or come back with the back button, and be sent again.
      proof.isUsed = true
      return
    }
    event.preventDefault()
    event.stopImmediatePropagation()
    if (!waiting.has(form)) sendWhenSolved(form, proof, event.submitter)
  }
  // Before the handlers of the page, which may send the fields themselves.
  addEventListener('submit', onSubmit, true)

  const sendWhenSolved = async (form, proof, submitter) => {
    waiting.add(form)
    const soon = setTimeout(say, 1000, form, 'wait')
    await proof.done
    clearTimeout(soon)
    waiting.delete(form)
    if (proof.isFailed) return say(form, 'failed')
    say(form)
    const button = submitter && submitter.form === form ? submitter : null
    if (requestSubmit) requestSubmit.call(form, button)
    else if (button) button.click()
    else submit.call(form)
  }

  /** Says it below the form. A screen reader reads it when it has nothing else to say. */
  const say = (form, name) => {
    const note = notes.get(form) || document.createElement('p')
    notes.set(form, note)
    note.setAttribute('role', 'status')
    note.dir = 'auto'
    if (!name) return note.remove()
    if (!note.isConnected) appendChild.call(form, note)
    // Only what changes in an element that is there already is read out.
    note.textContent = ''
    setTimeout(() => {
      note.textContent = wordsFor(form, name)
    }, 50)
  }

  const prove = async (address) => {
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort(), 15_000)
    try {
      const options = { cache: 'no-store', credentials: 'omit', signal: ending.signal }
      const response = await fetch(`${address}/challenge`, options)
      // The response to the message will say that there is no such form.
      if (response.status === 404) return { solution: '', seconds: 3600 }
      if (!response.ok) throw new Error(response.status)
      const { challenge, puzzles, bits, expiresIn } = await response.json()
      if (challenge === null) return { solution: '', seconds: 3600 }
      return { solution: await solve(challenge, puzzles, bits), seconds: expiresIn }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Works for 8 ms at a time, so that typing stays smooth. */
  const solve = async (challenge, puzzles, bits) => {
    const signature = challenge.slice(challenge.lastIndexOf('.') + 1)
    // One block of SHA-256: 43 bytes of signature, the puzzle, the nonce, and the padding for 48 bytes.
    const block = new Int32Array(64)
    for (let i = 0; i < 43; i++) block[i >> 2] |= signature.charCodeAt(i) << (24 - 8 * (i & 3))
    block[12] = 1 << 31
    block[15] = 8 * 48
    const nonces = []
    let nonce = 0
    let until = performance.now() + 8
    while (nonces.length < puzzles) {
      block[10] = (block[10] & ~255) | nonces.length
      block[11] = nonce
      if (firstWord(block) >>> (32 - bits) === 0) {
        nonces.push(nonce.toString(36))
        nonce = 0
      } else nonce++
      if ((nonce & 63) === 0 && performance.now() >= until) {
        await pause()
        until = performance.now() + 8
      }
    }
    return `${challenge}.${nonces.join('.')}`
  }

  // Unlike a timer, a message is not held back for some milliseconds, or for seconds in a tab in the background.
  const { port1, port2 } = new MessageChannel()
  const pause = () =>
    new Promise((resolve) => {
      port1.addEventListener('message', resolve, { once: true })
      port1.start()
      port2.postMessage(0)
    })

  // SHA-256 as in FIPS 180-4. `crypto.subtle` is only there on pages with https.
  const constants = new Int32Array(64)
  const initial = new Int32Array(8)
  const fraction = (root) => ((root % 1) * 2 ** 32) | 0
  for (let number = 2, found = 0; found < 64; number++) {
    let divisor = 2
    while (number % divisor) divisor++
    if (divisor < number) continue
    if (found < 8) initial[found] = fraction(Math.sqrt(number))
    constants[found++] = fraction(Math.cbrt(number))
  }

  /** The first 32 bits of the hash of one block. */
  const firstWord = (words) => {
    for (let i = 16; i < 64; i++) {
      const x = words[i - 15]
      const y = words[i - 2]
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
      words[i] = words[i - 16] + s0 + words[i - 7] + s1
    }
    let [a, b, c, d, e, f, g, h] = initial
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[i] + words[i]) | 0
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
      const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c))
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    return (initial[0] + a) | 0
  }

  /** For scripts that send a message themselves: the value of its field `_challenge`. */
  window.formboxChallenge = async (address) => (await prove(address)).solution
}
