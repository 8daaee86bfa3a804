import type { Session } from '../accounts/sessions/store.ts'
import { type AppError, expecting, invalid } from '../base/errors.ts'
import {
  newReceiverPath,
  type ParamsOf,
  receiverPath,
  removeAddressPath,
  settingsPath,
  testAddressPath,
} from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import { addressOf, isFor, toAddressed, withoutAddresses } from '../forms/settings/notify-entries.ts'
import { maxAddresses, parseSettings } from '../forms/settings/settings.ts'
import { noticeOf } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { redirect } from '../html/redirect.ts'
import { retriedText } from './delivery-item.ts'
import { errorsOf } from './parse-inputs.ts'
import type { SettingsOptions } from './settings-frame.ts'
import { openShownOnce } from './shown-once.ts'
import { arrivesThere } from './told-arrives.ts'
import { nothingTyped, type ReceiverForm, receiverForm, type TypedReceiver, typedIn, typedOf } from './told-form.ts'
import { betterFor, parseAddresses, parseWebhook } from './told-inputs.ts'
import { isToldKind, kindOf, type ToldKindName, toldKinds } from './told-kinds.ts'
import { newSecret, receiverName, type Tested, testResults, toldList } from './told-list.ts'
import { webhookRoutes } from './told-webhooks.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

type ReceiverParams = ParamsOf<typeof receiverPath.route>

interface ShownForm extends Omit<ReceiverForm, 'formId' | 'canMail' | 'fieldNames' | 'below'> {
  readonly status?: number
}

