// A value that may come once: a second one is held back, and its sender learns nothing, or it is refused.
import { describe, expect, test } from 'bun:test'
import type { Answer } from '../harness.ts'
import { toAnswer } from '../harness.ts'
import { readPage } from '../read-page.ts'
import { solve } from '../solve.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { siteWorld, type Wanted, world } from '../world.ts'

const email = { name: 'email', type: 'email', label: 'Email' }
const fieldsWith = (once: 'hold' | 'refuse', rest: readonly object[] = []) => [{ ...email, once }, ...rest]
const limited = (once: 'hold' | 'refuse', form: object = {}, wanted: Wanted = {}) =>
  world({ ...wanted, form: { fields: fieldsWith(once), ...form } })

const counted = (folder: string) =>
  until(
    async () => rowsOf(folder, 'SELECT 1 FROM limits WHERE count_from IS NOT NULL').length === 0,
    'all values are known',
  )
const outcomeOf = ({ status, body }: Answer): string => (status === 200 ? 'stored' : body.issues[0].rule)

describe('a field whose values come once', () => {
  test('refuses a second one however it is written, in any script, and says which field', async () => {
    const { send, submissions, change, server } = await limited('refuse')
    expect(outcomeOf(await send({ email: 'Ada@Example.com' }))).toBe('stored')
    expect((await send({ email: ' ada@example.com ' })).body.issues).toEqual([
      {
        message: 'email: must be a value that was not sent before',
        path: '/email',
        rule: 'repeated',
        text: 'This was sent before. It can be sent only once.',
      },
    ])
    // What is empty is no value.
    for (const value of ['', ' ']) expect(outcomeOf(await send({ email: value }))).toBe('stored')
    await change({ fields: [{ name: 'name', once: 'refuse' }] })
    await counted(server.folder)
    for (const [one, same] of [
      ['ΆΔΑΣ', 'αδας'],
      ['Ёлка', 'елка'],
      ['José  Łukasz', 'jose lukasz'],
      ['が', 'か\u3099'],
      ['STRASSE', 'straße'],
    ] as const) {
      expect(outcomeOf(await send({ name: one }))).toBe('stored')
      expect(outcomeOf(await send({ name: same })), same).toBe('repeated')
    }
    expect(await submissions()).toHaveLength(8)
    expectSound(server.folder)
  })

  test('holds a second one back as spam, with a link to the first, and its sender sees success', async () => {
    const { send, ada, path, spam, submissions, server } = await siteWorld({ form: { fields: fieldsWith('hold') } })
    const first = await send({ email: 'ada@example.com' })
    const second = await send({ email: 'ADA@example.com' })
    expect([second.status, Object.keys(second.body)]).toEqual([first.status, Object.keys(first.body)])
    expect(await submissions()).toHaveLength(1)
    expect((await spam()).map(({ id, reason }: { id: string; reason: string }) => [id, reason])).toEqual([
      [second.body.id, 'repeated'],
    ])
    const page = await ada.get(`${path}/spam`)
    expect(readPage(page.html).text).toContain('Sent before with this “Email”: the first one')
    expect(page.html).toContain(`href="${path}/submissions/${first.body.id}"`)
    // Its owner may let it in. Then two have the value, and it is free when both are gone.
    expect((await ada.api.call('POST', `${path}/spam/${second.body.id}/accept`)).status).toBe(200)
    const letter = async ({ body }: Answer) => readPage((await ada.get(`${path}/submissions/${body.id}`)).html)
    expect((await letter(second)).text).toContain('Sent before with this “Email”: the first one')
    expect((await letter(second)).link('the first one')).toBe(`${path}/submissions/${first.body.id}`)
    expect((await letter(first)).text).not.toContain('Sent before')
    for (const { body } of [first, second]) {
      await send({ email: 'ada@example.com' })
      expect((await spam()).length).toBeGreaterThan(0)
      await ada.api.call('DELETE', `${path}/submissions/${body.id}`)
    }
    const before = (await spam()).length
    await send({ email: 'ada@example.com' })
    expect(await spam()).toHaveLength(before)
    expectSound(server.folder)
  })

  test.each(['hold', 'refuse'] as const)('takes exactly one of 256 that come at once: %s', async (once) => {
    const { send, submissions, spam, server } = await limited(once)
    const sent = await Promise.all(
      Array.from({ length: 256 }, (_, n) => send({ email: n % 2 ? 'ada@example.com' : 'ADA@example.com' })),
    )
    expect((await submissions()).length).toBe(1)
    expect(sent.filter(({ status }) => status === 200)).toHaveLength(once === 'hold' ? 256 : 1)
    expect((await spam()).length).toBe(once === 'hold' ? 20 : 0)
    expectSound(server.folder)
  })

  test('cannot be blocked by spam, is free again when its submission goes, and begins anew in a copy', async () => {
    const { send, ada, path, server } = await limited('refuse', { blockedTerms: ['casino'] })
    const value = 'ada@example.com'
    for (const rest of [{ text: 'casino' }, { _gotcha: 'x' }]) await send({ email: value, ...rest })
    const first = await send({ email: value })
    expect(outcomeOf(first)).toBe('stored')
    // Spam is refused as a letter would be.
    expect(outcomeOf(await send({ email: value, text: 'casino' }))).toBe('repeated')
    const copy = (await ada.call('POST', `${path}/duplicate`)).body.id
    const headers = { 'content-type': 'application/json' }
    const toCopy = () => server.fetch(`/s/${copy}`, { method: 'POST', headers, body: JSON.stringify({ email: value }) })
    expect([(await toCopy()).status, (await toCopy()).status]).toEqual([200, 400])
    await ada.call('POST', `${path}/submissions/${first.body.id}/spam`)
    expect(outcomeOf(await send({ email: value }))).toBe('stored')
    const search = await ada.call('POST', '/personal-data/search', { value })
    const erased = await ada.call('POST', '/personal-data/erase', { value, count: search.body.matches.length })
    expect(erased.body.erased).toBeGreaterThan(1)
    expect(outcomeOf(await send({ email: value }))).toBe('stored')
    expectSound(server.folder)
  })

  test('leaves nothing behind, however often it is switched off and on again', async () => {
    const { submit, change, server, formId } = await limited('hold')
    for (const name of ['ada', 'bob', 'eve']) await submit({ email: `${name}@example.com` })
    for (let round = 0; round < 3; round++) {
      await change({ fields: [] })
      await change({ fields: fieldsWith('refuse') })
      await counted(server.folder)
    }
    const kept = rowsOf(server.folder, 'SELECT 1 FROM onces JOIN forms ON forms.number = form WHERE id = ?', formId)
    expect(kept).toHaveLength(3)
  })

  test('knows what was there before, and what was imported', async () => {
    const sent = [{ email: 'ada@example.com' }, { email: 'Ada@example.com' }, { email: 'una@example.com' }]
    const { send, change, ada, path, server } = await world({ form: { fields: [email] }, sent })
    expect((await change({ fields: fieldsWith('refuse') })).status).toBe(200)
    await counted(server.folder)
    for (const { email: value } of sent) expect(outcomeOf(await send({ email: value }))).toBe('repeated')
    const headers = { authorization: `Bearer ${ada.key}`, 'content-type': 'text/csv' }
    const body = 'email,Date\neve@example.com,2026-01-01\nada@example.com,2026-01-02\n'
    const at = `/api/v1${path}/imports`
    const { id } = (
      await toAnswer(await server.fetch(`${at}?date=Date&timeZone=UTC`, { method: 'POST', headers, body }))
    ).body
    await until(async () => (await ada.call('GET', `${path}/imports/${id}`)).body.state === 'done', 'it is imported')
    await counted(server.folder)
    expect(outcomeOf(await send({ email: 'EVE@example.com' }))).toBe('repeated')
    expectSound(server.folder)
  })

  test('is kept as hashes, tells who holds back nothing, and is refused before a proof of work is spent', async () => {
    const fields = fieldsWith('refuse', [{ name: 'shift', type: 'choice', options: ['Day'], places: { Day: 1 } }])
    const { send, formId, server, change } = await world({ form: { fields, challenge: true } })
    const solved = async () => solve((await toAnswer(await server.fetch(`/s/${formId}/challenge`))).body)
    const value = 'secret-address@example.com'
    expect(outcomeOf(await send({ email: value, shift: 'Day', _challenge: await solved() }))).toBe('stored')
    const kept = JSON.stringify(rowsOf(server.folder, 'SELECT * FROM onces'))
    expect(kept).not.toContain('secret-address')
    // The first rule that it breaks.
    const _challenge = await solved()
    expect(outcomeOf(await send({ email: value, shift: 'Day', _challenge }))).toBe('repeated')
    expect(outcomeOf(await send({ email: 'una@example.com', shift: 'Day', _challenge }))).toBe('full')
    expect(outcomeOf(await send({ email: 'una@example.com', _challenge }))).toBe('stored')
    // With `hold`, what follows is asked as of any other: it must not tell who has sent something.
    await change({ fields: [{ ...fields[0], once: 'hold' }, fields[1] as object] })
    for (const one of [value, 'eve@example.com']) {
      expect(outcomeOf(await send({ email: one, shift: 'Day', _challenge: await solved() }))).toBe('full')
      expect((await send({ email: one })).body.issues[0].message).toContain('_challenge')
    }
    expectSound(server.folder)
  })
})
