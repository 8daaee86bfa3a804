// A data file with forms that tell receivers, and the commands of the outbox on it.

import { newId } from '../../src/base/id.ts'
import type { Claim, ClaimInput } from '../../src/outbox/claim.ts'
import type { Finished } from '../../src/outbox/finish.ts'
import { toError } from '../../src/storage/writer/batch.ts'
import { temporaryFolder } from '../harness.ts'
import { openData } from '../storage/data.ts'
import { rowsOf } from '../storage/sound.ts'

export const noon = Date.UTC(2026, 10, 22, 12)

/** A month before: new accounts have other limits. */
export const longAgo = Date.UTC(2026, 9, 22, 12)

interface DeliveryRow {
  readonly form: number
  readonly id: string
  readonly receiver: number
  readonly kind: string
  readonly submission: string | null
  readonly count: number | null
  readonly subject: string | null
  readonly state: string
  readonly attempts: number
  readonly log: string
  readonly due_at: number
  readonly claimed_by: string | null
  readonly target: string | null
  readonly ends_at: number | null
  readonly reason: string | null
}

export const openOutbox = () => {
  const data = openData(temporaryFolder(), longAgo)
  /** Adds webhooks in one transaction, and returns their identifiers. */
  const addWebhooks = (hooks: readonly { host: string; userId?: string; formId?: string }[]): string[] => {
    const inputs = hooks.map(({ host, userId = data.userId, formId = data.formId }) => ({
      ...{ userId, formId, id: newId(noon), url: `https://${host}/hook`, host: `${host}:443` },
      ...{ format: 'standard', description: null, secret: `whsec_${'A'.repeat(32)}` },
    }))
    const outcomes = data.execute(inputs.map((input) => ['createWebhook', input]))
    for (const outcome of outcomes) if (!('result' in outcome)) throw toError(outcome)
    return inputs.map(({ id }) => id)
  }

  /** Forms with ten webhooks each, and a submission to each form. */
  const addForms = (count: number): void => {
    const forms = Array.from({ length: count }, () => data.createForm(data.userId))
    addWebhooks(
      forms.flatMap((formId, form) =>
        Array.from({ length: 10 }, (_, hook) => ({ host: `${form}-${hook}.example`, formId })),
      ),
    )
    data.execute(forms.map((formId) => ['createSubmission', { formId, id: newId(noon), data: '{}', fieldNames: [] }]))
  }

  const addWebhook = (host = 'example.com', owner: { userId?: string; formId?: string } = {}): string =>
    addWebhooks([{ host, ...owner }])[0] as string

  const notify = (addresses: readonly string[], { userId = data.userId, formId = data.formId } = {}): void =>
    void data.run('updateFormSettings', { userId, id: formId, now: noon, changes: { notify: addresses } })

  /** The owner's own address. */
  const [{ email }] = rowsOf<{ email: string }>(data.folder, 'SELECT email FROM users') as [{ email: string }]

  return {
    ...data,
    email,
    addForms,
    addWebhook,
    addWebhooks,
    notify,

    claim: (input: Partial<ClaimInput> = {}): Claim =>
      data.run('claimDeliveries', {
        node: 'a',
        now: noon,
        lostAt: noon + 60_000,
        limit: 16,
        maxUnderWay: 64,
        maxPerHost: 4,
        maxLong: 8,
        pausedHosts: [],
        underWay: [],
        after: 0,
        ...input,
      }) as Claim,

    finish: (...finished: readonly (Pick<Finished, 'form' | 'id'> & Partial<Finished>)[]): void =>
      void data.run(
        'finishDeliveries',
        finished.map((one) => ({
          attempt: 1,
          outcome: { state: 'delivered' },
          log: { at: noon, milliseconds: 12, status: 200, error: null, answer: 'ok' },
          disabledReason: null,
          ...one,
        })),
      ),

    deliveries: () => rowsOf<DeliveryRow>(data.folder, 'SELECT * FROM deliveries ORDER BY form, id'),
    receivers: () => rowsOf(data.folder, 'SELECT * FROM receivers ORDER BY number'),
    receiverCount: (formId = data.formId) =>
      rowsOf(data.folder, 'SELECT receiver_count AS count FROM forms WHERE id = ?', formId)[0]?.count,

    /** The counts of the receivers agree with their deliveries. */
    countsAreExact: (): boolean =>
      rowsOf(
        data.folder,
        `SELECT r.number FROM receivers r WHERE
          r.pending_count <> (SELECT count(*) FROM deliveries d WHERE d.receiver = r.number AND d.state = 'pending') OR
          r.delivered_count <> (SELECT count(*) FROM deliveries d WHERE d.receiver = r.number AND d.state = 'delivered') OR
          r.failed_count <> (SELECT count(*) FROM deliveries d WHERE d.receiver = r.number AND d.state = 'failed') OR
          r.skipped_count <> (SELECT count(*) FROM deliveries d WHERE d.receiver = r.number AND d.state = 'skipped')`,
      ).length === 0,
  }
}

export const failure = { at: noon, milliseconds: 9, status: 500, error: 'The receiver responded with 500', answer: '' }