/** The receivers of a form: lists them on the page of its settings, and adds, changes, tests and removes them. */
export const toldRoutes = (options: SettingsOptions) => {
  const { access, forms, submissions, webhooks, deliveries, testAddresses, readFieldNames } = options
  const { readSilence, settingsFrame, now } = options
  const { userAction, userPage } = options.pages
  const { canMail } = options.formLimits
  const secrets = openShownOnce(now)
  const tests = openShownOnce(now)

  const findForm = ({ session, params }: { session: Session; params: FormParams }): FormTo<'webhooks'> =>
    access.findFormTo('webhooks', session.userId, params.formId)

  const nameOf = (form: FormTo<'webhooks'>, id: string): Html => {
    const receiver = deliveries.listReceivers(form).find((one) => one.id === id)
    return receiver ? receiverName(receiver) : html`It`
  }

  const testedIn = (session: Session, query: unknown, form: FormTo<'webhooks'>): readonly Tested[] => {
    const ids = typeof query === 'string' ? query.split(',').slice(0, maxAddresses) : []
    const receivers = deliveries.listReceivers(form)
    return ids.flatMap((id) => {
      const result = tests.take(session.hash, id)
      return result === null
        ? []
        : { receiver: receivers.find((one) => one.id === id), result: JSON.parse(result) as Tested['result'] }
    })
  }

  /** What was just done to a receiver: a test, or a secret that is shown once. */
  const news = (session: Session, query: Readonly<Record<string, unknown>>, form: FormTo<'webhooks'>): Html => {
    const secret = secrets.take(session.hash, query.secret)
    const tested = testedIn(session, query.tested, form)
    return html`${noticeOf(doneTexts, query.done)}${
      tested.length > 0 && testResults(tested, query.off === 'yes')
    }${secret !== null && newSecret(nameOf(form, String(query.secret)), secret)}`
  }

  const showForm = (session: Session, formId: string, { status = 200, ...shown }: ShownForm): Response => {
    const found = access.findFormTo('configure', session.userId, formId)
    return settingsFrame(session, found, {
      status,
      current: 'told',
      name: `${toldKinds[shown.kind].name} · Get told`,
      heading: html`<h2 id="where"><a class="prev" href="${settingsPath(found.id)}">Get told</a></h2>`,
      body: receiverForm({
        formId: found.id,
        canMail,
        fieldNames: JSON.parse(readFieldNames(found) ?? '[]'),
        below: arrivesThere(shown, found, submissions.findNewest(found)?.submissions[0]?.data ?? ''),
        ...shown,
      }),
    })
  }

  const silenceOf = (form: FormTo<'webhooks'>) => {
    const { quietDays } = parseSettings(form.settings)
    const silence = readSilence(form)
    return quietDays !== null && silence ? { ...silence, days: quietDays } : undefined
  }

  const find = (form: FormTo<'webhooks'>, id: string) => {
    const address = deliveries.findReceiver(form, id)
    return address?.kind === 'email' ? { address: address.target } : { webhook: webhooks.findWebhook(form, id) }
  }

  const shownOf = (form: FormTo<'webhooks'>, id: string): ShownForm => {
    const { address, webhook } = find(form, id)
    if (webhook) return { id, kind: kindOf(webhook.format, webhook.url), typed: typedOf(webhook) }
    const entry = parseSettings(form.settings).notify.find((one) => isFor(one, address))
    const { digest, only } = toAddressed(entry ?? address)
    const condition = { onlyField: only?.field ?? '', onlyEquals: only?.equals ?? '' }
    return { id, kind: 'email', typed: { ...nothingTyped, address, digest: digest ?? '', ...condition } }
  }

  /** Adds addresses, or puts them in the place of one. @throws AppError `invalid` */
  const saveAddresses = async (userId: string, formId: string, typed: TypedReceiver, before?: string) => {
    if (!canMail) throw invalid({ field: 'notify', message: 'must be empty: this server sends no email' })
    const entries = parseAddresses(typed)
    await forms.reviseFormSettings(userId, formId, ({ notify }) => {
      const replaced = [...entries.map(addressOf), ...(before === undefined ? [] : [before])]
      const all = [...withoutAddresses(notify, replaced), ...entries]
      if (all.length > maxAddresses)
        throw invalid({
          field: 'notify',
          message: `must be at most ${maxAddresses} addresses in all; got ${all.length}`,
        })
      return { notify: all }
    })
  }

  /** Tests a webhook that was saved, and keeps it switched off if nothing arrived there. */
  const testSaved = async (session: Session, formId: string, id: string, secret?: string) => {
    const testing = () =>
      webhooks.testWebhook(session.userId, access.findFormTo('webhooks', session.userId, formId), id)
    const tested = await expecting(['rate_limited'], testing)
    const result = tested.state === 'done' ? tested.value : undefined
    const isRefused = result !== undefined && result.error !== null
    if (result) tests.put(session.hash, id, JSON.stringify(result))
    if (secret !== undefined) secrets.put(session.hash, id, secret)
    await webhooks.updateWebhook(session.userId, formId, id, { enabled: !isRefused })
    const query = `?tested=${id}${secret === undefined ? '' : `&secret=${id}`}${isRefused ? '&off=yes' : ''}`
    const page = isRefused ? receiverPath(formId, id) : settingsPath(formId)
    return redirect(result ? `${page}${query}#test-result` : `${page}?done=untested#notice`)
  }

  /** Sends a test to addresses of the form, and shows what the mail server said. */
  const testMails = async (
    session: Session,
    form: FormTo<'webhooks'>,
    isTested: (address: string, id: string) => boolean,
    query = '',
  ) => {
    const all = deliveries
      .listReceivers(form)
      .filter(({ kind, id, target }) => kind === 'email' && isTested(target, id))
    const results = await testAddresses(session.userId, form, all)
    for (const [at, result] of results.entries()) tests.put(session.hash, all[at]?.id ?? '', JSON.stringify(result))
    return redirect(`${settingsPath(form.id)}?tested=${all.map(({ id }) => id)}${query}#test-result`)
  }

  const wrong = (error: AppError, shown: ShownForm) => ({ ...shown, status: 400, errors: errorsOf(error) })

  const save = async (sent: UserSent<FormParams>, shown: ShownForm, before: ReturnType<typeof find> | undefined) => {
    const { session, params } = sent
    const form = { id: findForm(sent).id }
    const { kind, typed, id } = shown
    if (kind === 'email') {
      const saving = () => saveAddresses(session.userId, form.id, typed, before?.address)
      const saved = await expecting(['invalid'], saving)
      if (saved.state === 'invalid') return showForm(session, form.id, wrong(saved.error, shown))
      if (sent.form.get('do') !== 'test') return redirect(`${settingsPath(params.formId)}?done=told#notice`)
      const added = parseAddresses(typed).map(addressOf)
      return testMails(session, findForm(sent), (address) => added.some((one) => isFor(one, address)), '&done=told')
    }
    const inputs = parseWebhook(kind, typed, before?.webhook, webhooks.refuseUnreachable)
    if (inputs.state === 'invalid')
      return showForm(session, form.id, {
        ...shown,
        status: 400,
        errors: inputs.errors,
        better: betterFor(kind, typed.url),
      })
    const { headers, ...values } = inputs.values
    const given = { ...values, ...(headers && { headers }) }
    const saving = async () => {
      if (id === undefined) return webhooks.createWebhook(session.userId, form.id, given)
      await webhooks.updateWebhook(session.userId, form.id, id, given)
      return { id, secret: undefined }
    }
    const saved = await expecting(['invalid'], saving)
    if (saved.state === 'invalid') return showForm(session, form.id, wrong(saved.error, shown))
    return testSaved(session, form.id, saved.value.id, kind === 'program' ? saved.value.secret : undefined)
  }

  const typedKind = (sent: URLSearchParams | Readonly<Record<string, unknown>>): ToldKindName => {
    if (!(sent instanceof URLSearchParams)) return isToldKind(sent.kind) ? sent.kind : 'email'
    const kind = sent.get('kind')
    return isToldKind(kind) ? kind : sent.has('url') ? 'program' : 'email'
  }

  const on = {
    section: ({ session, query }: Pick<UserVisit, 'session' | 'query'>, form: FormTo<'webhooks'>): Html =>
      html`${news(session, query, form)}${toldList({
        formId: form.id,
        email: session.email,
        canMail,
        receivers: deliveries.listReceivers(form),
        fieldNames: JSON.parse(readFieldNames(form) ?? '[]'),
        deliveries: deliveries.lastByReceiver(form),
        silence: silenceOf(form),
      })}`,

    showNew(visit: UserVisit<FormParams>): Response {
      return showForm(visit.session, visit.params.formId, { kind: typedKind(visit.query), typed: nothingTyped })
    },

    create: (sent: UserSent<FormParams>): Promise<Response> =>
      save(sent, { kind: typedKind(sent.form), typed: typedIn(sent.form) }, undefined),

    showUnsavedNew: (sent: UserSent<FormParams>): Response =>
      showForm(sent.session, sent.params.formId, {
        kind: typedKind(sent.form),
        typed: typedIn(sent.form),
        isUnsaved: true,
      }),

    show(visit: UserVisit<ReceiverParams>): Response {
      const form = findForm(visit)
      const above = news(visit.session, visit.query, form)
      return showForm(visit.session, form.id, { ...shownOf(form, visit.params.receiverId), above })
    },

    async update(sent: UserSent<ReceiverParams>): Promise<Response> {
      const form = findForm(sent)
      const { receiverId } = sent.params
      const shown = { ...shownOf(form, receiverId), typed: typedIn(sent.form) }
      return save(sent, shown, find(form, receiverId))
    },

    showUnsaved(sent: UserSent<ReceiverParams>): Response {
      const form = findForm(sent)
      const shown = shownOf(form, sent.params.receiverId)
      return showForm(sent.session, form.id, { ...shown, typed: typedIn(sent.form), isUnsaved: true })
    },

    testAddress: (sent: UserSent<ReceiverParams>): Promise<Response> =>
      testMails(sent.session, findForm(sent), (_, id) => id === sent.params.receiverId),

    async removeAddress(sent: UserSent<ReceiverParams>): Promise<Response> {
      const form = findForm(sent)
      const receiver = deliveries.findReceiver(form, sent.params.receiverId)
      if (receiver?.kind === 'email')
        await forms.reviseFormSettings(sent.session.userId, form.id, ({ notify }) => ({
          notify: withoutAddresses(notify, [receiver.target]),
        }))
      return redirect(`${settingsPath(form.id)}?done=receiver-removed#notice`)
    },
  }

  return {
    section: on.section,
    routes: [
      userPage(newReceiverPath, on.showNew),
      userAction(newReceiverPath, settingsPath, on.create, on.showUnsavedNew),
      userPage(receiverPath, on.show),
      userAction(receiverPath, settingsPath, on.update, on.showUnsaved),
      userAction(testAddressPath, settingsPath, on.testAddress),
      userAction(removeAddressPath, settingsPath, on.removeAddress),
      ...webhookRoutes({ ...options, nameOf, secrets, tests }),
    ],
  }
}

const doneTexts: Readonly<Record<string, string>> = {
  told: 'Saved. A new address is told that it was added.',
  untested: 'Saved. Too many tests are under way: send one in a moment.',
  'webhook-on': 'It is switched on.',
  'webhook-off': 'It is switched off.',
  'receiver-removed': 'Removed. Nothing more is sent there.',
  retried: retriedText,
}
