import { notFound } from '../../base/errors.ts'
import { resubscribePath, unsubscribeAllPath } from '../../config/addresses.ts'
import type { FormStore } from '../../forms/store.ts'
import { type Html, html } from '../../html/html.ts'
import { sentence } from '../../html/sentence.ts'
import type { Exchange } from '../../http/exchange.ts'
import { textsFor, visitorPage } from '../../http/visitor-page.ts'
import { firstLanguage } from '../../languages/choose.ts'
import { foreign } from '../../languages/foreign.ts'
import type { Texts } from '../../languages/texts.ts'
import { everyForm, findUnsubscribed, type Recipient } from '../../sending/mail/unsubscribe.ts'

export interface UnsubscribeOptions {
  readonly forms: Pick<FormStore, 'stopAddress' | 'removeAddress' | 'allowAddress'>
  readonly signingKey: () => Promise<Uint8Array>
}

/** The recipient of a mail, who has its link, and reads our texts in a language. */
interface Asking extends Recipient {
  readonly exchange: Exchange
  readonly texts: Texts
  /** Address of another action for the same reader: `all` or `allow`. */
  readonly pathOf: (action: 'all' | 'allow') => string
}

/** `/unsubscribe/:token`: the recipient of a mail about a form wants no more of them. The link is all that it takes. */
export const unsubscribePages = ({ forms, signingKey }: UnsubscribeOptions) => {
  const forRecipient =
    (toPage: (asking: Asking) => string | Promise<string>) =>
    async (exchange: Exchange, token: string, { lang }: Readonly<Record<string, unknown>>): Promise<string> => {
      exchange.askedLanguage = typeof lang === 'string' ? firstLanguage([lang]) : undefined
      const recipient = findUnsubscribed(token, await signingKey())
      if (!recipient) throw notFound()
      const texts = await textsFor(exchange)
      const query = exchange.askedLanguage === undefined ? '' : `?lang=${exchange.askedLanguage}`
      return toPage({
        ...recipient,
        exchange,
        texts,
        pathOf: (action) => `${(action === 'all' ? unsubscribeAllPath : resubscribePath)(token)}${query}`,
      })
    }

  /** For all forms of this server, also those to which someone adds the address later. */
  const stopAll = async (asking: Asking): Promise<string> => {
    const { address, texts, pathOf } = asking
    await forms.stopAddress(address)
    const { stopped, allStopped, allow } = texts.unsubscribe
    const button = html`<form method="post" action="${pathOf('allow')}"><button>${allow}</button></form>`
    return done(asking, stopped, allStopped(foreign(address)), button)
  }

  return {
    /** Asks first: programs that look for dangerous links open every link in a mail. */
    show: forRecipient((asking) => (asking.receiver === everyForm ? questionOfAll(asking) : questionOfForm(asking))),

    /** Responds without a redirect, which RFC 8058 forbids, and in the same way each time. */
    stop: forRecipient(async (asking) => {
      const { receiver, address, texts, pathOf } = asking
      if (receiver === everyForm) return stopAll(asking)
      const title = await forms.removeAddress(receiver)
      const { stopped, formStopped, thisStopped, stopAll: stopAllWords } = texts.unsubscribe
      const text = title === undefined ? thisStopped(foreign(address)) : formStopped(foreign(address), foreign(title))
      const button = html`<form method="post" action="${pathOf('all')}"><button>${stopAllWords}</button></form>`
      return done(asking, stopped, text, button)
    }),

    stopAll: forRecipient(stopAll),

    allow: forRecipient(async (asking) => {
      await forms.allowAddress(asking.address)
      const { allowed, allAllowed } = asking.texts.unsubscribe
      return done(asking, allowed, allAllowed(foreign(asking.address)))
    }),
  }
}

/** Says what was done, and offers the next thing. */
const done = ({ exchange, texts }: Asking, title: string, text: string, next?: Html): string =>
  visitorPage(exchange, texts, {
    title,
    body: html`<div class="card message">
<h1>${title}</h1>
<p>${sentence(text)}</p>
${next}
</div>`,
  })

/** The mail was a reply to someone who had sent a form. */
const questionOfAll = ({ exchange, texts, address }: Asking): string => {
  const { askAll, allWillStop, stopAll } = texts.unsubscribe
  const buttons = html`<button class="primary">${stopAll}</button>`
  return question(exchange, texts, { title: askAll, text: allWillStop(foreign(address)), buttons })
}

const questionOfForm = ({ exchange, texts, address, pathOf }: Asking): string => {
  const { ask, willStop, stop, stopAll } = texts.unsubscribe
  const buttons = html`<button class="primary">${stop}</button>
<button formaction="${pathOf('all')}">${stopAll}</button>`
  return question(exchange, texts, { title: ask, text: willStop(foreign(address)), buttons })
}

const question = (
  exchange: Exchange,
  texts: Texts,
  { title, text, buttons }: { readonly title: string; readonly text: string; readonly buttons: Html },
): string =>
  visitorPage(exchange, texts, {
    title: `${title} · Formbox`,
    body: html`<div class="card">
<h1>${title}</h1>
<p>${sentence(text)}</p>
<form class="actions" method="post">
${buttons}
</form>
</div>`,
  })
