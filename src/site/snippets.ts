export interface Snippet {
  readonly id: 'html' | 'fetch' | 'curl'
  readonly name: string
  readonly code: string
  readonly copy: string
  readonly note: string
}

/**
 * What to copy into a page or a program, so that it sends to this address.
 *
 * @param hasChallenge whether the form asks for a proof of work
 */
export const snippets = (address: string, hasChallenge: boolean): readonly Snippet[] => [
  {
    id: 'html',
    name: 'HTML',
    code: hasChallenge ? htmlWithChallenge(address) : htmlFor(address),
    copy: 'Copy HTML',
    note: hasChallenge
      ? 'The script works out the proof of work while a visitor types. It loads nothing else, and sets no cookie.'
      : 'Visitors never see the field “_gotcha”. Robots fill it in, and what they send is taken for spam.',
  },
  {
    id: 'fetch',
    name: 'JavaScript',
    code: hasChallenge ? fetchWithChallenge(address) : fetchFor(address),
    copy: 'Copy JavaScript',
    note: hasChallenge
      ? `The page must load ${challengeScript(address)}. Works on every website.`
      : 'Works on every website.',
  },
  {
    id: 'curl',
    name: 'curl',
    code: curlFor(address),
    copy: 'Copy command',
    note: hasChallenge
      ? 'Answers with 400, because this form asks for a proof of work, which curl cannot make.'
      : 'Answers with the identifier of the submission.',
  },
]

const htmlFor = (address: string, more = ''): string => `<form action="${address}"
  method="post" accept-charset="utf-8">
  <label>Name <input name="name" required></label>
  <label>E-mail <input name="email" type="email" required></label>
  <label>Message <textarea name="message" required></textarea></label>
  <input name="_gotcha" hidden autocomplete="off">${more}
  <button>Send</button>
</form>`

const htmlWithChallenge = (address: string): string => `${htmlFor(
  address,
  `
  <noscript><p>This form works only with JavaScript, which keeps
    robots out. Please allow it and load this page again.</p></noscript>`,
)}
<script src="${challengeScript(address)}" async></script>`

const challengeScript = (address: string): string => `${new URL(address).origin}/challenge.js`

const fetchFor = (address: string, more = ''): string => `const address = '${address}'
const response = await fetch(address, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'Ada', message: 'Hello'${more} }),
})
if (!response.ok) throw new Error((await response.json()).message)`

const fetchWithChallenge = (address: string): string =>
  `// Best called while the visitor still types. A proof works once, for an hour.
const proof = formboxChallenge('${address}')
${fetchFor(address, ', _challenge: await proof')}`

// Not `--json`, which curl has only since 2022.
const curlFor = (address: string): string => `curl -H 'content-type: application/json' \\
  -d '{"name":"Ada","message":"Hello"}' \\
  ${address}`
