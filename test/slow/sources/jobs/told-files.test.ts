// What is told of a submission with files: attempts with the parts of the server that make them, and a real data file.
import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { newId } from '../../../../src/base/id.ts'
import { parseConfig } from '../../../../src/config/config.ts'
import { readFileLink } from '../../../../src/sending/webhooks/file-link.ts'
import { openReader } from '../../../../src/storage/reader.ts'
import { receivers } from '../../../../src/storage/tables.ts'
import { loadAttempts } from '../../../../src/upkeep/jobs/attempt-delivery.ts'
import { startReceiver } from '../../../deliveries/receiver.ts'
import { afterThisTest } from '../../../harness.ts'
import { json, startApi } from '../../../mail/api-server.ts'
import { hasPython, type Parsed, parseMails } from '../../../mail/parsed.ts'
import { type Script, startSmtp } from '../../../mail/smtp-server.ts'
import { noon, openOutbox } from '../../../outbox/outbox.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { submitFiles } from '../../../stored-files.ts'

const publicUrl = 'https://forms.example.com'
const key = Buffer.alloc(32, 7)

/** A form with a webhook and the owner's address, and a way to attempt what is due. */
const open = async ({
  script = {},
  url = publicUrl,
  mailUrl,
}: {
  script?: Script
  url?: string
  mailUrl?: string
} = {}) => {
  const data = openOutbox()
  const { folder, formId, userId, email, run, notify, claim } = data
  run('createSecret', { name: 'signing', value: key.toString('base64') })
  const smtp = await startSmtp(script)
  const receiver = startReceiver()
  const reader = openReader(folder)
  afterThisTest(() => reader.close())
  const config = parseConfig({
    ...(url !== '' && { FORMBOX_URL: url }),
    ...(url !== '' && {
      FORMBOX_MAIL_URL: mailUrl ?? `smtp://127.0.0.1:${smtp.port}`,
      FORMBOX_MAIL_FROM: 'forms@example.com',
    }),
    FORMBOX_WEBHOOK_ALLOW: '127.0.0.1',
  })
  const writer = { run: async (name: string, input: unknown) => run(name, input) as never }
  const attempts = loadAttempts({ config, reader, writer, now: () => noon })
  afterThisTest(attempts.close)
  const { host } = new URL(receiver.url)
  const hook = { userId, formId, id: newId(noon), url: receiver.url, host, description: null }
  run('createWebhook', { ...hook, format: 'standard', secret: `whsec_${'A'.repeat(32)}` })

  return {
    ...data,
    smtp,
    receiver,
    setFormat: (format: string) => run('updateWebhook', { userId, formId, id: hook.id, now: 0, format }),
    wantAttached: () => {
      notify([email])
      run('updateFormSettings', { userId, id: formId, now: noon, changes: { attachFiles: true } })
    },

    submit(sent: readonly { readonly name: string; readonly bytes: Uint8Array }[], fields = {}) {
      const { id, files: fileIds } = submitFiles(
        data,
        formId,
        sent.map((file) => ({ type: 'application/pdf', ...file })),
        { fields },
      )
      return { id, fileIds, text: rowsOf(folder, 'SELECT data FROM submissions WHERE id = ?', id)[0]?.data as string }
    },

    /** Attempts all that is due, once or more often. Returns how each attempt ended, at last. */
    async attemptAll(change: object = {}, times = 1) {
      reader.release()
      const { claimed } = claim()
      const attemptOnce = async () =>
        await Promise.all(claimed.map((one) => attempts.attempt({ ...one, ...change }, AbortSignal.timeout(20_000))))
      for (let i = 1; i < times; i++) await attemptOnce()
      return await attemptOnce()
    },
  }
}

/** Of the only mail that arrived. */
const parsed = ({ mails }: { mails: readonly string[] }): Parsed => {
  expect(mails).toHaveLength(1)
  return parseMails(mails)[0] as Parsed
}

const delivered = { result: 'delivered' }
const mebibyte = 1024 * 1024

