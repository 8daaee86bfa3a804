import type { DeliveryStore } from '../deliveries/store.ts'
import type { Form } from '../forms/ownership.ts'
import type { FormStore } from '../forms/store.ts'
import type { Html } from '../html/html.ts'
import { redirect } from '../html/redirect.ts'
import type { Session } from '../sessions/store.ts'
import type { TestResult, WebhookStore } from '../webhooks/store.ts'
import {
  correctedForDiscord,
  parseWebhookDescription,
  parseWebhookFormat,
  parseWebhookUrl,
} from '../webhooks/webhook-fields.ts'
import type { FormParams } from './form-frame.ts'
import { settingsPath } from './form-settings.ts'
import type { UserSent, UserVisit } from './page-access.ts'
import { parseInputs } from './parse-inputs.ts'
import { openShownOnce } from './shown-once.ts'
import { type TypedWebhook, webhookFormPage } from './webhook-form-page.ts'
import { deleteWebhookPage, rotateWebhookPage } from './webhook-question-page.ts'
import { webhookSection } from './webhook-section.ts'

interface WebhookParams extends FormParams {
  readonly webhookId: string
}

interface Options {
  readonly forms: FormStore
  readonly webhooks: WebhookStore
  readonly deliveries: DeliveryStore
  readonly now: () => number
}

type Owned = Pick<UserVisit<WebhookParams>, 'session' | 'params'>

/** `/forms/:formId/webhooks/…`: adds, changes, tests and deletes webhooks, which the page of the settings lists. */
export const formWebhooks = ({ forms, webhooks, deliveries, now }: Options) => {
  const secrets = openShownOnce(now)
  const tests = openShownOnce(now)

  const findForm = ({ session, params }: { session: Session; params: FormParams }) => {
    const form = forms.findForm(session.userId, params.formId)
    return { email: session.email, form }
  }

  const find = ({ session, params }: Owned) => ({
    ...findForm({ session, params }),
    webhook: webhooks.findWebhook(session.userId, params.formId, params.webhookId),
  })

  const parseWebhook = ({ url, format, description }: TypedWebhook) => {
    const inputs = parseInputs({
      url: () => {
        const parsed = parseWebhookUrl(url)
        webhooks.refuseUnreachable(parsed)
        return parsed
      },
      format: () => parseWebhookFormat(format),
      description: () => parseWebhookDescription(description),
    })
    return 'errors' in inputs ? inputs : { values: { ...inputs.values, ...correctedForDiscord(inputs.values) } }
  }

  /** Shows the new secret of a webhook, once. */
  const showSecret = (session: Session, params: FormParams, id: string, secret: string): Response => {
    secrets.put(session.hash, id, secret)
    return redirect(`${settingsPath(params)}?secret=${id}#new-secret`)
  }

  return {
    /** The section on the page of the settings. */
    section({ session, query }: Pick<UserVisit, 'session' | 'query'>, form: Form): Html {
      const secret = secrets.take(session.hash, query.secret)
      const result = tests.take(session.hash, query.tested)
      return webhookSection({
        formId: form.id,
        webhooks: webhooks.listWebhooks(session.userId, form.id),
        deliveries: deliveries.lastByReceiver(form),
        secret: secret === null ? undefined : { id: query.secret as string, text: secret },
        tested: result === null ? undefined : { id: query.tested as string, result: JSON.parse(result) as TestResult },
        done: query.done,
      })
    },

    showNew: (visit: UserVisit<FormParams>): Response =>
      webhookFormPage({ ...findForm(visit), typed: { url: '', format: 'standard', description: '' } }),

    async create({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const found = findForm({ session, params })
      const typed = typedIn(sent)
      const inputs = parseWebhook(typed)
      if ('errors' in inputs) return webhookFormPage({ status: 400, ...found, typed, errors: inputs.errors })
      const { id, secret } = await webhooks.createWebhook(session.userId, found.form.id, inputs.values)
      return showSecret(session, params, id, secret)
    },

    showUnsavedNew: (sent: UserSent<FormParams>): Response =>
      webhookFormPage({ ...findForm(sent), typed: typedIn(sent.form), isUnsaved: true }),

    show(visit: UserVisit<WebhookParams>): Response {
      const { webhook, ...found } = find(visit)
      const { id, url, format, description } = webhook
      return webhookFormPage({ ...found, id, typed: { url, format, description: description ?? '' } })
    },

    async update(sent: UserSent<WebhookParams>): Promise<Response> {
      const { webhook, ...found } = find(sent)
      const typed = typedIn(sent.form)
      const inputs = parseWebhook(typed)
      if ('errors' in inputs)
        return webhookFormPage({ status: 400, ...found, id: webhook.id, typed, errors: inputs.errors })
      await webhooks.updateWebhook(sent.session.userId, found.form.id, webhook.id, inputs.values)
      return redirect(`${settingsPath(sent.params)}?done=webhook-saved#notice`)
    },

    showUnsaved(sent: UserSent<WebhookParams>): Response {
      const { webhook, ...found } = find(sent)
      return webhookFormPage({ ...found, id: webhook.id, typed: typedIn(sent.form), isUnsaved: true })
    },

    /** Waits for what comes back, which takes up to 15 seconds. */
    async test({ session, params }: UserSent<WebhookParams>): Promise<Response> {
      const { formId, webhookId } = params
      const result = await webhooks.testWebhook(session.userId, formId, webhookId)
      tests.put(session.hash, webhookId, JSON.stringify(result))
      return redirect(`${settingsPath(params)}?tested=${webhookId}#test-result`)
    },

    async switch({ session, params, form }: UserSent<WebhookParams>): Promise<Response> {
      const enabled = form.get('enabled') === 'on'
      await webhooks.updateWebhook(session.userId, params.formId, params.webhookId, { enabled })
      return redirect(`${settingsPath(params)}?done=webhook-${enabled ? 'on' : 'off'}#notice`)
    },

    showRotate: (visit: UserVisit<WebhookParams>): Response => rotateWebhookPage(find(visit)),

    async rotate({ session, params }: UserSent<WebhookParams>): Promise<Response> {
      const { secret } = await webhooks.rotateWebhook(session.userId, params.formId, params.webhookId)
      return showSecret(session, params, params.webhookId, secret)
    },

    showDelete: (visit: UserVisit<WebhookParams>): Response => deleteWebhookPage(find(visit)),

    async delete({ session, params }: UserSent<WebhookParams>): Promise<Response> {
      await webhooks.deleteWebhook(session.userId, params.formId, params.webhookId)
      return redirect(`${settingsPath(params)}?done=webhook-deleted#notice`)
    },
  }
}

const typedIn = (sent: URLSearchParams): TypedWebhook => ({
  url: sent.get('url') ?? '',
  format: sent.get('format') ?? '',
  description: sent.get('description') ?? '',
})
