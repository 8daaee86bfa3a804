import type { Session } from '../accounts/sessions/store.ts'
import { expecting } from '../base/errors.ts'
import {
  deleteWebhookPath,
  newWebhookPath,
  rotateWebhookPath,
  settingsPath,
  switchWebhookPath,
  testWebhookPath,
  webhookPath,
} from '../config/addresses.ts'
import type { FormAccess, FormTo } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { parseTyped } from '../forms/settings/kind.ts'
import type { TestResult, Webhook, WebhookStore } from '../forms/webhooks/store.ts'
import { checkHeaders, parseHeaderLines } from '../forms/webhooks/webhook-headers.ts'
import { webhookUrl } from '../forms/webhooks/webhook-rules.ts'
import { type Html, html } from '../html/html.ts'
import { questionPage } from '../html/message-page.ts'
import { redirect } from '../html/redirect.ts'
import { parseCondition } from '../outbox/condition.ts'
import type { DeliveryStore } from '../submissions/deliveries/store.ts'
import type { Navigation } from './jump-menu.ts'
import type { PageAccess } from './page-access.ts'
import { errorsOf, parseInputs } from './parse-inputs.ts'
import { openShownOnce } from './shown-once.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'
import { memberInputs, nothingTyped, type TypedWebhook, typedIn, typedOf, webhookFormPage } from './webhook-form.ts'
import { nameOf, webhookSection } from './webhook-section.ts'

interface WebhookParams extends FormParams {
  readonly webhookId: string
}

interface Options {
  readonly pages: PageAccess
  readonly access: FormAccess
  readonly webhooks: WebhookStore
  readonly deliveries: DeliveryStore
  readonly now: () => number
}

interface Found {
  readonly email: string
  readonly form: Form
  readonly navigation: Navigation
  readonly now: number
  readonly webhook: Webhook
}

