import { describe, expect, test } from 'bun:test'
import { startServer, temporaryFolder } from '../../../harness.ts'
import { mailSettings, startSmtp, unfolded } from '../../../mail/smtp-server.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'
import { until } from '../../../until.ts'

const hour = 3_600_000
const day = 24 * hour
const start = Date.parse('2026-03-02T08:00:00Z')

/** A form that is to be quiet for two days, with submissions so far, and a clock that a test sets. */
const setUp = async ({ sent = 5, settings = {} as object } = {}) => {
  const clock = { now: start }
  const smtp = await startSmtp()
  const folder = temporaryFolder()
  const open = () => startServer({ folder, settings: mailSettings(smtp.port), now: () => clock.now })
  let server = await open()
  const ada = await server.signUp()
  const formId = await ada.createForm({ title: 'Contact' })
  const change = async (changes: object) => {
    const body = JSON.stringify(changes)
    const headers = { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' }
    const response = await server.fetch(`/api/v1/forms/${formId}/settings`, { method: 'PATCH', headers, body })
    expect(response.status).toBe(200)
  }
  const submit = () => server.submit(formId, { name: 'Grace' })
  await change({ notify: [ada.email], quietDays: 2, ...settings })
  const told = () => rowsOf<{ state: string }>(folder, "SELECT state FROM deliveries WHERE kind = 'silence'").length
  const silences = () => smtp.mails.filter((mail) => unfolded(mail).includes('Subject: Nothing for'))
  const step = async () => {
    await server.stop()
    server = await open()
    // The job looks when it starts, and everything else of this server comes after that.
    await server.fetch('/healthz')
  }

  for (let count = 0; count < sent; count++) await submit()
  return {
    clock,
    folder,
    change,
    submit,
    told,
    silences,
    step,
    /** Lets so many hours go by on a server that looks every day, so that its clock is sure. */
    async goOn(hours: number) {
      for (let passed = 0; passed < hours; passed += 24) {
        clock.now += Math.min(24, hours - passed) * hour
        await step()
      }
    },
    sound: () => expectSound(folder),
  }
}

/** What was told, once nothing more is to come. */
const toldAfter = async ({ told, silences }: Awaited<ReturnType<typeof setUp>>, count: number) => {
  await until(() => silences().length === count, `${count} emails about silence`)
  expect(told()).toBe(count)
}

describe('a form with quietDays', () => {
  test('tells its addresses once when nothing has come for so long, and again after the next submission', async () => {
    const form = await setUp()
    await form.goOn(47)
    expect(form.told()).toBe(0)
    await form.goOn(2)
    await toldAfter(form, 1)
    const [mail = ''] = form.silences().map(unfolded)
    expect(mail).toContain('Subject: Nothing for 2 days: Contact')
    expect(mail).toContain('No one has sent this form for 2 days')
    await form.goOn(240)
    await toldAfter(form, 1)
    await form.submit()
    await form.goOn(60)
    await toldAfter(form, 2)
    form.sound()
  })

  test('tells no one after fewer than five, of which deleted ones count', async () => {
    const form = await setUp({ sent: 4, settings: { retentionDays: 1 } })
    await form.goOn(96)
    expect(form.told()).toBe(0)
    await form.submit()
    await form.goOn(72)
    await toldAfter(form, 1)
  })

  test('does not count days in which it was closed', async () => {
    const form = await setUp()
    await form.change({ open: false })
    await form.goOn(240)
    expect(form.told()).toBe(0)
    await form.change({ open: true })
    await form.goOn(47)
    expect(form.told()).toBe(0)
    await form.goOn(2)
    await toldAfter(form, 1)
  })

  test('forgets what came before when it is switched off, and counts from the last one when it is on again', async () => {
    const form = await setUp()
    await form.change({ quietDays: null })
    form.sound()
    await form.goOn(120)
    expect(form.told()).toBe(0)
    await form.change({ quietDays: 3 })
    await form.step()
    await toldAfter(form, 1)
    await form.change({ quietDays: 1 })
    await form.goOn(48)
    await toldAfter(form, 1)
  })

  test.each([
    ['ahead', 400 * day],
    ['back', -400 * day],
  ])('tells no one while the clock is a year %s for some hours', async (_, by) => {
    const form = await setUp()
    await form.goOn(12)
    form.clock.now += by
    await form.step()
    await form.goOn(6)
    form.clock.now -= by
    await form.step()
    expect(form.told()).toBe(0)
    await form.goOn(96)
    await toldAfter(form, 1)
    form.sound()
  })

  test('is not kept quiet by what came while the clock was ahead', async () => {
    const form = await setUp()
    await form.goOn(12)
    form.clock.now += 400 * day
    await form.submit()
    form.clock.now -= 400 * day
    await form.goOn(120)
    await toldAfter(form, 1)
  })
})
