// What a server sends its Worker while two-user worlds, visitors, receivers and jobs keep it busy: the log that machines
// of a cluster would execute.
import { join } from 'node:path'
import fc from 'fast-check'
import { prepareDataFolder } from '../../src/storage/data-folder.ts'
import { fromMessage, toMessage } from '../../src/storage/writer/messages.ts'
import { startReceiver } from '../deliveries/receiver.ts'
import { addKey, afterThisTest, startServer, temporaryFolder, type User, writeTo, writeUser } from '../harness.ts'
import { startSmtp } from '../mail/smtp-server.ts'
import { solve } from '../solve.ts'
import { Model } from '../torture/model.ts'
import { step, take } from '../torture/model-calls.ts'
import { until } from '../until.ts'
import { createUser, visit } from '../visitor.ts'

interface Recorded {
  /** The data file with which the log begins. */
  readonly seed: string
  /** Batches, as the Worker got them. */
  readonly rows: readonly string[]
  /** Where the server ran. */
  readonly folder: string
}

const hour = 3_600_000
const day = 24 * hour

/** How far each server's clock is ahead, or after the arrow, in the middle of its work. Old spam and deliveries go. */
const clocks = [
  [0, -2 * hour],
  [40 * day, 40 * day + 2 * hour],
  [140 * day, 100 * day],
] as const

/** @param worlds how many pairs of users make random calls at the same time, on each of three servers in a row */
export const recordLog = async (worlds: number): Promise<Recorded> => {
  const folder = temporaryFolder()
  const seed = join(temporaryFolder(), 'seed.db')
  prepareDataFolder(folder)
  let ahead = 0
  let server: Awaited<ReturnType<typeof startServer>> | undefined
  const target = {
    folder,
    fetch: (path: string, init?: RequestInit) => (server as NonNullable<typeof server>).fetch(path, init),
  }
  // They are written past the Worker, so all of them before the log begins.
  const signUp = (email: string): User => addKey(target, writeUser(folder, email), email)
  const pairs = clocks.map((_, round) =>
    Array.from({ length: worlds }, (__, world) =>
      ['a', 'b'].map((name) => signUp(`${name}${world}-${round}@example.com`)),
    ),
  )
  const busy = signUp('busy@example.com')
  await createUser({ folder })
  writeTo(folder, ({ $client }) => $client.query('VACUUM INTO ?').run(seed))

  const rows = recordBatches()
  const settings = await receivers()
  for (const [round, [first, second]] of clocks.entries()) {
    ahead = first
    server = await startServer({ folder, settings: settings.environment, now: () => Date.now() + ahead })
    await Promise.all([...(pairs[round] ?? []).map(live), keepBusy(server, busy, settings.url), signInAndOut(server)])
    ahead = second
    await Promise.all([keepBusy(server, busy, settings.url), solveChallenge(server, busy)])
    await server.stop()
  }
  return { seed, rows, folder }

  async function live(users: User[]): Promise<void> {
    const model = new Model()
    for (const taken of fc.sample(fc.array(step, { minLength: 20, maxLength: 40, size: 'max' }), 1)[0] ?? [])
      await take(taken, users, model, target.fetch)
  }
}

/** Every batch that gets a Worker which starts from now on. Others may be those of servers that test files share. */
const recordBatches = (): string[] => {
  const rows: string[] = []
  const { Worker } = globalThis
  globalThis.Worker = class extends Worker {
    override postMessage(message: unknown, ...rest: never[]): void {
      if (typeof message === 'string' && message.startsWith('[')) rows.push(message)
      // With the bytes of a file.
      if (typeof message === 'object' && message !== null && 'text' in message)
        rows.push(toMessage(fromMessage(message as Exclude<Parameters<typeof fromMessage>[0], string>)))
      super.postMessage(message, ...rest)
    }
  }
  afterThisTest(() => {
    globalThis.Worker = Worker
  })
  return rows
}

/** A receiver of webhooks that is not always well, and a mail server. */
const receivers = async () => {
  const { url } = startReceiver(
    (_, position) => new Response('no', { status: [204, 500, 204, 429][position % 4] ?? 204 }),
  )
  const smtp = await startSmtp()
  const environment = {
    FORMBOX_WEBHOOK_ALLOW: '127.0.0.1',
    FORMBOX_MAIL_URL: `smtp://127.0.0.1:${smtp.port}`,
    FORMBOX_MAIL_FROM: 'forms@example.com',
    FORMBOX_URL: 'https://forms.example.com',
  }
  return { url, environment }
}

