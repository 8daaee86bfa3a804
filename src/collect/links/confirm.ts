import { notFound } from '../../base/errors.ts'
import { withdrawPath } from '../../config/addresses.ts'
import type { Config } from '../../config/config.ts'
import { titleForVisitors } from '../../forms/settings/settings.ts'
import { type Html, html } from '../../html/html.ts'
import { sentence } from '../../html/sentence.ts'
import type { Exchange } from '../../http/exchange.ts'
import { textsFor, visitorPage } from '../../http/visitor-page.ts'
import { firstLanguage } from '../../languages/choose.ts'
import { foreign } from '../../languages/foreign.ts'
import type { Texts } from '../../languages/texts.ts'
import { findLinked } from '../../sending/mail/confirm-link.ts'
import type { ConfirmState } from '../../submissions/confirm/moves.ts'
import type { ConfirmStore, FoundLink } from '../../submissions/confirm/store.ts'
import { sentCookies } from '../sent-cookies.ts'

export interface ConfirmOptions {
  readonly config: Pick<Config, 'publicUrl'>
  readonly confirmations: ConfirmStore
  readonly signingKey: () => Promise<Uint8Array>
}

type Linked = NonNullable<ReturnType<typeof findLinked>>

/** A link whose signature is ours, who opens it, and what it finds. */
interface Opened {
  readonly exchange: Exchange
  readonly texts: Texts
  readonly token: string
  readonly linked: Linked
  readonly found: FoundLink
}

/** `/c/:token`: whoever reads the mail confirms the address that was sent with a form. The link is all that it takes. */
export const confirmPages = ({ confirmations, signingKey, config: { publicUrl } }: ConfirmOptions) => {
  const cookies = sentCookies(publicUrl)

  const opening =
    (toPage: (opened: Opened) => string | Promise<string>) =>
    async (exchange: Exchange, token: string): Promise<string> => {
      const linked = findLinked(token, await signingKey())
      if (!linked) throw notFound()
      const found = confirmations.findLink(linked, cookies.hashesIn(exchange.request))
      if (found.language !== null) exchange.askedLanguage = firstLanguage([found.language])
      return toPage({ exchange, texts: await textsFor(exchange), token, linked, found })
    }

  const confirm = async (opened: Opened): Promise<string> =>
    resultPage(opened, (await confirmations.confirm(opened.linked)).state)

  return {
    /** Programs that look for dangerous links open every link in a mail: they do not have what the sender's browser has. */
    show: opening((opened) => {
      const { found, exchange } = opened
      if (found.state !== 'held') return resultPage(opened, found.state)
      return found.isOwn && isOpenedByPerson(exchange.request) ? confirm(opened) : askPage(opened)
    }),

    confirm: opening(confirm),

    withdraw: opening(async (opened) => {
      const { state, isDone } = await confirmations.withdraw(opened.linked)
      return isDone ? deletedPage(opened) : resultPage(opened, state)
    }),
  }
}

/** Whether a browser shows what it asks for. Some load pages before anyone has clicked. */
const isOpenedByPerson = ({ method, headers }: Request): boolean => {
  const ahead = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => headers.get(name) ?? '').join()
  const [mode, to] = [headers.get('sec-fetch-mode') ?? 'navigate', headers.get('sec-fetch-dest') ?? 'document']
  return method === 'GET' && !/prefetch|prerender|preview/i.test(ahead) && mode === 'navigate' && to === 'document'
}

const titleOf = ({ found: { form } }: Opened) => foreign(form ? titleForVisitors(form) : '')

const askPage = (opened: Opened): string => {
  const { texts, token, found } = opened
  const { ask, willCount, waiting, confirm, notMe, willDelete } = texts.confirm
  return page(opened, {
    title: ask,
    body: html`<p>${sentence(willCount(titleOf(opened)))}</p>
${found.count > 1 && html`<p>${waiting(found.count)}</p>\n`}<p class="small">${willDelete}</p>
<form class="actions" method="post">
<button class="primary">${confirm}</button>
<button formaction="${withdrawPath(token)}">${notMe}</button>
</form>`,
  })
}

const resultPage = (opened: Opened, state: ConfirmState): string => {
  const { texts } = opened
  const { confirmed, over, nothing } = texts.confirm
  return state === 'confirmed' || state === 'accepted'
    ? page(opened, { title: confirmed, body: html`<p>${sentence(texts.received(titleOf(opened)))}</p>` })
    : page(opened, { title: over, body: html`<p>${nothing}</p>` })
}

const deletedPage = (opened: Opened): string => {
  const { deleted, allDeleted } = opened.texts.confirm
  return page(opened, { title: deleted, body: html`<p>${sentence(allDeleted(titleOf(opened)))}</p>` })
}

const page = ({ exchange, texts }: Opened, { title, body }: { readonly title: string; readonly body: Html }): string =>
  visitorPage(exchange, texts, {
    title,
    body: html`<div class="card message">
<h1>${title}</h1>
${body}
</div>`,
  })
