interface Snippet {
  readonly id: 'html' | 'fetch' | 'curl'
  readonly name: string
  readonly code: string
  readonly copy: string
  readonly note: string
}

/** What to copy into a page or a program, so that it sends to this address. */
export const snippets = (address: string): readonly Snippet[] => [
  {
    id: 'html',
    name: 'HTML',
    code: htmlFor(address),
    copy: 'Copy HTML',
    note: 'Visitors never see the field “_gotcha”. Robots fill it in, and what they send is taken for spam.',
  },
  {
    id: 'fetch',
    name: 'JavaScript',
    code: fetchFor(address),
    copy: 'Copy JavaScript',
    note: 'Works on every website.',
  },
  {
    id: 'curl',
    name: 'curl',
    code: curlFor(address),
    copy: 'Copy command',
    note: 'Answers with the identifier of the submission.',
  },
]

const htmlFor = (address: string): string => `<form action="${address}"
  method="post" accept-charset="utf-8">
  <label>Name <input name="name" required></label>
  <label>E-mail <input name="email" type="email" required></label>
  <label>Message <textarea name="message" required></textarea></label>
  <input name="_gotcha" hidden autocomplete="off">
  <button>Send</button>
</form>`

const fetchFor = (address: string): string => `const address = '${address}'
const response = await fetch(address, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'Ada', message: 'Hello' }),
})
if (!response.ok) throw new Error((await response.json()).message)`

// Not `--json`, which curl has only since 2022.
const curlFor = (address: string): string => `curl -H 'content-type: application/json' \\
  -d '{"name":"Ada","message":"Hello"}' \\
  ${address}`