type Server = Awaited<ReturnType<typeof startServer>>

/** A form that gets much at once: long texts, spam, more than an address is told one by one; and what its owner does. */
const keepBusy = async (server: Server, user: User, url: string): Promise<void> => {
  const formId = await user.createForm({ title: 'Busy' })
  const path = `/forms/${formId}`
  await user.call('PATCH', `${path}/settings`, {
    notify: [user.email, 'Other@Example.com'],
    blockedTerms: ['casino'],
    spamDays: 7,
    learnSpam: true,
  })
  const hook = (await user.call('POST', `${path}/webhooks`, { url })).body.id as string
  await user.call('POST', `${path}/webhooks`, { url, only: { field: 'number', equals: '7' }, headers: { 'X-A': 'b' } })
  await user.call('POST', `${path}/webhooks`, { url: `${url}/message?token=secret`, format: 'gotify' })
  const send = (from: number, to: number, more: object = {}) =>
    Promise.all(
      Array.from({ length: to - from }, (_, i) =>
        server.submit(formId, {
          number: from + i,
          [`field ${i % 7}`]: 'x'.repeat([5, 5000, 1, 10][i % 4] as number),
          ...more,
        }),
      ),
    )
  const first = await send(0, 40)
  await send(0, 8, { text: 'the best Casino' })
  await send(0, 2, { text: 'z'.repeat(140_000) })
  await send(0, 4, { _gotcha: 'yes' })
  for (const more of [{}, { _gotcha: 'yes' }]) await send(0, 10, { _idempotency: 'click', ...more })
  await Promise.all([send(0, 10, { _idempotency: 'click' }), send(0, 10, { _idempotency: 'click' })])
  await send(
    0,
    3,
    Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`long name ${'n'.repeat(i % 50)} ${i}`, i])),
  )
  await send(40, 110)
  const { spam } = (await user.call('GET', `${path}/spam`)).body as { spam: { id: string }[] }
  for (const { id } of spam.slice(0, 3)) await user.call('POST', `${path}/spam/${id}/accept`)
  for (const id of first.slice(0, 5)) await user.call('POST', `${path}/submissions/${id}/spam`)
  await user.call('DELETE', `${path}/submissions/bulk`, { ids: first.slice(10, 30) })
  await user.call('POST', `${path}/webhooks/${hook}/rotate`)
  const { deliveries } = (await user.call('GET', `${path}/deliveries`)).body as { deliveries: { id: string }[] }
  for (const { id } of deliveries.slice(0, 3)) await user.call('POST', `${path}/deliveries/${id}/retry`)
  await user.call('PATCH', `${path}/webhooks/${hook}`, { enabled: false })
  const named = { 'idempotency-key': `copy of ${formId}`.replaceAll(' ', '-') }
  const duplicate = () => user.call('POST', `${path}/duplicate`, undefined, named)
  const copy = (await duplicate()).body.id as string
  await duplicate()
  for (const title of ['One', 'Two'])
    await user.call('POST', '/forms/bulk', { forms: [{ title }, { title }] }, { 'idempotency-key': title })
  await user.call('PATCH', `${path}/settings`, { notify: ['other@example.com'] })
  await send(110, 115)
  await user.call('DELETE', `/forms/${copy}`)
}

const signInAndOut = async (server: Server): Promise<void> => {
  const visitor = visit(server)
  await visitor.signIn()
  await visitor.post('/forms/new', { title: 'By hand' })
  await visitor.post('/sign-out')
  await visitor.signIn()
}

const solveChallenge = async (server: Server, user: User): Promise<void> => {
  const formId = await user.createForm({ title: 'Challenged' })
  await user.call('PATCH', `/forms/${formId}/settings`, { challenge: true })
  const challenge = await (await server.fetch(`/s/${formId}/challenge`)).json()
  await server.submit(formId, { a: 1, _challenge: solve(challenge) })
  await until(
    async () => (await user.call('GET', `/forms/${formId}`)).body.submissionCount === 1,
    'the submission is stored',
  )
}
