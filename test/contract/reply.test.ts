// The setting `reply` of a form.
import { describe, expect, test } from 'bun:test'
import { world } from '../world.ts'

const mail = {
  FORMBOX_MAIL_URL: 'smtp://127.0.0.1:1',
  FORMBOX_MAIL_FROM: 'forms@example.com',
  FORMBOX_URL: 'https://forms.example.com',
}
const reply = { field: 'email', subject: 'Thank you, {name}', text: 'We answer soon.' }
const origins = { allowedOrigins: ['https://example.com'] }

const setUp = (environment: Record<string, string> = mail) => world({ environment })

describe('the setting `reply`', () => {
  test('is off at first, is stored with all its members, and can be switched off', async () => {
    const { change, settings } = await setUp()
    expect((await settings()).reply).toBeNull()
    expect((await change({ reply: { ...reply, more: 1 } })).status).toBe(200)
    expect((await settings()).reply).toEqual({ ...reply, copy: false })
    expect((await change({ reply: null })).status).toBe(200)
    expect((await settings()).reply).toBeNull()
  })

  test('must be null where the server sends no mail', async () => {
    const { change } = await setUp({})
    const { status, body } = await change({ reply })
    expect(status).toBe(400)
    expect(body.issues[0].message).toStartWith('reply: must be null: this server sends no email')
    expect((await change({ reply: null })).status).toBe(200)
  })
})

describe('a copy of what was sent', () => {
  const copying = { ...reply, copy: true }
  const refused = 'must not have a copy unless `challenge` is on and `allowedOrigins` names pages that may send'

  test.each<[string, object]>([
    ['without both', {}],
    ['without a challenge', origins],
    ['without origins', { challenge: true }],
    ['with origins and a challenge that are taken away at once', { challenge: false, allowedOrigins: [] }],
  ])('is refused %s, and nothing of the change is stored', async (_, more) => {
    const { change, settings } = await setUp()
    const before = await settings()
    const { status, body } = await change({ reply: copying, ...more })
    expect(status).toBe(400)
    expect(body.issues).toEqual([{ message: `reply: ${refused}`, path: '/reply/copy' }])
    expect(await settings()).toEqual(before)
  })

  test('is taken with both, and neither can be taken away then, by itself or with something else', async () => {
    const { change, settings } = await setUp()
    expect((await change({ reply: copying, challenge: true, ...origins })).status).toBe(200)
    const before = await settings()
    for (const [changes, message, path] of [
      [{ challenge: false }, 'challenge: must be true while `reply` sends visitors a copy', '/challenge'],
      [
        { allowedOrigins: [] },
        'allowedOrigins: must not be empty while `reply` sends visitors a copy',
        '/allowedOrigins',
      ],
      [{ challenge: false, allowedOrigins: [], spamDays: 3 }, 'challenge: must be true', '/challenge'],
    ] as const) {
      const { status, body } = await change(changes)
      expect(status).toBe(400)
      expect(body.issues).toEqual([{ message: expect.stringContaining(message), path }])
    }
    expect(await settings()).toEqual(before)
    expect((await change({ allowedOrigins: ['https://other.example'] })).status).toBe(200)
    expect((await change({ challenge: false, reply })).status).toBe(200)
    expect((await change({ allowedOrigins: [] })).status).toBe(200)
  })

  test('keeps its rules in a copy of the form', async () => {
    const { ada, path, change } = await setUp()
    await change({ reply: copying, challenge: true, ...origins })
    const copy = (await ada.call('POST', `${path}/duplicate`)).body.id
    const settings = `/forms/${copy}/settings`
    expect((await ada.call('GET', settings)).body.reply).toEqual(copying)
    expect((await ada.call('PATCH', settings, { challenge: false })).status).toBe(400)
  })
})
