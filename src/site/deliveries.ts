import { type DeliveryState, deliveryStates } from '../deliveries/delivery-reads.ts'
import type { DeliveryStore } from '../deliveries/store.ts'
import type { FormStore } from '../forms/store.ts'
import { readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import { isOwnId } from '../id.ts'
import { allDone, type Done, deliveriesPage, deliveriesPath } from './deliveries-page.ts'
import { type FormParams, formPath } from './form-frame.ts'
import { settingsPath } from './form-settings.ts'
import { placeQuery, toPlace } from './list-place.ts'
import type { UserSent, UserVisit } from './page-access.ts'
import { isInTrouble } from './trouble.ts'

interface DeliveryParams extends FormParams {
  readonly deliveryId: string
}

interface Options {
  readonly forms: FormStore
  readonly deliveries: DeliveryStore
}

const perPage = 20

/** `/forms/:formId/deliveries`: lists who was told of which submission, and tries deliveries again. */
export const formDeliveries = ({ forms, deliveries }: Options) => ({
  show({ session, params, query }: UserVisit<FormParams>): Response {
    const { userId, email } = session
    const form = forms.findForm(userId, params.formId)
    const state = toState(query.state)
    const states = state === null ? deliveryStates : [state]
    const { deliveries: listed, ...paged } = readPage(query.page, perPage, (page) =>
      deliveries.listDeliveries(userId, form.id, states, page),
    )
    const hasUndelivered = isInTrouble(deliveries.findFailures(form))
    return deliveriesPage({
      email,
      form,
      state,
      deliveries: listed,
      hasUndelivered,
      done: toDone(query.done),
      ...paged,
    })
  },

  async retry({ session, params, form }: UserSent<DeliveryParams>): Promise<Response> {
    await deliveries.retryDelivery(session.userId, params.formId, params.deliveryId)
    return redirect(`${pathBack(params.formId, form)}#notice`)
  },

  async retryAll({ session, params, form }: UserSent<FormParams>): Promise<Response> {
    const count = await deliveries.retryDeliveries(session.userId, params.formId)
    const done = count === 0 ? 'none' : 'all'
    return redirect(`${deliveriesPath(params.formId, toState(form.get('state')), { done })}#notice`)
  },
})

/** To the page whose button it was. */
const pathBack = (formId: string, sent: URLSearchParams): string => {
  const back = sent.get('back') ?? ''
  if (isOwnId(back)) {
    const place = toPlace(Object.fromEntries(sent))
    return `${formPath(formId)}/submissions/${back}${placeQuery(place, { done: 'retried' })}`
  }
  if (back === 'settings') return `${settingsPath({ formId })}?done=retried`
  return deliveriesPath(formId, toState(sent.get('state')), { done: 'retried' })
}

const toDone = (text: unknown): Done | null => allDone.find((done) => done === text) ?? null

const toState = (text: unknown): DeliveryState | null => deliveryStates.find((state) => state === text) ?? null
