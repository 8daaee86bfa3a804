import {
  deleteWebhookPath,
  type ParamsOf,
  rotateWebhookPath,
  settingsPath,
  switchWebhookPath,
  testWebhookPath,
} from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import { type Html, html } from '../html/html.ts'
import { questionPage } from '../html/message-page.ts'
import { redirect } from '../html/redirect.ts'
import type { PageOptions } from './page-options.ts'
import type { openShownOnce } from './shown-once.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

type WebhookParams = ParamsOf<typeof testWebhookPath.route>

interface Options extends PageOptions {
  readonly nameOf: (form: FormTo<'webhooks'>, id: string) => Html
  /** What the page of the receivers shows next, once. */
  readonly secrets: ReturnType<typeof openShownOnce>
  readonly tests: ReturnType<typeof openShownOnce>
}

/** What the menu of a webhook in the list of receivers does: a test, on and off, a new secret, its end. */
export const webhookRoutes = (options: Options) => {
  const { access, webhooks, nameOf, secrets, tests } = options
  const { userAction, userPage } = options.pages

  const findForm = ({ session, params }: Pick<UserVisit<FormParams>, 'session' | 'params'>): FormTo<'webhooks'> =>
    access.findFormTo('webhooks', session.userId, params.formId)

  const on = {
    /** Waits for the response of the receiver, up to 15 seconds. */
    async test({ session, params }: UserSent<WebhookParams>): Promise<Response> {
      const { webhookId } = params
      const result = await webhooks.testWebhook(session.userId, findForm({ session, params }), webhookId)
      tests.put(session.hash, webhookId, JSON.stringify(result))
      return redirect(`${settingsPath(params.formId)}?tested=${webhookId}#test-result`)
    },

    async switch({ session, params, form }: UserSent<WebhookParams>): Promise<Response> {
      const enabled = form.get('enabled') === 'on'
      await webhooks.updateWebhook(session.userId, params.formId, params.webhookId, { enabled })
      return redirect(`${settingsPath(params.formId)}?done=webhook-${enabled ? 'on' : 'off'}#notice`)
    },

    /** Asks first: a second new secret too soon would make the first one invalid. */
    showRotate: (visit: UserVisit<WebhookParams>): Response =>
      questionAbout(visit, {
        question: 'Create a new secret?',
        text: 'For 24 hours, requests are signed with both the new secret and the current one. Give the receiver the new one in this time.',
        action: rotateWebhookPath,
        yes: html`<button class="primary">Create new secret</button>`,
        no: 'Keep secret',
      }),

    async rotate({ session, params }: UserSent<WebhookParams>): Promise<Response> {
      const { secret } = await webhooks.rotateWebhook(session.userId, params.formId, params.webhookId)
      secrets.put(session.hash, params.webhookId, secret)
      return redirect(`${settingsPath(params.formId)}?secret=${params.webhookId}#new-secret`)
    },

    showDelete: (visit: UserVisit<WebhookParams>): Response =>
      questionAbout(visit, {
        question: 'Remove this receiver?',
        text: 'Nothing more is sent to it, and what waits fails. This can’t be undone.',
        action: deleteWebhookPath,
        yes: html`<button class="primary dangerous">Remove</button>`,
        no: 'Keep it',
      }),

    async delete({ session, params }: UserSent<WebhookParams>): Promise<Response> {
      await webhooks.deleteWebhook(session.userId, params.formId, params.webhookId)
      return redirect(`${settingsPath(params.formId)}?done=receiver-removed#notice`)
    },
  }

  const questionAbout = (visit: UserVisit<WebhookParams>, { question, text, action, yes, no }: Question): Response => {
    const form = findForm(visit)
    const { id, url } = webhooks.findWebhook(form, visit.params.webhookId)
    return questionPage({
      email: visit.session.email,
      title: `${question} · ${form.title}`,
      heading: question,
      subject: html`<p class="subject">${nameOf(form, id)} <code>${url}</code></p>`,
      text,
      action: action(form.id, id),
      answers: html`${yes}
<a class="button" href="${settingsPath(form.id)}">${no}</a>`,
    })
  }

  return [
    userAction(testWebhookPath, settingsPath, on.test),
    userAction(switchWebhookPath, settingsPath, on.switch),
    userPage(rotateWebhookPath, on.showRotate),
    userAction(rotateWebhookPath, settingsPath, on.rotate),
    userPage(deleteWebhookPath, on.showDelete),
    userAction(deleteWebhookPath, settingsPath, on.delete),
  ]
}

interface Question {
  readonly question: string
  readonly text: string
  readonly action: typeof deleteWebhookPath | typeof rotateWebhookPath
  readonly yes: Html
  readonly no: string
}
