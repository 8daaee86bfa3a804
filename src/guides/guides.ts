import { notFound } from '../base/errors.ts'
import { sha256 } from '../base/hash.ts'
import { lazily } from '../base/lazily.ts'
import { formsPath, guidePath, guidesPath, homePath, referencePath } from '../config/addresses.ts'
import { iconPath } from '../html/assets.ts'
import { framedMarkup, pageHeaders, pageTitle } from '../html/frame.ts'
import { Html, html } from '../html/html.ts'
import { routes } from '../http/exchange.ts'
import { sameForAll } from '../http/same-for-all.ts'
import type { GuidePages } from './guide-pages.ts'

/** `/guides` and `/guides/:name`: the guides of this version, for everyone, from the executable. */
export const guides = () => {
  const all = lazily(async () => {
    const { packedGuides } = await import('./packed-guides.ts')
    const text = await Bun.zstdDecompress(Buffer.from(packedGuides, 'base64'))
    const pages: GuidePages = JSON.parse(text.toString())
    return new Map(Object.entries(pages).map(([name, page]) => [name, answerWith(guidePage(name, page))]))
  })

  const show = async (request: Request, name: string): Promise<Response> => {
    const answer = (await all()).get(name)
    if (!answer) throw notFound('Guide')
    return answer(request)
  }

  return routes('guides')
    .get(guidesPath.route, ({ request }) => show(request, ''))
    .get(guidePath.route, ({ request, params }) => show(request, params.name))
}

const answerWith = (page: string) => {
  const { 'content-type': type, ...headers } = pageHeaders
  return sameForAll({
    type,
    hash: () => sha256(page, 'hex').slice(0, 12),
    read: async () => new Blob([page]),
    headers: { ...headers, 'cache-control': 'no-cache' },
  })
}

const guidePage = (name: string, { title, markup }: GuidePages[string]): string =>
  framedMarkup({
    title: pageTitle(title, 200),
    width: 'page',
    header: bar(name),
    // Ours, made when the executable was built.
    body: html`<article class="card">
${new Html(markup.replaceAll('"guide:', `"${guidePath('')}`))}</article>`,
  })

/** Not that of a user: the page is the same for everyone. */
const bar = (name: string): Html => html`<header class="top">
<a class="skip" href="#main">Skip to content</a>
<a class="mark" href="${homePath()}" aria-label="Formbox"><img src="${iconPath()}" alt="" width="24" height="24"><span class="on-wide">Formbox</span></a>
<nav aria-label="Main">
<a href="${homePath()}">Inbox</a>
<a href="${formsPath()}">Forms</a>
<a href="${guidesPath()}"${name === '' && html` aria-current="page"`}>Guides</a>
<a href="${referencePath()}">API</a>
</nav>
</header>`
