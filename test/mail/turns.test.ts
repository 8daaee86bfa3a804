import { describe, expect, test } from 'bun:test'
import { openMailer } from '../../src/sending/mail/mailer.ts'
import type { Mail } from '../../src/sending/mail/parcel.ts'
import { maxOpen } from '../../src/sending/mail/turns.ts'
import { afterThisTest } from '../harness.ts'
import { until } from '../until.ts'
import { json, startApi } from './api-server.ts'
import { mailConfig } from './mail-config.ts'
import { startSmtp } from './smtp-server.ts'

const mail: Mail = {
  ...{ to: 'ada@example.org', subject: 'Hello', text: 'Text', html: '<p>Text</p>' },
  ...{ replyTo: null, messageId: 'abc123', headers: {} },
}

const open = (url: string) => {
  const mailer = openMailer(mailConfig(url))
  afterThisTest(() => mailer.close())
  return mailer
}

/** Mailers of so many senders. */
const senders = (count: number, url: string) => Array.from({ length: count }, () => open(url))

/** A provider that lets every request wait until it is told to answer, and counts those that wait. */
const startHolding = () => {
  const gate = Promise.withResolvers<void>()
  let [waiting, most] = [0, 0]
  const api = startApi(async () => {
    most = Math.max(most, ++waiting)
    await gate.promise
    waiting--
    return json({ id: 'x1' })
  })
  return { url: `resend://key?endpoint=${api.url}`, waiting: () => waiting, most: () => most, answer: gate.resolve }
}

describe('fifty senders at once', () => {
  test('have one bound of connections by SMTP, also of those at rest, and each sends again after a rest', async () => {
    const smtp = await startSmtp()
    const all = senders(50, `smtp://127.0.0.1:${smtp.port}`)
    const sent = await Promise.all(all.map(({ send }) => send(mail)))
    expect(sent.map(({ result }) => result)).toEqual(Array(50).fill('delivered'))
    await until(() => smtp.open() <= maxOpen, 'those that rested longest are closed')
    // One that ends may still be seen as open while the next one begins.
    expect(smtp.most()).toBeLessThanOrEqual(2 * maxOpen)
    for (const { send } of all) expect(await send(mail)).toMatchObject({ result: 'delivered' })
    await until(() => smtp.open() <= maxOpen, 'no more are open than may')
    expect(smtp.mails).toHaveLength(100)
  })

  test('share it with those that send by an API', async () => {
    const api = startHolding()
    const smtp = await startSmtp()
    const held = senders(30, api.url).map(({ send }) => send(mail))
    await until(() => api.waiting() === maxOpen, 'all turns are taken')
    const later = senders(20, `smtp://127.0.0.1:${smtp.port}`).map(({ send }) => send(mail))
    expect(smtp.connections()).toBe(0)
    api.answer()
    for (const sent of await Promise.all([...held, ...later])) expect(sent.result).toBe('delivered')
    expect(api.most()).toBe(maxOpen)
  })
})

test('one that hangs takes two turns, and the mails of another go out', async () => {
  const [api, smtp] = [startHolding(), await startSmtp()]
  const hanging = open(api.url)
  const held = Array.from({ length: 30 }, () => hanging.send(mail))
  await until(() => api.waiting() === 2, 'it hangs')
  const other = open(`smtp://127.0.0.1:${smtp.port}`)
  for (let count = 0; count < 5; count++) expect(await other.send(mail)).toMatchObject({ result: 'delivered' })
  expect(api.waiting()).toBe(2)
  api.answer()
  await Promise.all(held)
  expect(api.most()).toBe(2)
})

test('a mail that is ended while it waits for its turn leaves the turn to others', async () => {
  const api = startHolding()
  const mailer = open(api.url)
  const held = [mailer.send(mail), mailer.send(mail)]
  await until(() => api.waiting() === 2, 'both turns are taken')
  const ending = new AbortController()
  const ended = mailer.send(mail, ending.signal)
  ending.abort()
  expect(await ended).toMatchObject({ result: 'later', isOurFault: false })
  api.answer()
  await Promise.all(held)
  expect(await mailer.send(mail)).toMatchObject({ result: 'delivered' })
})
