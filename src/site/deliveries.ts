import { isOwnId } from '../base/id.ts'
import {
  deliveriesPath,
  dismissDeliveryPath,
  type ParamsOf,
  retryDeliveriesPath,
  retryDeliveryPath,
  settingsPath,
  stopDeliveriesPath,
  submissionPath,
} from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import { addressOf } from '../forms/settings/notify-entries.ts'
import { type Html, html } from '../html/html.ts'
import { readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import { type DeliveryState, deliveryStates } from '../submissions/deliveries/delivery-reads.ts'
import type { Delivery } from '../submissions/deliveries/store.ts'
import { firstFields, titleOf } from '../submissions/lines.ts'
import { type Done, deliveryGroups, deliveryList, listPath, stateNames, toDone } from './deliveries-page.ts'
import { formFrame } from './form-frame.ts'
import { queryString, toListQuery } from './list-query.ts'
import type { SettingsOptions } from './settings-frame.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

type DeliveryParams = ParamsOf<typeof retryDeliveryPath.route>

const perPage = 20

/** `/forms/:formId/deliveries`: lists the deliveries of a form, tries them again, and ends those to a receiver. */
export const deliveriesRoutes = (options: SettingsOptions) => {
  const { formPage, userAction, userPage } = options.pages
  const { access, forms, deliveries, submissions, webhooks, settingsFrame } = options

  /** The titles of the submissions that they are about. */
  const titlesOf = (form: FormTo<'deliver'>, listed: readonly Delivery[]): ReadonlyMap<string, string> => {
    const ids = [...new Set(listed.flatMap(({ submission }) => submission ?? []))]
    const about = submissions.findSubmissions(form, 'inbox', ids)
    return new Map(
      about.submissions.map((one) => [
        one.id,
        titleOf(firstFields({ ...about, submissions: [one] }).fields, form.settings),
      ]),
    )
  }

  const groupsIn = (
    userId: string,
    form: FormTo<'deliver'>,
    shared: { canChange: boolean; done: Done | null },
  ): Html => {
    const groups = deliveries.findByReceiver(userId, form)
    const titles = titlesOf(
      form,
      groups.flatMap(({ lately, waiting, failed }) => [...lately, ...waiting, ...failed]),
    )
    return deliveryGroups({ formId: form.id, groups, titles, counts: deliveries.countDeliveries(form), ...shared })
  }

  const on = {
    show({ session, params, query }: UserVisit<FormParams>): Response {
      const { userId } = session
      const form = access.findFormTo('deliver', userId, params.formId)
      const state = toState(query.state)
      const canChange = access.mayDo(userId, form, 'webhooks')
      const shared = { formId: form.id, canChange, done: toDone(query.done) }
      const name = state === null ? 'Deliveries' : `${stateNames[state]} · Deliveries`
      const listIn = (one: DeliveryState): Html => {
        const found = readPage(query.page, perPage, (page) => deliveries.listDeliveries(userId, form, [one], page))
        return deliveryList({ ...found, ...shared, state: one, titles: titlesOf(form, found.deliveries) })
      }
      const content = state === null ? groupsIn(userId, form, shared) : listIn(state)
      if (access.mayDo(userId, form, 'configure'))
        return settingsFrame(session, access.findFormTo('configure', userId, form.id), {
          current: 'told',
          name,
          heading: html``,
          body: content,
        })
      return formFrame({
        ...formPage(session, form),
        name,
        tab: 'Submissions',
        body: html`<div class="parts">${content}</div>`,
      })
    },

    async retry({ session, params, form }: UserSent<DeliveryParams>): Promise<Response> {
      await deliveries.retryDelivery(session.userId, params.formId, params.deliveryId)
      return redirect(`${pathBack(params.formId, form)}#notice`)
    },

    async dismiss({ session, params, form }: UserSent<DeliveryParams>): Promise<Response> {
      await deliveries.dismissDelivery(session.userId, params.formId, params.deliveryId)
      return redirect(`${listPath(params.formId, toState(form.get('state')), { done: 'dismissed' })}#notice`)
    },

    async retryAll({ session, params, form }: UserSent<FormParams>): Promise<Response> {
      const receiverId = form.get('receiver') ?? undefined
      const count = await deliveries.retryDeliveries(session.userId, params.formId, receiverId)
      const done = count === 0 ? 'none' : receiverId === undefined ? 'all' : 'there'
      return redirect(`${listPath(params.formId, toState(form.get('state')), { done })}#notice`)
    },

    async stop({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const { userId } = session
      const form = access.findFormTo('webhooks', userId, params.formId)
      const id = sent.get('receiver') ?? ''
      const receiver = deliveries.findReceiver(form, id)
      const back = (done: Done) => redirect(`${listPath(form.id, toState(sent.get('state')), { done })}#notice`)
      if (receiver?.kind === 'webhook') {
        await webhooks.updateWebhook(userId, form.id, id, { enabled: false })
        return back('off')
      }
      if (receiver?.kind !== 'email') return back('gone')
      const address = receiver.target.toLowerCase()
      await forms.reviseFormSettings(userId, form.id, ({ notify }) => ({
        notify: notify.filter((entry) => addressOf(entry).toLowerCase() !== address),
      }))
      return back('removed')
    },
  }

  return [
    userPage(deliveriesPath, on.show),
    userAction(retryDeliveriesPath, settingsPath, on.retryAll),
    userAction(stopDeliveriesPath, deliveriesPath, on.stop),
    userAction(retryDeliveryPath, settingsPath, on.retry),
    userAction(dismissDeliveryPath, deliveriesPath, on.dismiss),
  ]
}

/** The path of the page whose button it was. */
const pathBack = (formId: string, sent: URLSearchParams): string => {
  const back = sent.get('back') ?? ''
  if (isOwnId(back)) {
    const query = queryString(toListQuery(Object.fromEntries(sent)), { done: 'retried' })
    return `${submissionPath(formId, back)}${query}`
  }
  if (back === 'settings') return `${settingsPath(formId)}?done=retried`
  return listPath(formId, toState(sent.get('state')), { done: 'retried' })
}

const toState = (text: unknown): DeliveryState | null => deliveryStates.find((state) => state === text) ?? null
