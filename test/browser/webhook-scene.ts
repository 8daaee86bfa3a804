import { derivedId } from '../../src/base/id.ts'
import { type Server, type User, writeTo } from '../harness.ts'

const minute = 60_000

/** Webhooks in every state and with long names, and deliveries of all kinds. Nothing is due. Returns a webhook. */
export const addWebhooks = async (server: Server, ada: User, form: string): Promise<string> => {
  const add = async (body: object): Promise<string> => (await ada.call('POST', `/forms/${form}/webhooks`, body)).body.id
  const submissions: string[] = []
  for (const name of ['Björn Ångström', 'نورا الحسيني', 'Sam', 'Priya Raghunathan'])
    submissions.push(await server.submit(form, { name, message: 'Hello' }))
  const calendar = await add({ url: 'https://calendar.example.com/hooks/formbox', description: 'Booking calendar' })
  const n8n = await add({ url: `http://n8n.lan:5678/webhook/${'6f1d2c9e-'.repeat(40)}` })
  const chat = await add({ url: 'https://hooks.example/services/T0/B0', format: 'slack', description: 'W'.repeat(200) })

  const now = Date.now()
  const failure = {
    at: now - 3 * minute,
    milliseconds: 1204,
    status: 500,
    error: 'The receiver responded with 500',
    answer: `${'x'.repeat(490)}\u202e`,
  }
  const refused = { ...failure, at: now - minute, status: null, error: 'The connection was refused', answer: '' }
  const success = { at: now, milliseconds: 87, status: 204, error: null, answer: '' }
  const rows = [
    { state: 'pending', attempts: 2, log: [failure, refused], due: now + 30 * minute },
    { state: 'delivered', attempts: 1, log: [{ ...success, status: 200, answer: 'ok\nthanks' }], due: 0 },
    { state: 'failed', attempts: 10, log: [failure, refused, failure], due: 0 },
    { state: 'delivered', attempts: 3, log: [failure, refused, success], due: 0 },
    { state: 'failed', attempts: 0, log: [], due: 0 },
  ]
  writeTo(server.folder, ({ $client }) => {
    const mail = derivedId(form, 'mail')
    $client.run(
      `INSERT INTO receivers (id, form, kind, target, host) SELECT ?, form, 'email', ?, 'mail' FROM receivers WHERE id = ?`,
      [mail, `${'ada.'.repeat(14)}@example.com`, n8n],
    )
    const insert = (
      receiver: string,
      kind: string,
      submission: string,
      { state, attempts, log, due }: (typeof rows)[0],
      count: number | null = null,
    ) =>
      $client.run(
        `INSERT INTO deliveries (form, id, receiver, kind, submission, count, state, attempts, log, due_at)
         SELECT form, ?, number, ?, ?, ?, ?, ?, ?, ? FROM receivers WHERE id = ?`,
        [
          derivedId(submission, receiver, kind),
          kind,
          submission,
          count,
          state,
          attempts,
          JSON.stringify(log),
          due,
          receiver,
        ],
      )
    submissions.forEach((submission, n) => {
      insert(n8n, 'webhook', submission, rows[n] as (typeof rows)[0])
      insert(mail, 'email', submission, rows[n + 1] as (typeof rows)[0])
    })
    insert(chat, 'webhook', submissions[0] as string, rows[4] as (typeof rows)[0])
    insert(mail, 'digest', submissions[0] as string, rows[2] as (typeof rows)[0], 1204)
    for (const state of ['pending', 'delivered', 'failed'])
      $client.run(
        `UPDATE receivers SET ${state}_count = (SELECT count(*) FROM deliveries WHERE receiver = number AND state = '${state}')`,
      )
    $client.run('UPDATE receivers SET failing_since = ? WHERE id = ?', [now - 90 * minute, n8n])
    $client.run(
      `UPDATE receivers SET is_enabled = 0, disabled_reason = 'Every delivery of the last five days failed.' WHERE id = ?`,
      [chat],
    )
  })
  return calendar
}
