import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseConfig } from '../../src/config/config.ts'
import { withSenders } from '../../src/config/senders.ts'
import { temporaryFolder } from '../harness.ts'

const mail = {
  FORMBOX_URL: 'https://forms.example.com',
  FORMBOX_MAIL_URL: 'smtp://localhost',
  FORMBOX_MAIL_FROM: 'Formbox <forms@example.com>',
}

/** What is read in a file with this text, in the folder with a file `url`. */
const sendersIn = async (text: string, settings: object = mail) => {
  const folder = temporaryFolder()
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'senders.toml')
  writeFileSync(file, text)
  writeFileSync(join(folder, 'url'), 'smtps://ada:hunter2@smtp.example.org\n')
  return (await withSenders(parseConfig({ ...settings, FORMBOX_SENDERS_FILE: file }))).senders
}

const from = 'from = "Bakery Ada <hello@bakery.example>"'

describe('FORMBOX_SENDERS_FILE', () => {
  test('has a table for each sender; what it leaves out is that of the server', async () => {
    const senders = await sendersIn(`
[bakery]
${from}
users = ["Ada@Example.com"]
[by-file]
from = "a@b.example"
urlFile = "url"
[microsoft]
from = "c@d.example"
url = "graph://11111111-2222-3333-4444-555555555555"
oauth = { clientId = "id", clientSecret = "secret" }
`)
    expect(senders).toMatchObject([
      {
        name: 'bakery',
        users: ['ada@example.com'],
        mail: {
          from: { name: 'Bakery Ada', address: 'hello@bakery.example' },
          server: { host: 'localhost' },
          oauth: null,
        },
      },
      { name: 'by-file', users: null, mail: { server: { host: 'smtp.example.org', credentials: { user: 'ada' } } } },
      { name: 'microsoft', mail: { server: { way: 'graph' }, oauth: { clientId: 'id' }, publicUrl: mail.FORMBOX_URL } },
    ])
    expect(await sendersIn('')).toEqual([])
    expect((await withSenders(parseConfig(mail))).senders).toEqual([])
  })

  test.each([
    [`[bakery]\n`, 'bakery.from in FORMBOX_SENDERS_FILE: must be set'],
    [`[bakery]\nfrom = 1`, 'bakery.from in FORMBOX_SENDERS_FILE: must be text'],
    [`[bakery]\nfrom = "Ada"`, 'bakery.from in FORMBOX_SENDERS_FILE: must be one address'],
    [`[bakery]\n${from}\nurls = "x"`, 'bakery.urls in FORMBOX_SENDERS_FILE: unknown; must be one of from, url,'],
    [`[bakery]\n${from}\nurl = "http://hunter2"`, 'bakery.url in FORMBOX_SENDERS_FILE: must be smtp'],
    [`[bakery]\n${from}\nurl = "smtp://a"\nurlFile = "url"`, 'must not stand beside urlFile'],
    [`[bakery]\n${from}\noauth = { clientId = "x" }`, 'bakery.oauth in FORMBOX_SENDERS_FILE: needs url'],
    [
      `[bakery]\n${from}\nurl = "smtp://ada@a"\noauth = { id = "x" }`,
      'bakery.oauth.id in FORMBOX_SENDERS_FILE: unknown',
    ],
    [`[bakery]\n${from}\nurl = "smtp://ada@a"\noauth = { clientId = "x" }`, 'bakery.oauth.clientSecret in'],
    [`[bakery]\n${from}\nusers = "ada@example.com"`, 'bakery.users in FORMBOX_SENDERS_FILE: must be a list of email'],
    [`[bakery]\n${from}\nusers = ["ada"]`, 'must be a list of email addresses of users'],
    [`["bakery ada"]\n${from}`, 'must be named with 1 to 60 letters, digits, _ and -'],
    [`bakery = "x"`, 'bakery in FORMBOX_SENDERS_FILE: must be a table'],
    [`[bakery`, 'line 1'],
    [Array.from({ length: 51 }, (_, n) => `[s${n}]\n${from}\n`).join(''), 'must have at most 50 tables; has 51'],
    [' '.repeat(300_000), 'is larger than 262144 bytes'],
  ])('is refused with %j', async (text, message) => {
    const refused = await sendersIn(text).catch((error) => JSON.stringify([error.message, error.issues]))
    const [field = '', ...rest] = message.split(': ')
    for (const part of rest.length > 0 ? [field, rest.join(': ')] : [field]) expect(refused).toContain(part)
    expect(refused).not.toContain('hunter2')
  })

  test('is refused without mail of the server, and if it is missing', async () => {
    expect(sendersIn(`[bakery]\n${from}`, {})).rejects.toThrow()
    expect(withSenders(parseConfig({ ...mail, FORMBOX_SENDERS_FILE: '/nowhere.toml' }))).rejects.toThrow('nowhere.toml')
  })
})
