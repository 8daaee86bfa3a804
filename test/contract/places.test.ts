// An option with places is given as often as its owner says, and no more, whatever happens to submissions.
import { describe, expect, test } from 'bun:test'
import { type Answer, startServer, toAnswer } from '../harness.ts'
import { readPage } from '../read-page.ts'
import { solve } from '../solve.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { siteWorld, type Wanted, world } from '../world.ts'

const browser = { accept: 'text/html' }
const shift = { name: 'shift', type: 'choice', options: ['Morning', 'Evening', 'Night'] }
const withPlaces = (places: object, rest: object = {}) => [{ ...shift, places, ...rest }]

const limited = (places: object, form: object = {}, wanted: Wanted = {}) =>
  world({ ...wanted, form: { fields: withPlaces(places), ...form } })

const statuses = (answers: readonly Answer[], wanted: number): number =>
  answers.filter(({ status }) => status === wanted).length

describe('an option with places', () => {
  test('is refused once it is full, with the rule and the place of the value', async () => {
    const { send, submissions, server, change } = await limited({ Morning: 1, Night: 0 })
    expect((await send({ shift: ' Morning ' })).status).toBe(200)
    const full = {
      message: 'shift: must be an option with a place left; “Morning” is full',
      path: '/shift',
      rule: 'full',
      text: '“Morning” is full. Choose another option.',
    }
    expect(await send({ shift: 'Morning' })).toMatchObject({ status: 400, body: { issues: [full] } })
    expect((await send({ shift: 'Night' })).body.issues[0].rule).toBe('full')
    expect((await send({ shift: 'Evening' })).status).toBe(200)
    await change({ fields: [{ ...shift, type: 'choices', places: { Morning: 1, Night: 0 } }] })
    const several = await send({ shift: ['Evening', 'Morning', 'Evening', 'Night'] })
    expect(several.body.issues.map(({ path, rule }: { path: string; rule: string }) => [path, rule])).toEqual([
      ['/shift/1', 'full'],
      ['/shift/3', 'full'],
    ])
    expect(await submissions()).toHaveLength(2)
    expectSound(server.folder)
  })

  test('takes all places of a submission, or none', async () => {
    const { send } = await world({
      form: { fields: [{ ...shift, type: 'choices', places: { Morning: 1, Evening: 2 } }] },
    })
    expect((await send({ shift: ['Morning', 'Morning'] })).status).toBe(200)
    expect((await send({ shift: ['Evening', 'Morning'] })).status).toBe(400)
    expect(statuses([await send({ shift: ['Evening'] }), await send({ shift: ['Evening'] })], 200)).toBe(2)
    expect((await send({ shift: ['Evening'] })).status).toBe(400)
  })

  test('is given exactly as often to 256 senders at once, for one option and for forty', async () => {
    const server = await startServer({ settings: { FORMBOX_SUBMIT_LIMIT: '0' } })
    const one = await limited({ Morning: 70 }, {}, { server })
    const answers = await Promise.all(Array.from({ length: 256 }, () => one.send({ shift: 'Morning' })))
    expect([statuses(answers, 200), statuses(answers, 400)]).toEqual([70, 186])
    expect((await one.form()).submissionCount).toBe(70)

    const options = Array.from({ length: 40 }, (_, n) => `Table ${n}`)
    const places = Object.fromEntries(options.map((option, n) => [option, n % 5]))
    const many = await world({ server, form: { fields: [{ name: 'table', type: 'choice', options, places }] } })
    const sent = await Promise.all(
      Array.from({ length: 400 }, (_, n) => many.send({ table: options[(n * 7) % 40], n })),
    )
    expect(statuses(sent, 200)).toBe(8 * (0 + 1 + 2 + 3 + 4))
    const taken = rowsOf<{ option: string; count: number }>(
      server.folder,
      `SELECT data ->> '$.table' AS option, count(*) AS count FROM submissions JOIN forms ON number = form
       WHERE forms.id = ? GROUP BY 1`,
      many.formId,
    )
    for (const { option, count } of taken) expect(count).toBe(places[option] as number)
    expectSound(server.folder)
  })

  test('is free again when its submission is deleted or becomes spam, and “Not spam” needs one', async () => {
    const { send, ada, path, server, spam } = await limited({ Morning: 1 })
    const take = async () => (await send({ shift: 'Morning' })).body.id as string | undefined
    const first = await take()
    expect(await take()).toBeUndefined()
    expect((await ada.call('POST', `${path}/submissions/${first}/spam`)).status).toBe(200)
    const second = await take()
    expect(second).toBeString()
    const refused = await ada.call('POST', `${path}/spam/${first}/accept`)
    expect([refused.status, refused.body.issues[0].message]).toEqual([
      400,
      'shift: must have a place left; “Morning” is full',
    ])
    expect(await spam()).toHaveLength(1)
    expect((await ada.call('DELETE', `${path}/submissions/${second}`)).status).toBe(200)
    expect((await ada.call('POST', `${path}/spam/${first}/accept`)).status).toBe(200)
    expect(await take()).toBeUndefined()
    expectSound(server.folder)
  })

  test('is given back by erasing a person', async () => {
    const { send, ada, server } = await limited(
      { Morning: 1 },
      { fields: [...withPlaces({ Morning: 1 }), { name: 'email', type: 'email' }] },
    )
    expect((await send({ shift: 'Morning', email: 'una@example.com' })).status).toBe(200)
    expect((await send({ shift: 'Morning', email: 'ada@example.com' })).status).toBe(400)
    expect((await ada.call('POST', '/personal-data/erase', { value: 'una@example.com', count: 1 })).body.erased).toBe(1)
    expect((await send({ shift: 'Morning', email: 'ada@example.com' })).status).toBe(200)
    expectSound(server.folder)
  })

  test('is taken by no spam, which gets the same answer; the trap is not asked', async () => {
    const { send, spam, server } = await limited({ Morning: 1 }, { blockedTerms: ['casino'] })
    for (const text of ['casino', 'Casino']) expect((await send({ shift: 'Morning', text })).status).toBe(200)
    expect((await send({ shift: 'Morning' })).status).toBe(200)
    expect((await send({ shift: 'Morning', text: 'casino' })).body.issues[0].rule).toBe('full')
    expect((await send({ shift: 'Morning', _gotcha: 'x' })).status).toBe(200)
    expect(await spam()).toHaveLength(3)
    expect(rowsOf(server.folder, 'SELECT 1 FROM claims JOIN forms ON number = form WHERE spam_count = 3')).toHaveLength(
      1,
    )
    expectSound(server.folder)
  })

  test('does not refuse a repeat, and a refused one is no first request', async () => {
    const { send, ada, path } = await limited({ Morning: 1 })
    const [mine, other] = [{ 'idempotency-key': crypto.randomUUID() }, { 'idempotency-key': crypto.randomUUID() }]
    const { body } = await send({ shift: 'Morning' }, mine)
    expect((await send({ shift: 'Morning' }, other)).status).toBe(400)
    expect((await send({ shift: 'Morning' }, mine)).body.id).toBe(body.id)
    await ada.call('DELETE', `${path}/submissions/${body.id}`)
    const again = await send({ shift: 'Morning' }, other)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null])
  })

  test('spends no proof of work when it is full', async () => {
    const { send, server, formId, change } = await limited({ Morning: 0 })
    await change({ challenge: true })
    const spent = () => rowsOf(server.folder, 'SELECT random FROM spent_challenges')
    const before = spent()
    const _challenge = solve((await toAnswer(await server.fetch(`/s/${formId}/challenge`))).body)
    expect((await send({ shift: 'Morning', _challenge })).body.issues[0].rule).toBe('full')
    expect((await send({ shift: 'Morning' })).body.issues[0].rule).toBe('full')
    expect(spent()).toEqual(before)
    expect((await send({ shift: 'Evening', _challenge })).status).toBe(200)
  })

  test('goes on counting through another owner, and begins anew in a copy', async () => {
    const { send, ada, path, formId, server } = await limited({ Morning: 1 })
    await send({ shift: 'Morning' })
    const grace = await server.signUp()
    await ada.call('POST', `${path}/members`, { email: grace.email, role: 'reader' })
    const copy = (await ada.call('POST', `${path}/duplicate`)).body.id
    expect((await ada.call('POST', `/forms/${formId}/owner`, { email: grace.email })).status).toBe(200)
    expect((await send({ shift: 'Morning' })).status).toBe(400)
    const headers = { 'content-type': 'application/json' }
    const sendTo = (id: string) =>
      server.fetch(`/s/${id}`, { method: 'POST', headers, body: JSON.stringify({ shift: 'Morning' }) })
    expect((await sendTo(copy)).status).toBe(200)
    expect((await sendTo(copy)).status).toBe(400)
    expect((await ada.call('DELETE', `/forms/${copy}`)).status).toBe(200)
    await until(
      async () => rowsOf(server.folder, 'SELECT 1 FROM forms WHERE id = ?', copy).length === 0,
      'the copy is removed',
    )
    expectSound(server.folder)
  })

  test('counts imports without refusing any, and gives back what is taken back', async () => {
    const { send, ada, path, server, formId } = await limited({ Morning: 3 })
    await send({ shift: 'Morning' })
    const headers = { authorization: `Bearer ${ada.key}`, 'content-type': 'text/csv' }
    const long = 'x'.repeat(5000)
    const body = `shift,text,Date\nMorning,a,2026-01-01\nMorning,${long},2026-01-02\nMorning,c,2026-01-03\nNight,d,2026-01-04\n`
    const imported = await toAnswer(
      await server.fetch(`/api/v1${path}/imports?date=Date&timeZone=UTC`, { method: 'POST', headers, body }),
    )
    const ended = (state: string) =>
      until(
        async () => (await ada.call('GET', `${path}/imports/${imported.body.id}`)).body.state === state,
        `the import is ${state}`,
      )
    await ended('done')
    expect((await send({ shift: 'Morning' })).status).toBe(400)
    expectSound(server.folder)
    expect((await ada.call('DELETE', `${path}/imports/${imported.body.id}`)).status).toBe(200)
    await ended('removed')
    const answers = [
      await send({ shift: 'Morning' }),
      await send({ shift: 'Morning' }),
      await send({ shift: 'Morning' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400])
    const taken = 'SELECT taken FROM limits JOIN forms ON forms.number = form WHERE forms.id = ?'
    expect(rowsOf(server.folder, taken, formId)).toEqual([{ taken: 3 }])
    expectSound(server.folder)
  })

  test('counts what is there when it is switched on; lowered or renamed, it refuses only what comes', async () => {
    const { send, change, server, submissions } = await world({
      form: { fields: [shift] },
      sent: [...Array.from({ length: 5 }, () => ({ shift: 'Morning' })), { shift: 'Night' }],
    })
    const set = async (places: object, options = shift.options) => {
      expect((await change({ fields: [{ ...shift, options, places }] })).status).toBe(200)
      await until(
        async () => rowsOf(server.folder, 'SELECT 1 FROM limits WHERE count_from IS NOT NULL').length === 0,
        'all is counted',
      )
      expectSound(server.folder)
    }
    await set({ Morning: 6 })
    expect((await send({ shift: 'Morning' })).status).toBe(200)
    expect((await send({ shift: 'Morning' })).status).toBe(400)
    await set({ Morning: 2, Night: 1 })
    expect((await send({ shift: 'Morning' })).status).toBe(400)
    expect((await send({ shift: 'Night' })).status).toBe(400)
    expect(await submissions()).toHaveLength(7)
    // Another text is another option, which no one has chosen yet.
    await set({ Early: 1 }, ['Early', 'Evening', 'Night'])
    expect((await send({ shift: 'Early' })).status).toBe(200)
    expect((await send({ shift: 'Early' })).status).toBe(400)
    await set({ Morning: 7 })
    expect((await send({ shift: 'Morning' })).status).toBe(200)
    expect((await send({ shift: 'Morning' })).status).toBe(400)
  })

  test('is counted below the list of submissions', async () => {
    const options = Array.from({ length: 14 }, (_, n) => `Table ${n}`)
    const places = Object.fromEntries(options.map((option, n) => [option, n + 1]))
    const form = { fields: [{ name: 'table', type: 'choice', options, places }] }
    const { ada, path, send } = await siteWorld({ form })
    for (const table of ['Table 0', 'Table 2', 'Table 2']) expect((await send({ table })).status).toBe(200)
    const text = async () => readPage((await ada.get(path)).html).text
    expect(await text()).toContain('Table 0 full, Table 1 0 of 2, Table 2 2 of 3, Table 3 0 of 4')
    expect(await text()).toContain('Table 11 0 of 12, and 2 more')
  })

  test('is refused with the form as it was filled in, and marked as full on every page of the form', async () => {
    const name = { name: 'name' }
    const { post, server, formId, change, send } = await world({ form: { fields: [name], page: {} } })
    const fields = (rest: object = {}) => ({ fields: [name, ...withPlaces({ Morning: 1, Evening: 3 }, rest)] })
    await change(fields())
    const page = async () => (await server.fetch(`/f/${formId}`, { headers: browser })).text()
    expect(readPage(await page()).text).not.toMatch(/full|left/)
    await change(fields({ showPlaces: true }))
    expect(readPage(await page()).text).toMatch(/Morning 1 left.*Evening 3 left.*Night/)
    expect((await send({ name: 'Ada', shift: 'Morning' })).status).toBe(200)
    const shown = await page()
    expect(shown).toMatch(/value="Morning" disabled>/)
    expect(readPage(shown).text).toContain('Morning full')
    const answer = await post(`name=Grace&shift=Morning&comment=hello`, browser)
    expect(answer.status).toBe(400)
    const again = readPage(answer.body)
    expect(answer.body).toContain('value="Grace"')
    expect(again.hidden('comment')).toBe('hello')
    expect(again.text).toContain('“Morning” is full. Choose another option.')
    expect(answer.body).toMatch(/value="Morning" disabled>/)
    // Where there are many options, they are in a list.
    const options = ['Morning', ...Array.from({ length: 9 }, (_, n) => `Table ${n}`)]
    await change({
      fields: [{ name: 'shift', type: 'choice', options, places: { Morning: 0, 'Table 1': 2 }, showPlaces: true }],
    })
    const counted = '<option value="Table 1">Table 1 – 2 left</option>'
    await until(async () => (await page()).includes(counted), 'it is counted')
    expect(await page()).toContain('<option value="Morning" disabled>Morning – full</option>')
  })
})