describe('a standard webhook', () => {
  test('gets a signed address of each file, beside its identifier, and all else byte for byte', async () => {
    const { formId, receiver, submit, attemptAll } = await open()
    const fields = { text: ',"file":"x"} \\ "file":"y"}' }
    const one = submit([{ name: 'a "b" 😀.pdf', bytes: randomBytes(10) }], fields)
    const several = submit([
      { name: 'a.pdf', bytes: randomBytes(10) },
      { name: 'b.pdf', bytes: Buffer.alloc(0) },
    ])
    expect(await attemptAll()).toMatchObject([delivered, delivered])
    const bodies = receiver.arrived.map(({ body }) => body).sort()
    for (const [i, { text, fileIds }] of [one, several].entries()) {
      const urls = [...(bodies[i] as string).matchAll(/,"url":"([^"]*)"\}/g)].map(([, url]) => url as string)
      expect(bodies[i]?.replaceAll(/,"url":"[^"]*"\}/g, '}')).toContain(`"data":${text},"createdAt"`)
      expect(urls).toHaveLength(fileIds.length)
      for (const [position, fileId] of fileIds.entries()) {
        const url = new URL(urls[position] as string)
        expect(url.href).toStartWith(`${publicUrl}/files/${fileId}?expires=${noon / 1000 + 86_400}&signature=`)
        const [expires, signature] = [url.searchParams.get('expires'), url.searchParams.get('signature')]
        expect(readFileLink({ fileId, expires, signature }, key, noon)).toEqual({ state: 'valid', formId, fileId })
      }
    }
    const { data } = JSON.parse(bodies[1] as string).data
    expect(data.files[1]).toEqual({
      filename: 'b.pdf',
      type: 'application/pdf',
      size: 0,
      file: several.fileIds[1],
      url: expect.stringContaining('/files/'),
    })
  })

  test('gets no address of what only says that it is a file of someone else', async () => {
    const { formId, run, receiver, submit, attemptAll } = await open()
    const { fileIds } = submit([{ name: 'secret.pdf', bytes: randomBytes(10) }])
    await attemptAll()
    const forged = JSON.stringify({
      a: { filename: 'a', type: 'b', size: 1, file: fileIds[0] },
      b: { file: fileIds[0] },
    })
    run('createSubmission', { formId, id: newId(noon), data: forged, fieldNames: ['a', 'b'] })
    expect(await attemptAll()).toMatchObject([delivered])
    expect(receiver.arrived[1]?.body).toContain(`"data":${forged},`)
  })

  test('gets none if the address of the server is not known', async () => {
    const { receiver, submit, attemptAll } = await open({ url: '' })
    const { text } = submit([{ name: 'a.pdf', bytes: randomBytes(10) }])
    expect(await attemptAll()).toMatchObject([delivered])
    expect(receiver.arrived[0]?.body).toContain(`"data":${text},`)
  })

  test.each(receivers.format.enumValues.filter((format) => format !== 'standard'))(
    'in the format %s names the files, without an address',
    async (format) => {
      const { receiver, setFormat, submit, attemptAll } = await open()
      setFormat(format)
      submit([
        { name: 'cv.pdf', bytes: randomBytes(1200) },
        { name: 'b\u202efdp.exe', bytes: randomBytes(10) },
      ])
      expect(await attemptAll()).toMatchObject([delivered])
      expect(receiver.arrived[0]?.body).toContain('cv.pdf (PDF, 1.2 kB), b\ufffdfdp.exe (EXE, 10 bytes)')
      expect(receiver.arrived[0]?.body).not.toContain('/files/')
    },
  )
})

describe.skipIf(!hasPython)('a mail', () => {
  const texts = ({ parts }: Parsed): string[] => ['text/plain', 'text/html'].map((type) => parts[type] ?? '')

  test('has a link to each file for who may sign in, and no file', async () => {
    const { formId, email, notify, smtp, submit, attemptAll } = await open()
    notify([email])
    const { id, fileIds } = submit([
      { name: 'a.pdf', bytes: randomBytes(10) },
      { name: 'b.pdf', bytes: randomBytes(10) },
    ])
    expect(await attemptAll()).toMatchObject([delivered, delivered])
    const mail = parsed(smtp)
    expect(mail.files).toEqual([])
    for (const text of texts(mail)) {
      for (const fileId of fileIds)
        expect(text).toContain(`${publicUrl}/forms/${formId}/submissions/${id}/files/${fileId}`)
      expect(text).not.toContain('attached')
      expect(text).not.toContain('signature')
    }
  })

  test('has the files attached if the form wants that', async () => {
    const { wantAttached, smtp, submit, attemptAll } = await open()
    wantAttached()
    const sent = [randomBytes(200_000), Buffer.alloc(0)]
    const { fileIds } = submit(sent.map((bytes, i) => ({ name: `ä${i}.pdf`, bytes })))
    expect(await attemptAll()).toMatchObject([delivered, delivered])
    const mail = parsed(smtp)
    expect(mail.files).toMatchObject(
      sent.map((bytes, i) => ({
        name: `ä${i}.pdf`,
        type: 'application/pdf',
        sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
      })),
    )
    for (const text of texts(mail)) {
      expect(text).toContain(`/files/${fileIds[0]}`)
      expect(text).not.toContain('not attached')
    }
    expect(mail.defects).toEqual([])
  })

  test.each<[string, number[], { script?: Script; attempts?: number }, boolean, string]>([
    ['7 MiB', [3 * mebibyte, 4 * mebibyte], {}, true, ''],
    ['a byte more', [3 * mebibyte, 4 * mebibyte, 1], {}, false, 'because they have more than 7 MiB together'],
    ['what failed twice', [10], { attempts: 3 }, true, ''],
    ['what failed three times', [10], { attempts: 4 }, false, 'because 3 attempts to send them failed'],
    [
      'what the mail server finds too large',
      [mebibyte],
      { script: { EHLO: '250-mail.example.com\r\n250 SIZE 1000000' } },
      false,
      'because the mail server refused them',
    ],
    [
      'what the mail server takes for dangerous',
      [10],
      { script: { '.': (mail) => (mail.includes('filename=') ? '552 5.7.0 blocked' : '250 2.0.0 Ok') } },
      false,
      'because the mail server refused them',
    ],
  ])('of %s arrives, with files attached or the reason why not', async (_, sizes, given, isAttached, reason) => {
    const { script, attempts } = given
    const { wantAttached, smtp, submit, attemptAll } = await open({ ...(script && { script }) })
    wantAttached()
    submit(sizes.map((size, i) => ({ name: `${i}.pdf`, bytes: Buffer.alloc(size, i) })))
    expect(await attemptAll(attempts === undefined ? {} : { attempts })).toMatchObject([delivered, delivered])
    const mail = parseMails(smtp.mails.slice(-1))[0] as Parsed
    expect(mail.files.map(({ size }) => size)).toEqual(isAttached ? sizes : [])
    for (const text of texts(mail)) {
      if (reason === '') expect(text).not.toContain('not attached')
      else expect(text).toContain(`The files are not attached, ${reason}.`)
    }
  })

  test.each<[string, number, (body: string) => Response, number]>([
    ['what is too large for Postmark', 7 * mebibyte, () => json({ ErrorCode: 0 }), 1],
    [
      'a type that Postmark refuses',
      10,
      (body) =>
        body.includes('"Name":"a.exe"') ? json({ ErrorCode: 411, Message: 'Forbidden' }, 422) : json({ ErrorCode: 0 }),
      2,
    ],
  ])('of %s goes with links', async (_, size, answer, requests) => {
    const api = startApi(({ body }) => answer(body))
    const { wantAttached, submit, attemptAll } = await open({ mailUrl: `postmark://token?endpoint=${api.url}` })
    wantAttached()
    const { fileIds } = submit([{ name: 'a.exe', bytes: Buffer.alloc(size) }])
    expect(await attemptAll()).toMatchObject([delivered, delivered])
    expect(api.requests).toHaveLength(requests)
    const { Attachments, TextBody, HtmlBody } = JSON.parse(api.requests.at(-1)?.body ?? '')
    expect(Attachments).toEqual([])
    for (const text of [TextBody, HtmlBody]) {
      expect(text).toContain('The files are not attached, because the mail server refused them.')
      expect(text).toContain(`/files/${fileIds[0]}`)
    }
  })

  test('is the same for each attempt, by which Resend knows it', async () => {
    const api = startApi((_, number) => json({}, number === 1 ? 500 : 200))
    const { wantAttached, submit, attemptAll } = await open({ mailUrl: `resend://key?endpoint=${api.url}` })
    wantAttached()
    submit([{ name: 'a.pdf', bytes: Buffer.alloc(10) }])
    expect(await attemptAll({}, 2)).toMatchObject([delivered, delivered])
    const [first, second, ...others] = api.requests
    expect(others).toEqual([])
    expect(first?.headers.get('idempotency-key')).toMatch(/^[0-9a-z]{20,}$/)
    expect(second?.headers.get('idempotency-key')).toBe(first?.headers.get('idempotency-key') as string)
    expect(second?.body).toBe(first?.body as string)
  })

  test('about a submission without files has no word of them', async () => {
    const { formId, run, wantAttached, smtp, attemptAll } = await open()
    wantAttached()
    run('createSubmission', { formId, id: newId(noon), data: '{"a":"1"}', fieldNames: ['a'] })
    expect(await attemptAll()).toMatchObject([delivered, delivered])
    const mail = parsed(smtp)
    expect(mail.files).toEqual([])
    for (const text of texts(mail)) expect(text).not.toContain('attached')
  })

  test('does not arrive if the submission is deleted while its files are sent, and is not tried again', async () => {
    const { formId, userId, run, wantAttached, smtp, submit, attemptAll, deliveries } = await open({
      // The submission is deleted when the mail server is ready for the mail.
      script: {
        DATA: () => {
          run('deleteSubmissions', { userId, formId, list: 'inbox', ids: [id] })
          return '354 Go on'
        },
      },
    })
    let id = ''
    wantAttached()
    id = submit([{ name: 'a.pdf', bytes: randomBytes(mebibyte) }]).id
    expect((await attemptAll()).map(({ result }) => result).sort()).toEqual(['delivered', 'later'])
    expect(smtp.mails).toEqual([])
    expect(deliveries()).toEqual([])
  })
})
