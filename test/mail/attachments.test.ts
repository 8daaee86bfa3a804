import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { Attachment } from '../../src/sending/mail/attachments.ts'
import { openMailer } from '../../src/sending/mail/mailer.ts'
import type { Mail } from '../../src/sending/mail/parcel.ts'
import { afterThisTest } from '../harness.ts'
import { until } from '../until.ts'
import { mailConfig } from './mail-config.ts'
import { hasPython, type Parsed, parseMails } from './parsed.ts'
import { type Script, startSmtp } from './smtp-server.ts'

const mail: Mail = {
  to: 'ada@example.org',
  subject: 'Hello',
  text: 'Text\n',
  html: '<p>Text</p>',
  replyTo: null,
  messageId: 'abc123',
  headers: {},
}

const pieceBytes = 64 * 1024

const file = (bytes: Uint8Array, more: Partial<Attachment> = {}): Attachment => ({
  name: 'cv.pdf',
  type: 'application/pdf',
  size: bytes.length,
  *read() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
  },
  ...more,
})

const random = (size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += pieceBytes) crypto.getRandomValues(bytes.subarray(at, at + pieceBytes))
  return bytes
}

const start = async (script?: Script) => {
  const smtp = await startSmtp(script)
  const mailer = openMailer(mailConfig(`smtp://127.0.0.1:${smtp.port}`))
  afterThisTest(mailer.close)
  return { smtp, mailer }
}

/** What arrives at a mail server, as another program reads it. */
const arrived = async (attachments: readonly Attachment[]): Promise<Parsed & { readonly raw: string }> => {
  const { smtp, mailer } = await start()
  expect(await mailer.send({ ...mail, attachments })).toMatchObject({ result: 'delivered' })
  const [raw = ''] = smtp.mails
  return { ...(parseMails([raw])[0] as Parsed), raw }
}

