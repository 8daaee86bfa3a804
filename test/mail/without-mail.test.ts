import { expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '../../src')

test('a server without mail loads neither a way to send, nor a table of answers, nor a library, also for webhooks', () => {
  const program = `
    for (const file of ['server/start.ts', 'stores/stores.ts', 'upkeep/jobs/attempt-delivery.ts'])
      await import('${root}/' + file)
    console.log(Object.keys(require.cache).join('\\n'))`
  const { stdout, stderr } = Bun.spawnSync([process.execPath, '-e', program])
  expect(stderr.toString()).toBe('')
  const loaded = stdout.toString().split('\n')
  expect(loaded.filter((file) => file.endsWith('sending/mail/mailer.ts'))).toHaveLength(1)
  const heavy = /node_modules\/(nodemailer|oauth4webapi)|sending\/mail\/(sender|smtp|api|tokens|failure|answers)\.ts/
  expect(loaded.filter((file) => heavy.test(file))).toEqual([])
})

test('the executable has no part of a library that only other programs need', async () => {
  const { outputs } = await Bun.build({
    entrypoints: [join(root, 'sending/mail/sender.ts')],
    target: 'bun',
    splitting: true,
    minify: { whitespace: true, syntax: true },
  })
  const texts = await Promise.all(outputs.map((output) => output.text()))
  const bundled = texts.join('\n')
  // Names of errors and fields, which stay as they are: of SMTP and of tokens, then of sendmail, SES and device codes.
  const found = ['CLIENT-SECRET', 'maxRequeues', 'client_credentials', 'sendmail', 'SendEmailCommand', 'device_code']
  expect(found.filter((word) => bundled.includes(word))).toEqual(['maxRequeues', 'client_credentials'])
}, 30_000)
