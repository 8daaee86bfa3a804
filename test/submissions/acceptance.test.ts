// What may refuse or hold a submission is asked in one order, which the guide says.
import { describe, expect, test } from 'bun:test'
import { acceptanceOrder } from '../../src/submissions/acceptance.ts'
import { sectionOf } from '../guide-parts.ts'
import { type Answer, toAnswer } from '../harness.ts'
import { solve } from '../solve.ts'
import { world } from '../world.ts'

describe('the order in which submissions are refused or held', () => {
  test('is that of docs/collecting.md', async () => {
    const guide = await Bun.file(new URL('../../docs/collecting.md', import.meta.url)).text()
    const section = sectionOf(guide, 'What may refuse or hold a submission')
    const named = [...section.matchAll(/^\d+\. \*\*(.+?)\*\*:/gm)].map(([, name = '']) => name.toLowerCase())
    expect(named).toEqual([...acceptanceOrder])
  })

  test('is that in which a form asks', async () => {
    const { server, ada, formId, path, change, send, spam } = await world({
      environment: {
        FORMBOX_MAIL_URL: 'smtp://127.0.0.1:1',
        FORMBOX_MAIL_FROM: 'forms@example.com',
        FORMBOX_URL: 'https://forms.example.com',
      },
      form: {
        honeypot: 'trap',
        challenge: true,
        blockedTerms: ['casino'],
        fields: [
          { name: 'email', type: 'email', required: true, once: 'refuse' },
          { name: 'shift', type: 'choice', options: ['Day', 'Night'], places: { Night: 0 } },
        ],
      },
    })
    const solved = async () => solve((await toAnswer(await server.fetch(`/s/${formId}/challenge`))).body)
    const good = { email: 'ada@example.com', _challenge: await solved() }
    const sentAgain = { 'idempotency-key': crypto.randomUUID() }
    const bad = { email: 'casino', _challenge: 'none' }
    expect((await send(good, sentAgain)).status).toBe(200)
    await change({ maxSubmissions: 1 })
    const reasons = ({ status, body }: Answer) => [status, body.issues?.[0]?.rule ?? body.issues?.[0]?.message]
    const answers: Record<string, unknown> = {}

    const again = await send(good, sentAgain)
    answers.repeat = again.headers.get('idempotency-replayed')
    answers.closed = reasons(await send({ ...bad, trap: 'x' }))
    await change({ maxSubmissions: null })
    const trapped = await send({ ...bad, trap: 'x', _challenge: await solved() })
    const [held] = await spam()
    answers.trap = [trapped.status, held.reason]
    answers.fields = reasons(await send(bad))
    answers.once = reasons(await send({ ...bad, email: 'ADA@example.com', shift: 'Night' }))
    answers.places = reasons(await send({ ...bad, email: 'casino@example.com', shift: 'Night' }))
    answers['proof of work'] = reasons(await send({ ...bad, email: 'casino@example.com' }))
    const judged = await send({ email: 'casino@example.com', _challenge: await solved() })
    answers.spam = [judged.status, (await spam()).find(({ id }: { id: string }) => id === judged.body.id)?.reason]

    await change({ confirm: { field: 'email', subject: 'Please confirm', text: '{link}' } })
    const asked = await send({ email: 'eve@example.com', _challenge: await solved() })
    const unconfirmed = await ada.call('GET', `${path}/spam?reason=unconfirmed`)
    answers.confirmation = [asked.status, unconfirmed.body.spam[0]?.reason]

    expect(answers).toEqual({
      repeat: 'true',
      closed: [403, undefined],
      trap: [200, 'honeypot'],
      fields: [400, 'email'],
      once: [400, 'repeated'],
      places: [400, 'full'],
      'proof of work': [400, expect.stringContaining('_challenge')],
      spam: [200, 'terms'],
      confirmation: [200, 'unconfirmed'],
    })
    expect(Object.keys(answers)).toEqual([...acceptanceOrder])
  })

  test('lets one that is refused harm none of those that arrive with it', async () => {
    const { send, submissions } = await world({ form: { maxSubmissions: 20 } })
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => send({ n })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(20)
    const taken = answers.flatMap(({ status, body }) => (status === 200 ? [body.id] : []))
    const stored: { id: string }[] = await submissions()
    expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(taken))
  })
})