describe.skipIf(!hasPython)('attachments', () => {
  test('arrive byte for byte, beside both parts of the mail', async () => {
    const sizes = [0, 1, 57, 58, pieceBytes, pieceBytes + 1, 300_000]
    const contents = [...sizes.map(random), Buffer.from('a\r\nb\nc\r.\n..\n\u0000')]
    const { files, parts, defects } = await arrived(contents.map((bytes, i) => file(bytes, { name: `${i}.bin` })))
    expect(files).toEqual(
      contents.map((bytes, i) => ({
        name: `${i}.bin`,
        nameInType: `${i}.bin`,
        type: 'application/pdf',
        disposition: 'attachment',
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      })),
    )
    expect(Object.keys(parts)).toEqual(['text/plain', 'text/html'])
    expect(defects).toEqual([])
  })

  test('have safe names', async () => {
    const names = {
      'Lebenslauf für Ada.pdf': 'Lebenslauf für Ada.pdf',
      '日本語の履歴書😀.pdf': '日本語の履歴書😀.pdf',
      'a"b.pdf': 'a-b.pdf',
      "it's 100% (new), really; yes=1.pdf": "it's 100% (new), really; yes=1.pdf",
      'a\r\nX-Injected: 1\r\n\r\nbody.pdf': 'a X-Injected- 1 body.pdf',
      'bill\u202efdp.exe': 'bill fdp.exe',
      '../../etc/passwd': '-..-etc-passwd',
      '=?utf-8?B?ZXZpbC5leGU=?=': '=-utf-8-B-ZXZpbC5leGU=-=',
      '\ud800.pdf': 'pdf',
      '': 'file',
      [`${'ä'.repeat(5000)}.pdf`]: `${'ä'.repeat(76)}.pdf`,
    }
    const sent = Object.keys(names).map((name) => file(Buffer.from('x'), { name }))
    const { files, headers, raw, defects } = await arrived(sent)
    expect(files.map(({ name }) => name)).toEqual(Object.values(names))
    expect(new Set(files.map(({ disposition, size }) => `${disposition} ${size}`))).toEqual(new Set(['attachment 1']))
    expect(headers.map(([header]) => header)).not.toContain('X-Injected')
    expect(raw).not.toMatch(/^X-Injected/m)
    // RFC 5322 section 2.1.1.
    expect(Math.max(...raw.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998)
    expect(defects).toEqual([])
  })

  test('have safe types, and keep their bytes', async () => {
    const unknown = 'application/octet-stream'
    const office = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    const types = {
      'image/svg+xml': 'image/svg+xml',
      [office]: office,
      'text/plain': 'text/plain',
      'text/html; charset=utf-8': 'text/html',
      'text/plain; name="evil.exe"': 'text/plain',
      'message/rfc822': unknown,
      'multipart/mixed; boundary=x': unknown,
      'text/plain\r\nX-Injected: 1': unknown,
      'text/html\u202e': unknown,
      [`text/${'x'.repeat(5000)}`]: unknown,
      text: unknown,
      '': unknown,
    }
    const bytes = Buffer.from('From: x\n\n<script>\r\n.\r\n\r\u00ff')
    const { files, raw, defects } = await arrived(Object.keys(types).map((type) => file(bytes, { type })))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const expected = { name: 'cv.pdf', nameInType: 'cv.pdf', disposition: 'attachment', size: bytes.length, sha256 }
    expect(files).toEqual(Object.values(types).map((type) => ({ ...expected, type })))
    expect(raw).not.toMatch(/^X-Injected/m)
    expect(defects).toEqual([])
  })
})

describe('a mail with attachments', () => {
  test('does not arrive if a file is deleted while it is sent', async () => {
    const { smtp, mailer } = await start()
    const bytes = random(20 * pieceBytes)
    const vanishing = file(bytes, {
      *read(gone) {
        yield bytes.subarray(0, 10 * pieceBytes)
        throw gone()
      },
    })
    expect(await mailer.send({ ...mail, attachments: [vanishing] })).toMatchObject({
      result: 'later',
      error: 'A file was deleted while it was sent',
      isOurFault: false,
    })
    expect(await mailer.send({ ...mail, attachments: [file(bytes)] })).toMatchObject({ result: 'delivered' })
    expect(smtp.mails).toHaveLength(1)
  })

  test('is not sent at all to a server that takes less', async () => {
    const { smtp, mailer } = await start({ EHLO: '250-mail.example.com\r\n250 SIZE 1000000' })
    const attachment = file(random(0), { size: 1_000_000, read: () => expect.unreachable('the file is read') })
    expect(await mailer.send({ ...mail, attachments: [attachment] })).toMatchObject({
      result: 'refused',
      error: 'The email is larger than the mail server allows',
    })
    expect(smtp.lines).not.toContain('DATA')
    expect(await mailer.send(mail)).toMatchObject({ result: 'delivered' })
  })

  test('is read piece by piece, with turns of the event loop between them', async () => {
    const { mailer } = await start()
    const bytes = random(100 * pieceBytes)
    let turn = 0
    let next = setImmediate(function count() {
      turn++
      next = setImmediate(count)
    })
    const turns: number[] = []
    const attachment = file(bytes, {
      *read() {
        for (let at = 0; at < bytes.length; at += pieceBytes) {
          turns.push(turn)
          yield bytes.subarray(at, at + pieceBytes)
        }
      },
    })
    const sent = await mailer.send({ ...mail, attachments: [attachment] })
    clearImmediate(next)
    expect(sent).toMatchObject({ result: 'delivered' })
    expect(turns).toHaveLength(100)
    expect(new Set(turns).size).toBeGreaterThan(90)
  })

  test('holds up no other mail, however many of them are stuck', async () => {
    const { smtp, mailer } = await start({ '.': (sent) => (sent.includes('filename=cv.pdf') ? '' : '250 2.0.0 Ok') })
    const attachments = [file(random(pieceBytes))]
    const stop = new AbortController()
    const stuck = ['a', 'b', 'c'].map((messageId) => mailer.send({ ...mail, messageId, attachments }, stop.signal))
    await until(() => smtp.mails.length === 1, 'one of them has been sent')
    for (let i = 0; i < 5; i++)
      expect(await mailer.send({ ...mail, messageId: `${i}` })).toMatchObject({ result: 'delivered' })
    expect(smtp.mails).toHaveLength(6)
    stop.abort()
    for (const sent of stuck) expect(await sent).toMatchObject({ result: 'later' })
  })
})
