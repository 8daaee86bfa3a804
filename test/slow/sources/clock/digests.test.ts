import { describe, expect, test } from 'bun:test'
import { startServer, temporaryFolder } from '../../../harness.ts'
import { mailSettings, type Script, startSmtp, unfolded } from '../../../mail/smtp-server.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'
import { slowly, until } from '../../../until.ts'

const hour = 3_600_000
const day = 24 * hour

/** A form whose owner gets one mail a day, in a zone, with a clock that a test sets. */
const setUp = async (start: string, zone = 'UTC', script?: Script) => {
  const clock = { now: Date.parse(start) }
  const smtp = await startSmtp(script)
  const settings = mailSettings(smtp.port)
  const folder = temporaryFolder()
  const open = () => startServer({ folder, settings, now: () => clock.now })
  let server = await open()
  const ada = await server.signUp()
  const formId = await ada.createForm({ title: 'Contact' })
  const path = `/forms/${formId}`
  const change = async (changes: object) => {
    expect(await server.fetch(`/api/v1${path}/settings`, request('PATCH', changes))).toMatchObject({ status: 200 })
  }
  const request = (method: string, body?: object): RequestInit => ({
    method,
    headers: { authorization: `Bearer ${ada.key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const daily = { address: ada.email, only: null, digest: 'day' }
  await change({ notify: [daily], timeZone: zone })
  const list = async () => {
    const response = await server.fetch(`/api/v1${path}/deliveries`, request('GET'))
    return ((await response.json()) as { deliveries: { kind: string; state: string; nextAttemptAt: string }[] })
      .deliveries
  }

  return {
    clock,
    smtp,
    folder,
    ada,
    path,
    formId,
    daily,
    change,
    list,
    call: (method: string, rest: string, body?: object) => server.fetch(`/api/v1${path}${rest}`, request(method, body)),
    submit: (data: object) => server.submit(formId, data),
    /** When the mails that wait are due. */
    due: async () => (await list()).flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []),
    /** Sets the clock. The service looks at it when something happens, which is another form's first delivery here. */
    async goOn(to: string | number) {
      clock.now = typeof to === 'string' ? Date.parse(to) : to
      await change({
        timeZone: (await (await server.fetch(`/api/v1${path}/settings`, request('GET'))).json()).timeZone,
        open: false,
      })
      await change({ open: true })
    },
    stop: () => server.stop(),
    async restart() {
      server = await open()
    },
    /** The lines of a mail that arrived, its text part first. */
    mail: (number: number) => unfolded(smtp.mails[number] ?? '').split('\r\n'),
  }
}

describe('an address with a daily digest', () => {
  test.each([
    ['UTC', '2026-11-23T12:00:00Z', '2026-11-24T07:00:00.000Z', '2026-11-25T07:00:00.000Z'],
    // The clocks change in the first night.
    ['Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T05:00:00.000Z', '2026-03-30T05:00:00.000Z'],
    ['America/New_York', '2026-10-31T12:00:00Z', '2026-11-01T12:00:00.000Z', '2026-11-02T12:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-04T02:00:00Z', '2026-04-04T20:30:00.000Z', '2026-04-05T20:30:00.000Z'],
    ['Africa/Cairo', '2026-04-23T12:00:00Z', '2026-04-24T04:00:00.000Z', '2026-04-25T04:00:00.000Z'],
    ['Pacific/Apia', '2011-12-29T12:00:00Z', '2011-12-29T17:00:00.000Z', '2011-12-30T17:00:00.000Z'],
  ])('gets one mail at seven in %s, and the next one a day later', async (zone, start, first, second) => {
    const { clock, smtp, submit, due, goOn, mail, list, folder, ada } = await setUp(start, zone)
    await submit({ name: 'Grace', message: 'Hello' })
    clock.now += hour
    await submit({ name: 'Lin' })
    expect(await due()).toEqual([first])
    await goOn(Date.parse(first) - 1000)
    expect(smtp.mails).toHaveLength(0)
    await goOn(first)
    await until(
      async () => smtp.mails.length === 1 && (await list())[0]?.state === 'delivered',
      'the digest is delivered',
    )
    expect(mail(0)).toContain('Subject: 2 submissions: Contact')
    expect(mail(0)).toContain(`To: ${ada.email}`)
    for (const line of ['      name: Grace', '      message: Hello', '      name: Lin']) expect(mail(0)).toContain(line)
    await submit({ name: 'Later' })
    expect(await due()).toEqual([second])
    await goOn(second)
    await until(() => smtp.mails.length === 2, 'the next one has arrived')
    expect(mail(1)).toContain('Subject: 1 submission: Contact')
    expectSound(folder)
  })

  test('or a weekly one, gets it on Monday at seven, after a change of the clocks', async () => {
    const { clock, smtp, submit, change, daily, due, goOn, mail } = await setUp('2026-03-23T12:00:00Z', 'Europe/Berlin')
    await change({ notify: [{ ...daily, digest: 'week' }] })
    await submit({ name: 'Grace' })
    clock.now += 3 * day
    await submit({ name: 'Lin' })
    expect(await due()).toEqual(['2026-03-30T05:00:00.000Z'])
    await goOn('2026-03-30T04:59:59Z')
    expect(smtp.mails).toHaveLength(0)
    await goOn('2026-03-30T05:00:00Z')
    await until(() => smtp.mails.length === 1, 'the digest has arrived')
    expect(mail(0)).toContain('Subject: 2 submissions: Contact')
    await submit({ name: 'Later' })
    expect(await due()).toEqual(['2026-04-06T05:00:00.000Z'])
  })

  test('gets nothing on days without submissions', async () => {
    const { clock, smtp, submit, goOn, list } = await setUp('2026-11-23T12:00:00Z')
    await goOn(clock.now + 5 * day)
    expect(await list()).toEqual([])
    await submit({ name: 'Grace' })
    await goOn(clock.now + day)
    await until(() => smtp.mails.length === 1, 'the digest has arrived')
    await goOn(clock.now + 5 * day)
    expect(await list()).toMatchObject([{ kind: 'digest' }])
    expect(smtp.mails).toHaveLength(1)
  })

  test('gets nothing about what was deleted or marked as spam, and no mail if nothing is left', async () => {
    const { smtp, submit, call, goOn, list, mail, folder } = await setUp('2026-11-23T12:00:00Z')
    const [spam, deleted, kept] = [
      await submit({ n: 'spam' }),
      await submit({ n: 'deleted' }),
      await submit({ n: 'kept' }),
    ]
    await call('POST', `/submissions/${spam}/spam`)
    await call('DELETE', `/submissions/${deleted}`)
    await goOn('2026-11-24T07:00:00Z')
    await until(async () => (await list())[0]?.state === 'delivered', 'the digest is delivered')
    expect(mail(0)).toContain('Subject: 1 submission: Contact')
    expect(mail(0)).toContain('      n: kept')
    expect(smtp.mails[0]).not.toMatch(/n: (spam|deleted)/)
    const last = await submit({ n: 'last' })
    const other = await submit({ n: 'other' })
    await call('POST', `/submissions/${last}/spam`)
    await call('POST', '/submissions/bulk-delete', { ids: [other] })
    await call('DELETE', `/submissions/${other}`)
    expect(await list()).toHaveLength(1)
    await goOn('2026-11-25T07:00:00Z')
    expect(smtp.mails).toHaveLength(1)
    // It is told when it comes back, and once.
    await call('POST', `/spam/${last}/accept`)
    await call('POST', `/spam/${spam}/accept`)
    await goOn('2026-11-26T07:00:00Z')
    await until(() => smtp.mails.length === 2, 'the digest has arrived')
    expect(mail(1)).toContain('Subject: 2 submissions: Contact')
    expect(smtp.mails[1]).not.toContain('n: kept')
    await call('DELETE', `/submissions/${kept}`)
    expectSound(folder)
  })

  test('gets what it missed once, after the server was off at seven', async () => {
    const { clock, smtp, submit, stop, restart, mail, list, due } = await setUp('2026-11-23T12:00:00Z')
    for (const n of [1, 2, 3]) await submit({ n })
    await stop()
    clock.now = Date.parse('2026-11-27T16:00:00Z')
    await restart()
    await until(async () => (await list())[0]?.state === 'delivered', 'the digest is delivered', slowly)
    expect(smtp.mails).toHaveLength(1)
    expect(mail(0)).toContain('Subject: 3 submissions: Contact')
    await submit({ n: 4 })
    expect(await due()).toEqual(['2026-11-28T07:00:00.000Z'])
  })

  test('gets what waits at the time of a zone that is set meanwhile, earlier or later', async () => {
    const { submit, change, due, goOn, smtp } = await setUp('2026-11-23T12:00:00Z')
    await submit({ n: 1 })
    expect(await due()).toEqual(['2026-11-24T07:00:00.000Z'])
    await change({ timeZone: 'america/los_angeles' })
    expect(await due()).toEqual(['2026-11-23T15:00:00.000Z'])
    await change({ timeZone: 'Asia/Kathmandu' })
    expect(await due()).toEqual(['2026-11-24T01:15:00.000Z'])
    await goOn('2026-11-24T01:15:00Z')
    await until(() => smtp.mails.length === 1, 'the digest has arrived')
    expect(smtp.mails[0]).toContain('Asia/Kathmandu')
  })

  test('gets what was gathered in one mail, and the rest one by one, after that was chosen', async () => {
    const { ada, daily, submit, change, list, goOn, smtp } = await setUp('2026-11-23T12:00:00Z')
    await submit({ n: 1 })
    await change({ notify: [ada.email] })
    await submit({ n: 2 })
    await until(() => smtp.mails.length === 1, 'the mail of the second one has arrived')
    await change({ notify: [daily] })
    await submit({ n: 3 })
    expect((await list()).map(({ kind, state }) => `${kind} ${state}`)).toEqual(['email delivered', 'digest pending'])
    await goOn('2026-11-24T07:00:00Z')
    await until(() => smtp.mails.length === 2, 'the digest has arrived')
    expect(smtp.mails[1]).toContain('Subject: 2 submissions: Contact')
  })

  test('that is not the owner’s is told once that it was added, and stops its digests with one click', async () => {
    const { change, daily, submit, goOn, smtp, list, call, folder } = await setUp('2026-11-23T12:00:00Z')
    const grace = 'grace@example.org'
    await change({ notify: [daily, { address: grace, digest: 'day' }] })
    await until(() => smtp.mails.length === 1, 'it is told')
    expect(smtp.mails[0]).toContain(`To: ${grace}`)
    await change({ notify: [daily, grace] })
    await change({ notify: [daily, { address: grace, digest: 'day' }] })
    await submit({ n: 1 })
    await goOn('2026-11-24T07:00:00Z')
    const isPending = ({ state }: { state: string }) => state === 'pending'
    await until(async () => smtp.mails.length === 3 && !(await list()).some(isPending), 'two digests are delivered')
    const toGrace = smtp.mails.find((mail) => mail.includes(`To: ${grace}`) && mail.includes('1 submission'))
    const [, stop = ''] = /List-Unsubscribe:\s+<https:\/\/forms\.example\.com([^>]+)>/.exec(toGrace ?? '') ?? []
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { url } = await call('GET', '/settings')
    const stopped = await fetch(new URL(stop, url), { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' })
    expect(stopped.status).toBe(200)
    expect((await (await call('GET', '/settings')).json()).notify).toEqual([daily])
    await submit({ n: 2 })
    expect((await list()).filter(isPending)).toHaveLength(1)
    expect(rowsOf(folder, "SELECT count(*) AS count FROM deliveries WHERE kind = 'added'")).toEqual([{ count: 1 }])
  })

  test('gets the newest fifty of many, long ones among them, and the number of the others', async () => {
    const { submit, goOn, smtp, mail } = await setUp('2026-11-23T12:00:00Z')
    for (let n = 0; n < 120; n++) await submit({ n, text: 'x'.repeat(n % 3 === 0 ? 200_000 : 100) })
    await goOn('2026-11-24T07:00:00Z')
    await until(() => smtp.mails.length === 1, 'the digest has arrived')
    expect(mail(0)).toContain('Subject: 120 submissions: Contact')
    expect(smtp.mails[0]).toContain('70 more submissions')
    const shown = mail(0).filter((line) => /^ {6}n: \d+$/.test(line))
    expect(shown.map((line) => Number(line.slice(9)))).toEqual(Array.from({ length: 50 }, (_, i) => 119 - i))
    expect(Buffer.byteLength(smtp.mails[0] ?? '')).toBeLessThan(200_000)
  })

  test('gets it at the next try if the mail server was away, and only once', async () => {
    const state = { isAway: true }
    const script = { RCPT: () => (state.isAway ? '451 4.3.0 Later' : '250 2.1.5 Ok') }
    const { clock, submit, goOn, smtp, list, mail, call } = await setUp('2026-11-23T12:00:00Z', 'UTC', script)
    const gone = await submit({ n: 1 })
    await submit({ n: 2 })
    await goOn('2026-11-24T07:00:00Z')
    await until(() => smtp.lines.some((line) => line.startsWith('RCPT')), 'it was tried')
    // What comes meanwhile is for the next one.
    await until(async () => (await list())[0]?.state === 'pending', 'it waits')
    await submit({ n: 3 })
    await call('DELETE', `/submissions/${gone}`)
    state.isAway = false
    await goOn(clock.now + hour)
    await until(() => smtp.mails.length === 1, 'the digest has arrived')
    expect(mail(0)).toContain('Subject: 1 submission: Contact')
    expect(mail(0)).toContain('      n: 2')
    await goOn('2026-11-25T07:00:00Z')
    await until(() => smtp.mails.length === 2, 'the next one has arrived')
    expect(mail(1)).toContain('      n: 3')
  })

  test('with a condition gets what met it when it was sent, in a digest as in mails one by one', async () => {
    const { ada, change, submit, goOn, smtp, mail } = await setUp('2026-11-23T12:00:00Z')
    const only = { field: 'topic', equals: 'sales' }
    await change({ notify: [{ address: ada.email, only, digest: 'day' }] })
    await submit({ topic: 'Support', n: 1 })
    await submit({ topic: 'SALES', n: 2 })
    // What was gathered stays, and what was not does not come.
    await change({ notify: [{ address: ada.email, only: { field: 'topic', equals: 'Support' }, digest: 'day' }] })
    await submit({ topic: 'Sales', n: 3 })
    await goOn('2026-11-24T07:00:00Z')
    await until(() => smtp.mails.length === 1, 'the digest has arrived')
    expect(mail(0)).toContain('Subject: 1 submission: Contact')
    expect(mail(0)).toContain('      n: 2')
    await submit({ topic: 'Sales', n: 4 })
    await goOn('2026-11-25T07:00:00Z')
    await change({ notify: [{ address: ada.email, only }] })
    await submit({ topic: 'Support', n: 5 })
    await submit({ topic: ['a', 'Sales'], n: 6 })
    await until(() => smtp.mails.length === 2, 'the mail of one has arrived')
    expect(mail(1).join()).toContain('n:,      6')
  })
})
