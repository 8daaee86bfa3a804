// Many mails with files attached, to a mail server that reads none of them for a while: what waits is in the data file,
// not in memory.
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { maxAttachedBytes } from '../../../../src/sending/mail/attachments.ts'
import { afterThisTest } from '../../../harness.ts'
import { openOutbox } from '../../../outbox/outbox.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { submitFiles } from '../../../stored-files.ts'
import { peakBytes, residentBytes, startProcess, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const mails = 10
/** While the first one is stuck and three more wait: 17 MB here, most of it for the library that sends mails. */
const maxStalled = 40_000_000
/** While they are sent, 100 MB a second, which leaves much to be collected: 36 MB for one, 66 for 10, 110 for 180. */
const maxFlowing = 150_000_000

/** A mail server that stops reading in the middle of each mail, until it is told to go on. */
const startStalling = async () => {
  const held = new Set<Socket>()
  let isReading = false
  let arrived = 0
  let bytes = 0
  const server = createServer((socket) => {
    let isMail = false
    let end = ''
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        const text = chunk.toString('latin1')
        if (isMail) {
          bytes += chunk.length
          end = (end + text).slice(-5)
          if (end !== '\r\n.\r\n') {
            if (isReading) return
            held.add(socket)
            return void socket.pause()
          }
          arrived++
        }
        isMail = !isMail && text.startsWith('DATA')
        socket.write(isMail ? '354 Go on\r\n' : '250 Ok\r\n')
      })
    socket.write('220 mail.example.com ESMTP\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterThisTest(() => void server.close())
  return {
    url: `smtp://127.0.0.1:${(server.address() as { port: number }).port}`,
    held: () => held.size,
    arrived: () => arrived,
    bytes: () => bytes,
    goOn: () => {
      isReading = true
      for (const socket of held) socket.resume()
    },
  }
}

test.skipIf(process.platform !== 'linux')(
  'mails with files take little memory, however many wait for the mail server',
  async () => {
    const { folder, db, formId, userId, email, notify, run } = openOutbox()
    notify([email])
    run('updateFormSettings', { userId, id: formId, now: Date.now(), changes: { attachFiles: true } })
    for (let i = 0; i < mails; i++)
      submitFiles({ folder }, formId, [
        { name: 'cv.pdf', type: 'application/pdf', bytes: randomBytes(maxAttachedBytes) },
      ])
    db.$client.close()

    const smtp = await startStalling()
    const settings = {
      FORMBOX_MAIL_URL: smtp.url,
      FORMBOX_MAIL_FROM: 'forms@example.com',
      FORMBOX_URL: 'https://x.example',
    }
    const server = await startProcess({ folder, settings })
    const before = residentBytes(server)
    const begun = () => rowsOf(folder, 'SELECT id FROM deliveries WHERE attempts = 1').length
    await until(() => smtp.held() === 1 && begun() === 4, 'four attempts are under way', slowly)
    const stalled = residentBytes(server) - before
    smtp.goOn()
    await until(() => smtp.arrived() === mails, 'all mails have arrived', slowly)
    const flowing = peakBytes(server) - before
    const [first, second] = [stalled, flowing].map((bytes) => (bytes / 1e6).toFixed(0))
    tell(`${mails} mails with files: ${first} MB more while they wait, ${second} MB while they are sent`)
    expect(stalled).toBeLessThan(maxStalled)
    expect(flowing).toBeLessThan(maxFlowing)
    expect(smtp.bytes()).toBeGreaterThan(mails * 10_000_000)
    expect(server.errors()).toBe('')
  },
  timeout,
)
