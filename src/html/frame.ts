import { visible } from '../base/visible.ts'
import { accountPath, homePath, keysPath, signOutPath } from '../config/addresses.ts'
import { english } from '../languages/english.ts'
import type { Texts } from '../languages/texts.ts'
import { iconPath, scriptPath, stylePath } from './assets.ts'
import { type Html, html } from './html.ts'

interface Framed {
  readonly title: string
  readonly body: Html
  /** Above the page, for a user who is signed in. */
  readonly header?: Html
  /** `narrow` for a page that says or asks one thing. */
  readonly width?: 'narrow' | 'wide'
  /** The language of a page for visitors; all others are in English. */
  readonly language?: Pick<Texts, 'tag' | 'dir'>
}

interface FramedResponse extends Framed {
  readonly status?: number
  /** Added to `pageHeaders`, or instead of those with the same names. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Responds with a page, with headers that keep other sites and scripts out. */
export const frame = ({ status = 200, headers = {}, ...framed }: FramedResponse): Response => {
  const page = framedMarkup(framed)
  // For the request log.
  const length = String(Buffer.byteLength(page))
  return new Response(page, { status, headers: { ...pageHeaders, ...headers, 'content-length': length } })
}

/** A page in the frame and style that all share. */
export const framedMarkup = ({ title, body, header: above, width = 'narrow', language = english }: Framed): string =>
  html`<!doctype html>
<html lang="${language.tag}"${language.dir === 'rtl' && html` dir="rtl"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${visible(title)}</title>
<link rel="icon" href="${iconPath()}" type="image/svg+xml">
<link rel="stylesheet" href="${stylePath()}">
<script src="${scriptPath()}" defer></script>
</head>
<body class="${width}">
${above}
<main id="main">
${body}
</main>
</body>
</html>
`.markup

/** The headers of every page. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Not `no-referrer`: with that, browsers send `Origin: null` even to ourselves.
  'referrer-policy': 'same-origin',
}

const sections = [
  { address: homePath, name: 'Forms' },
  { address: keysPath, name: 'API keys' },
  { address: accountPath, name: 'Account' },
] as const

/**
 * The navigation, the user who is signed in, and the button to sign out.
 *
 * @param current the section that the page belongs to, or null
 */
export const header = (current: (typeof sections)[number]['address'] | null, email: string): Html => html`<header>
<a class="skip" href="#main">Skip to content</a>
<div class="bar">
<a class="brand" href="${homePath()}"><img src="${iconPath()}" alt="" width="24" height="24">Formbox</a>
<nav aria-label="Main">
${sections.map(
  ({ address, name }) => html`<a href="${address()}"${address === current && html` aria-current="page"`}>${name}</a>
`,
)}</nav>
<form class="who" method="post" action="${signOutPath()}">
<span class="email" title="${email}">${email}</span>
<button class="quiet">Sign out</button>
</form>
</div>
</header>`

/** The name of the service, above a page for someone who is not signed in. */
export const brand = (): Html =>
  html`<p class="brand"><img src="${iconPath()}" alt="" width="32" height="32">Formbox</p>`

/**
 * Says at the top of a page what was just done, or why it failed. A redirect to `#notice` puts the focus on what was
 * done: a screen reader then reads it, and the next Tab goes to what follows.
 */
export const notice = (kind: 'done' | 'failed', text: string | Html): Html =>
  kind === 'done'
    ? html`<p class="notice done" id="notice" tabindex="-1" role="status">${text}</p>`
    : html`<p class="notice failed" role="alert">${text}</p>`

/** For a page that fetches itself again, and listens for events. */
export const livePageHeaders = {
  'content-security-policy': `${pageHeaders['content-security-policy']}; connect-src 'self'`,
}

/** The title of a page with unread submissions. It begins with their number, which is what a narrow tab still shows. */
export const unreadTitle = (unreadCount: number, name: string): string =>
  unreadCount === 0 ? name : `(${unreadCount}) ${name}`

/** The title of a page that shows a form. It begins with the error if there is one: a screen reader says it first. */
export const pageTitle = (name: string, status: number): string => `${status === 200 ? '' : 'Error: '}${name} · Formbox`
