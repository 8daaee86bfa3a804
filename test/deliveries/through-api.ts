// Webhooks and deliveries of a form, through the API.
import type { User } from '../harness.ts'
import { until } from '../until.ts'

/** Creates a webhook in the format `standard`. */
export const addWebhook = async (user: User, formId: string, url: string): Promise<{ id: string; secret: string }> =>
  (await user.call('POST', `/forms/${formId}/webhooks`, { url })).body

export const deliveriesOf = async (user: User, formId: string) =>
  (await user.call('GET', `/forms/${formId}/deliveries`)).body.deliveries as {
    readonly id: string
    readonly submissionId: string
    readonly state: string
    readonly lastStatus: number | null
  }[]

export const untilDelivered = (user: User, formId: string, submissionId: string): Promise<void> =>
  until(
    async () =>
      (await deliveriesOf(user, formId)).some((one) => one.submissionId === submissionId && one.state === 'delivered'),
    'the submission is delivered',
  )
