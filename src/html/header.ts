import { assetPaths } from './assets.ts'
import { type Html, html } from './html.ts'

const sections = [
  { path: '/', name: 'Forms' },
  { path: '/settings/keys', name: 'API keys' },
  { path: '/settings/account', name: 'Account' },
] as const

/**
 * The navigation, the user who is signed in, and the button to sign out.
 *
 * @param current the section that the page belongs to, or null
 */
export const header = (current: (typeof sections)[number]['path'] | null, email: string): Html => html`<header>
<a class="skip" href="#main">Skip to content</a>
<div class="bar">
<a class="brand" href="/"><img src="${assetPaths.icon}" alt="" width="24" height="24">Formbox</a>
<nav aria-label="Main">
${sections.map(
  ({ path, name }) => html`<a href="${path}"${path === current && html` aria-current="page"`}>${name}</a>
`,
)}</nav>
<form class="who" method="post" action="/sign-out">
<span class="email" title="${email}">${email}</span>
<button class="quiet">Sign out</button>
</form>
</div>
</header>`

/** The name of the service, above a page for somebody who is not signed in. */
export const brand: Html = html`<p class="brand"><img src="${assetPaths.icon}" alt="" width="32" height="32">Formbox</p>`