/** `/forms/:formId/webhooks/…`: adds, changes, tests and deletes webhooks, which the page of the settings lists. */
export const webhooksRoutes = ({
  pages: { navigate, userAction, userPage },
  access,
  webhooks,
  deliveries,
  now,
}: Options) => {
  const secrets = openShownOnce(now)
  const tests = openShownOnce(now)

  const findForm = ({ session, params }: { session: Session; params: FormParams }) => {
    const form = access.findFormTo('webhooks', session.userId, params.formId)
    return { email: session.email, form, navigation: navigate(session.userId, form), now: now() }
  }

  const find = ({ session, params }: { session: Session; params: WebhookParams }): Found => {
    const found = findForm({ session, params })
    return { ...found, webhook: webhooks.findWebhook(found.form, params.webhookId) }
  }

  const parseWebhook = ({ url, members, onlyField, onlyEquals, headers }: TypedWebhook) => {
    return parseInputs({
      url: () => {
        const parsed = parseTyped('url', webhookUrl.fromText(url))
        webhooks.refuseUnreachable(parsed)
        return parsed
      },
      ...memberInputs(members),
      only: () => parseCondition({ field: onlyField, equals: onlyEquals }),
      headers: () => {
        const parsed = parseHeaderLines(headers)
        checkHeaders(parsed)
        return parsed
      },
    })
  }

  /** Shows the new secret of a webhook, once. */
  const showSecret = (session: Session, params: FormParams, id: string, secret: string): Response => {
    secrets.put(session.hash, id, secret)
    return redirect(`${settingsPath(params.formId)}?secret=${id}#new-secret`)
  }

  const on = {
    /** The section on the page of the settings. */
    section({ session, query }: Pick<UserVisit, 'session' | 'query'>, form: FormTo<'webhooks'>): Html {
      const secret = secrets.take(session.hash, query.secret)
      const result = tests.take(session.hash, query.tested)
      return webhookSection({
        formId: form.id,
        webhooks: webhooks.listWebhooks(form),
        deliveries: deliveries.lastByReceiver(form),
        secret: secret === null ? undefined : { id: query.secret as string, text: secret },
        tested: result === null ? undefined : { id: query.tested as string, result: JSON.parse(result) as TestResult },
        done: query.done,
      })
    },

    showNew: (visit: UserVisit<FormParams>): Response => webhookFormPage({ ...findForm(visit), typed: nothingTyped }),

    async create({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const found = findForm({ session, params })
      const typed = typedIn(sent)
      const inputs = parseWebhook(typed)
      if (inputs.state === 'invalid') return webhookFormPage({ status: 400, ...found, typed, errors: inputs.errors })
      const creating = () => webhooks.createWebhook(session.userId, found.form.id, inputs.values)
      const created = await expecting(['invalid'], creating)
      if (created.state === 'invalid')
        return webhookFormPage({ status: 400, ...found, typed, errors: errorsOf(created.error) })
      return showSecret(session, params, created.value.id, created.value.secret)
    },

    showUnsavedNew: (sent: UserSent<FormParams>): Response =>
      webhookFormPage({ ...findForm(sent), typed: typedIn(sent.form), isUnsaved: true }),

    show(visit: UserVisit<WebhookParams>): Response {
      const { webhook, ...found } = find(visit)
      return webhookFormPage({ ...found, id: webhook.id, typed: typedOf(webhook) })
    },

    async update(sent: UserSent<WebhookParams>): Promise<Response> {
      const { webhook, ...found } = find(sent)
      const typed = typedIn(sent.form)
      const inputs = parseWebhook(typed)
      if (inputs.state === 'invalid')
        return webhookFormPage({ status: 400, ...found, id: webhook.id, typed, errors: inputs.errors })
      const saving = () => webhooks.updateWebhook(sent.session.userId, found.form.id, webhook.id, inputs.values)
      const saved = await expecting(['invalid'], saving)
      if (saved.state === 'invalid')
        return webhookFormPage({ status: 400, ...found, id: webhook.id, typed, errors: errorsOf(saved.error) })
      return redirect(`${settingsPath(sent.params.formId)}?done=webhook-saved#notice`)
    },

    showUnsaved(sent: UserSent<WebhookParams>): Response {
      const { webhook, ...found } = find(sent)
      return webhookFormPage({ ...found, id: webhook.id, typed: typedIn(sent.form), isUnsaved: true })
    },

    /** Waits for the response of the receiver, up to 15 seconds. */
    async test({ session, params }: UserSent<WebhookParams>): Promise<Response> {
      const { webhookId } = params
      const { form } = findForm({ session, params })
      const result = await webhooks.testWebhook(session.userId, form, webhookId)
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
      questionAbout(find(visit), {
        question: 'Create a new secret?',
        text: 'For 24 hours, requests are signed with both the new secret and the current one. Give the receiver the new one in this time.',
        action: 'rotate',
        yes: html`<button class="primary">Create new secret</button>`,
        no: 'Keep secret',
      }),

    async rotate({ session, params }: UserSent<WebhookParams>): Promise<Response> {
      const { secret } = await webhooks.rotateWebhook(session.userId, params.formId, params.webhookId)
      return showSecret(session, params, params.webhookId, secret)
    },

    showDelete: (visit: UserVisit<WebhookParams>): Response =>
      questionAbout(find(visit), {
        question: 'Delete this webhook?',
        text: 'Nothing more is sent to it, and its waiting deliveries fail. This can’t be undone.',
        action: 'delete',
        yes: html`<button class="primary dangerous">Delete webhook</button>`,
        no: 'Keep webhook',
      }),

    async delete({ session, params }: UserSent<WebhookParams>): Promise<Response> {
      await webhooks.deleteWebhook(session.userId, params.formId, params.webhookId)
      return redirect(`${settingsPath(params.formId)}?done=webhook-deleted#notice`)
    },
  }

  return {
    section: on.section,
    routes: [
      userPage(newWebhookPath, on.showNew),
      userAction(newWebhookPath, settingsPath, on.create, on.showUnsavedNew),
      userPage(webhookPath, on.show),
      userAction(webhookPath, settingsPath, on.update, on.showUnsaved),
      userAction(testWebhookPath, settingsPath, on.test),
      userAction(switchWebhookPath, settingsPath, on.switch),
      userPage(rotateWebhookPath, on.showRotate),
      userAction(rotateWebhookPath, settingsPath, on.rotate),
      userPage(deleteWebhookPath, on.showDelete),
      userAction(deleteWebhookPath, settingsPath, on.delete),
    ],
  }
}

interface Question {
  readonly question: string
  readonly text: string
  readonly action: 'delete' | 'rotate'
  readonly yes: Html
  readonly no: string
}

const questionAbout = ({ email, form, webhook }: Found, { question, text, action, yes, no }: Question): Response =>
  questionPage({
    email,
    title: `${question} · ${form.title}`,
    heading: question,
    subject: html`<p class="subject"><bdi>${nameOf(webhook)}</bdi> <code>${webhook.url}</code></p>`,
    text,
    action: (action === 'delete' ? deleteWebhookPath : rotateWebhookPath)(form.id, webhook.id),
    answers: html`${yes}
<a class="button" href="${settingsPath(form.id)}#webhooks">${no}</a>`,
  })
