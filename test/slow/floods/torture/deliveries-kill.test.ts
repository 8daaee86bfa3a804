import { expect, test } from 'bun:test'
import { addWebhook, allowed, startReceiver } from '../../../deliveries/receiver.ts'
import { temporaryFolder, writeKey, writeUser } from '../../../harness.ts'
import { startLoad } from '../../../load.ts'
import { startSmtp } from '../../../mail/smtp-server.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { caller, faultsOf, isLong, startProcess, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const rounds = isLong ? 50 : 3

test(
  'SIGKILL while submissions come in forgets no delivery: each is made with its identifier, a few of them again',
  async () => {
    const folder = temporaryFolder()
    const id = writeUser(folder, 'ada@example.com')
    const { key } = writeKey(folder, id)
    // Some answers come late, so that a kill meets attempts in each of their phases.
    const receiver = startReceiver(async (_, position) => {
      await Bun.sleep(position % 5 === 0 ? 30 : 0)
      return new Response(null, { status: 204 })
    })
    const answered: string[] = []
    let formId = ''
    for (let round = 0; round < rounds; round++) {
      const server = await startProcess({ folder, settings: allowed })
      if (round === 0) {
        formId = (await caller(server.url, key)('POST', '/forms', { title: 'Contact' })).body.id
        for (const path of ['a', 'b']) addWebhook(folder, { id }, formId, `${receiver.url}/${path}`)
      }
      const before = receiver.arrived.length
      const load = startLoad({ url: server.url, formId, run: String(round), connections: 2 })
      await load.reached(20)
      await until(() => receiver.arrived.length > before + 5, 'more have arrived', slowly)
      await Bun.sleep(Math.random() * 200)
      server.kill('SIGKILL')
      expect((await server.ended()).signal).toBe('SIGKILL')
      await load.stop()
      expect([...load.refused]).toEqual([])
      answered.push(...load.answered.map((one) => one.id))
      expect(faultsOf(folder)).toEqual([])
    }

    const startedAt = performance.now()
    await startProcess({ folder, settings: allowed })
    const waiting = () =>
      rowsOf<{ count: number }>(folder, "SELECT count(*) AS count FROM deliveries WHERE state = 'pending'")[0]?.count
    await until(
      async () => {
        await Bun.sleep(50)
        return waiting() === 0
      },
      'nothing waits to be delivered',
      slowly,
    )
    const seconds = (performance.now() - startedAt) / 1000
    const rows = rowsOf<{ id: string; submission: string; state: string; path: string }>(
      folder,
      `SELECT d.id, submission, state, substr(r.target, -1) AS path FROM deliveries d JOIN receivers r ON r.number = receiver`,
    )
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['delivered']))
    // One for each submission and receiver: for each that was answered, and for those that were stored just before a kill.
    const stored = rowsOf(folder, 'SELECT id FROM submissions')
    expect(rows).toHaveLength(2 * stored.length)
    const told = new Set(rows.map(({ submission, path }) => `${submission} ${path}`))
    expect(answered.filter((one) => !told.has(`${one} a`) || !told.has(`${one} b`))).toEqual([])
    const idOf = ({ headers }: { headers: Headers }) => headers.get('webhook-id') as string
    const arrived = Map.groupBy(receiver.arrived, idOf)
    expect(rows.filter((row) => !arrived.has(row.id))).toEqual([])
    expect(arrived.size).toBe(rows.length)
    // The same identifier always tells of the same submission.
    const expected = new Map(rows.map((row) => [row.id, row.submission]))
    expect(receiver.arrived.filter((one) => JSON.parse(one.body).data.id !== expected.get(idOf(one)))).toEqual([])
    const repeated = receiver.arrived.length - rows.length
    expect(repeated).toBeLessThanOrEqual(rounds * 4)
    tell(
      `${rounds} kills, ${answered.length} submissions, ${rows.length} deliveries, ${repeated} of them again because of a ` +
        `kill; the last ones ${seconds.toFixed(1)} s after the last start`,
    )
    expect(faultsOf(folder)).toEqual([])
  },
  timeout,
)

test(
  'SIGKILL while a digest is sent sends it again as the same mail, and forgets no submission',
  async () => {
    const folder = temporaryFolder()
    const id = writeUser(folder, 'ada@example.com')
    const { key } = writeKey(folder, id)
    // The first mail arrives, but its answer does not.
    const smtp = await startSmtp({ '.': () => (smtp.mails.length === 1 ? '' : '250 2.0.0 Ok') })
    const settings = {
      FORMBOX_MAIL_URL: `smtp://127.0.0.1:${smtp.port}`,
      FORMBOX_MAIL_FROM: 'forms@example.com',
      FORMBOX_URL: 'https://forms.example.com',
    }
    const begin = async () => {
      const server = await startProcess({ folder, settings })
      return { server, call: caller(server.url, key) }
    }
    const first = await begin()
    const path = `/forms/${(await first.call('POST', '/forms', { title: 'Contact' })).body.id}`
    const notify = [{ address: 'ada@example.com', digest: 'day' }]
    await first.call('PATCH', `${path}/settings`, { notify })
    for (let n = 0; n < 3; n++)
      await fetch(`${first.server.url}${path.replace('/forms', '/s')}`, {
        method: 'POST',
        body: new URLSearchParams({ n: String(n) }),
      })
    const deliveries = () =>
      rowsOf<{ id: string; kind: string; state: string; attempts: number }>(
        folder,
        'SELECT id, kind, state, attempts FROM deliveries',
      )
    const digest = deliveries()[0]?.id
    // Instead of waiting for the morning.
    await first.call('POST', `${path}/deliveries/${digest}/retry`)
    await until(() => smtp.mails.length === 1, 'it is being sent', slowly)
    first.server.kill('SIGKILL')
    expect((await first.server.ended()).signal).toBe('SIGKILL')
    expect(faultsOf(folder)).toEqual([])
    const second = await begin()
    await until(() => deliveries()[0]?.state === 'delivered', 'it is delivered', slowly)
    expect(deliveries()).toMatchObject([{ id: digest, kind: 'digest', attempts: 2 }])
    expect(smtp.mails).toHaveLength(2)
    const messageIds = smtp.mails.map((mail) => /^Message-ID: (.*)\r$/im.exec(mail)?.[1])
    expect(messageIds[0]).toBe(messageIds[1])
    for (const mail of smtp.mails) expect(mail).toContain('Subject: 3 submissions: Contact')
    second.server.kill('SIGKILL')
    await second.server.ended()
    expect(faultsOf(folder)).toEqual([])
  },
  timeout,
)
