import { AsyncLocalStorage } from 'node:async_hooks'
import { visible } from '../base/visible.ts'
import {
  accountPath,
  formsPath,
  guidesPath,
  homePath,
  keysPath,
  personalDataPath,
  serverPath,
  signOutPath,
} from '../config/addresses.ts'
import { english } from '../languages/english.ts'
import type { Texts } from '../languages/texts.ts'
import { deskPath, iconPath, manifestPath, scriptPath, themeColors, visitorsStylePath } from './assets.ts'
import { withCommas } from './format.ts'
import { type Html, html } from './html.ts'

interface Framed {
  readonly title: string
  readonly body: Html
  /** Above the page, for a user who is signed in. */
  readonly header?: Html
  /** `list`, `page` for one column, or `narrow` for someone who is signed out. */
  readonly width?: 'list' | 'page' | 'narrow' | 'visitor'
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
${width !== 'visitor' && appLinks()}<link rel="stylesheet" href="${sheetOf[width]()}">
<script src="${scriptPath()}" defer></script>
</head>
<body${width === 'narrow' && html` class="narrow"`}>
${above}
<main id="main"${width === 'page' && html` class="page"`}>
${body}
</main>
</body>
</html>
`.markup

const sheetOf = {
  list: deskPath,
  page: deskPath,
  narrow: deskPath,
  visitor: visitorsStylePath,
} as const

/** What a browser that keeps Formbox as an application reads. */
const appLinks = (): Html => html`<link rel="manifest" href="${manifestPath()}">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${themeColors.light}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${themeColors.dark}">
`

/** The headers of every page. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; manifest-src 'self'; form-action 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Not `no-referrer`: with that, browsers send `Origin: null` even to ourselves.
  'referrer-policy': 'same-origin',
}

/**
 * For a page whose address contains a token: no request from it may send the address in `Referer`. With `no-referrer`,
 * browsers would send `Origin: null` with its form, as if it came from another site.
 */
export const tokenPageHeaders = { 'referrer-policy': 'strict-origin' }

/** Where the bar above a page leads. */
const sections = [
  { address: homePath, name: 'Inbox', key: 'gi' },
  { address: formsPath, name: 'Forms', key: 'gf' },
] as const

/** What the bar of a user says. */
export interface Bar {
  /** Counts what is unread in all forms. */
  readonly countUnread: () => number
  /** Counts what of the server is to be set; undefined for someone who is no operator. */
  readonly countToSet: (() => number) | undefined
}

/** Set while a page is made for a user. Not handed through, because each page has the bar. */
export const pageOfUser = new AsyncLocalStorage<Bar>()

const serverSection = { address: serverPath, name: 'Server' } as const

/** In the menu of the account. */
const ownPages = [
  { address: accountPath, name: 'Account' },
  { address: keysPath, name: 'API keys' },
  { address: personalDataPath, name: 'Data about a person' },
  { address: guidesPath, name: 'Guides' },
] as const

/**
 * The bar above a page: where one can go, and the menu of the account.
 *
 * @param current the section that the page belongs to, or null
 */
export const header = (
  current: (typeof sections | typeof ownPages)[number]['address'] | typeof serverPath | null,
  email: string,
): Html => html`<header class="top">
<a class="skip" href="#main">Skip to content</a>
<a class="mark" href="${homePath()}" aria-label="Formbox"><img src="${iconPath()}" alt="" width="24" height="24"><span class="on-wide">Formbox</span></a>
<nav aria-label="Main">
${sections.map((section) => sectionLink(section, current, section.address === homePath ? (pageOfUser.getStore()?.countUnread() ?? 0) : 0))}${serverLink(current)}</nav>
<details class="menu account" name="menus">
<summary><span class="initial" aria-hidden="true">${email.slice(0, 1)}</span><span class="visually-hidden">Your account</span></summary>
<div class="panel items">
<p>${email}</p>
<ul class="items">
${ownPages.map(
  (page, i) => html`<li${i === 0 && html` class="apart"`}>${sectionLink(page, current)}</li>
`,
)}<li class="apart"><form method="post" action="${signOutPath()}"><button>Sign out</button></form></li>
</ul>
</div>
</details>
</header>`

interface Section {
  readonly address: () => string
  readonly name: string
  /** The keys that lead there (see shortcuts.js). */
  readonly key?: string
}

const sectionLink = (
  { address, name, key }: Section,
  current: Section['address'] | null,
  count = 0,
  what: 'unread' | 'to set' = 'unread',
): Html =>
  html`<a href="${address()}"${address === current && html` aria-current="page"`}${key && html` data-key="${key}"`}>${name}${count > 0 && html` <span class="count${what === 'to set' && ' is-bad'}">${withCommas(count)}<span class="visually-hidden"> ${what}</span></span>`}</a>
`

/** For operators alone. */
const serverLink = (current: Section['address'] | null): Html | false => {
  const { countToSet } = pageOfUser.getStore() ?? {}
  return countToSet !== undefined && sectionLink(serverSection, current, countToSet(), 'to set')
}

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

/** The same for what a query says was done; false if it says nothing that is known. */
export const noticeOf = (texts: Readonly<Record<string, string | Html>>, done: unknown): Html | false =>
  typeof done === 'string' && Object.hasOwn(texts, done) && notice('done', texts[done] as string | Html)

/** For a page that fetches itself again, and listens for events. */
export const livePageHeaders = {
  'content-security-policy': `${pageHeaders['content-security-policy']}; connect-src 'self'`,
}

/** The title of a page with unread submissions. It begins with their number, which is what a narrow tab still shows. */
export const unreadTitle = (unreadCount: number, name: string): string =>
  unreadCount === 0 ? name : `(${unreadCount}) ${name}`

/** The title of a page that shows a form. It begins with the error if there is one: a screen reader says it first. */
export const pageTitle = (name: string, status: number): string => `${status === 200 ? '' : 'Error: '}${name} · Formbox`

/** What the pages of a user have that are one column. @param section as for `header` */
export const ownPage = (name: string, section: Parameters<typeof header>[0], email: string, status = 200) =>
  ({ status, title: pageTitle(name, status), width: 'page', header: header(section, email) }) as const

interface StrangerPage extends Pick<FramedResponse, 'status' | 'headers'> {
  readonly title: string
  readonly card: Html
  readonly below?: Html | false
}

/** Responds to someone who is not signed in: a card below the name of the service. */
export const strangerPage = ({ card, below, ...page }: StrangerPage): Response =>
  frame({ ...page, body: html`${brand()}\n<div class="card">\n${card}\n</div>\n${below}` })
