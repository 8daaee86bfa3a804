// The page of the server: who sees it, and each row's sentence in the state that it names.
import { describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { machinesRow, type Row } from '../../src/site/server-rows.ts'
import { describeNodes } from '../../src/storage/cluster/describe.ts'
import { freeBytes } from '../../src/storage/free-disk.ts'
import { newEmail, type Server, sharedServer, startServer, takeReported, writeTo } from '../harness.ts'
import { mailSettings, startSmtp } from '../mail/smtp-server.ts'
import { until } from '../until.ts'
import { signedIn } from '../visitor.ts'
import { world } from '../world.ts'

/** An operator at the browser. */
const operator = async (server: Server) => {
  const visitor = await signedIn(server, newEmail())
  writeTo(server.folder, (db) => db.$client.run('UPDATE users SET is_operator = 1 WHERE id = ?', [visitor.userId]))
  return visitor
}

const withSettings = async (settings: Record<string, string>) => {
  const server = await startServer({ settings })
  return { server, ada: await operator(server) }
}

/** A row of the page by its name: its mark, and its text in one line. */
const rowOf = (html: string, name: string): string => {
  const [, mark, rest] =
    new RegExp(`<li class="is-(\\w+)">\\s*<div class="what"><p><strong>${name}</strong>([\\s\\S]*?)</li>\\n`).exec(
      html,
    ) ?? []
  if (!rest) throw new Error(`no row ${name}`)
  const [, chip = '', says = ''] = /^(.*?)<\/p>\s*<p class="muted">([\s\S]*?)<\/p>/.exec(rest) ?? []
  const toText = (part: string) =>
    Bun.stripANSI(part.replaceAll(/<[^>]*>/g, ''))
      .replaceAll(/\s+/g, ' ')
      .trim()
  return [mark, toText(chip), toText(says)].filter(Boolean).join(' | ')
}

const publicUrl = { FORMBOX_URL: 'https://forms.example.com' }

describe('/server', () => {
  test('is for operators: no one else finds it, is led to it, or can use its buttons', async () => {
    const server = await sharedServer()
    const [ada, eve] = [await operator(server), await signedIn(server, newEmail())]
    const page = await ada.get('/server')
    expect([page.status, page.heading]).toEqual([200, 'Server'])
    expect((await ada.get('/forms')).html).toContain('<a href="/server">Server')
    expect((await eve.get('/forms')).html).not.toContain('/server')
    for (const refused of [
      await eve.get('/server'),
      await eve.post('/server/mail'),
      await eve.post('/server/backup'),
    ]) {
      expect(refused.status).toBe(404)
      expect(refused.html).not.toContain(ada.email)
    }
    writeTo(server.folder, (db) => db.$client.run('UPDATE users SET is_operator = 0 WHERE id = ?', [ada.userId]))
    expect((await ada.get('/server')).status).toBe(404)
  })

  test('lists users with what they have, and nothing of what is in it', async () => {
    const { server, ada } = await withSettings({})
    const bob = await world({ server, form: { title: 'Secret plans' } })
    const { html, texts } = await ada.get('/server')
    expect(html).not.toContain('Secret plans')
    expect(texts.join('\n')).toContain('You. No form · password · now')
    expect(html).toContain(bob.ada.email)
    expect(texts.join('\n')).toContain('1 form · ')
  })

  test('says all that is to be set in one block, in the words of the way that it runs, which can be chosen', async () => {
    const { ada } = await withSettings({})
    const page = await ada.get('/server?run=systemd')
    expect(page.headings).toContain('Four things to set, in one go')
    expect(page.html).toContain(
      [
        'FORMBOX_URL=https://forms.example.com',
        'FORMBOX_MAIL_URL=&#x27;smtps://USER:PASSWORD@smtp.provider.example&#x27;',
        'FORMBOX_MAIL_FROM=&#x27;Formbox &lt;forms@example.com&gt;&#x27;',
        'FORMBOX_TRUST_PROXY=127.0.0.1',
        'FORMBOX_BACKUP_EVERY=24h',
      ].join('\n'),
    )
    expect(page.html).toContain('sudo systemctl restart formbox')
    expect(page.html).toContain('<span class="count is-bad">4<span class="visually-hidden"> to set</span></span>')
    const docker = await ada.get('/server?run=docker')
    expect(docker.html).toContain('      FORMBOX_MAIL_FROM: &quot;Formbox &lt;forms@example.com&gt;&quot;')
    expect(docker.html).toContain('docker compose up --detach')
    expect((await ada.get('/server?run=kubernetes')).html).toContain(
      '{ name: FORMBOX_BACKUP_EVERY, value: &quot;24h&quot; }',
    )
    expect((await ada.get('/server?run=other')).html).toContain('export FORMBOX_BACKUP_EVERY=24h')
    expect(rowOf(page.html, 'Address')).toBe(
      'look | Not set | Forms can be sent from this computer only. Visitors need a name with a certificate, and a proxy in front.',
    )
    expect(rowOf(page.html, 'Email')).toStartWith('look | Not set | Nobody is told of a message')
    expect(rowOf(page.html, 'Visitors’ addresses')).toStartWith('look | Not set | No proxy is named.')
    expect(rowOf(page.html, 'Backups')).toStartWith('look | Off | No backup is made.')
    expect(rowOf(page.html, 'Version')).toMatch(/^ok \| \d+\.\d+\.\d+, since /)
  })

  test('is calm where all is set', async () => {
    const { port } = await startSmtp()
    const settings = {
      ...mailSettings(port),
      FORMBOX_TRUST_PROXY: '127.0.0.1',
      FORMBOX_BACKUP_EVERY: '24h',
      FORMBOX_MIN_FREE: '0',
    }
    const { ada } = await withSettings(settings)
    const ask = () => ada.get('/server', { 'x-forwarded-for': '203.0.113.24' })
    await until(async () => rowOf((await ask()).html, 'Backups').startsWith('ok'), 'the first backup is made')
    const { html, headings } = await ask()
    expect(headings).toEqual(['Server', 'Users'])
    expect(rowOf(html, 'Address')).toBe('ok | People and programs reach this server at https://forms.example.com.')
    expect(rowOf(html, 'Visitors’ addresses')).toBe(
      'ok | Read from the proxy at 127.0.0.1. You come from 203.0.113.24; is that so?',
    )
    expect(rowOf(html, 'Backups')).toMatch(
      /^ok \| Every 24 hours\. The last .*, \d\.\d MB; 1 is kept here, on the same disk\.$/,
    )
    expect(html).not.toContain('class="count is-bad"')
  })
})

describe('the row Email', () => {
  test('shows the answer to a test, to the operator’s own address', async () => {
    const smtp = await startSmtp()
    const { ada } = await withSettings(mailSettings(smtp.port))
    const page = await ada.post('/server/mail?run=docker')
    expect(page.text).toContain(`The test to ${ada.email} was accepted by the mail server after`)
    expect(page.text).toContain('250 2.0.0 Ok: queued as 4F1')
    expect(smtp.lines).toContain(`RCPT TO:<${ada.email}>`)
    expect(rowOf(page.html, 'Email')).toMatch(
      /^ok \| Through 127\.0\.0\.1:\d+, from Formbox &lt;forms@example\.com&gt;\. 1 email accepted since the start, the last just now\.$/,
    )
    for (let i = 1; i < 10; i++) expect((await ada.post('/server/mail')).text).toContain('was accepted')
    expect((await ada.post('/server/mail')).text).toContain('Too many tests. Wait')
    expect(smtp.mails).toHaveLength(10)
  })

  test('says that the password is wrong in the words of the table, and shows no secret', async () => {
    const smtp = await startSmtp({ AUTH: '535 5.7.8 Bad credentials' })
    const { ada } = await withSettings({
      ...mailSettings(smtp.port),
      FORMBOX_MAIL_URL: `smtp://ada:topsecret@127.0.0.1:${smtp.port}`,
    })
    const page = await ada.post('/server/mail')
    expect(page.text).toContain(`The test to ${ada.email} was not sent. `)
    expect(page.html).toContain('535 5.7.8 Bad credentials')
    expect(rowOf(page.html, 'Email')).toMatch(
      /^bad \| Wrong \| The mail server refused the user or the password\. .* \(just now\)\. Through 127/,
    )
    expect(page.html).not.toContain('topsecret')
  })

  test('has what a delivery has shown, until one is accepted', async () => {
    let isOpen = false
    const smtp = await startSmtp({ MAIL: () => (isOpen ? '250 2.1.0 Ok' : '451 4.3.0 Come back later') })
    const { server, ada } = await withSettings(mailSettings(smtp.port))
    const { ada: bob, submit } = await world({ server })
    const forms = (await bob.call('GET', '/forms')).body.forms
    await bob.call('PATCH', `/forms/${forms[0].id}/settings`, { notify: [bob.email] })
    await submit({ a: '1' })
    const row = async () => rowOf((await ada.get('/server')).html, 'Email')
    await until(async () => (await row()).startsWith('look | Fails | '), 'the failure is shown')
    isOpen = true
    await ada.post('/server/mail')
    expect(await row()).toStartWith('ok | ')
  })
})

describe('the row Visitors’ addresses', () => {
  test('says that a proxy asks that no setting names, and names it', async () => {
    const { ada } = await withSettings(publicUrl)
    const { html } = await ada.get('/server?run=systemd', { 'x-forwarded-for': '203.0.113.24' })
    expect(rowOf(html, 'Visitors’ addresses')).toBe(
      'bad | Wrong | You come through a proxy at 127.0.0.1 that no setting names: limits count all visitors as one.',
    )
    expect(html).toContain('FORMBOX_TRUST_PROXY=127.0.0.1')
  })

  test('says that all messages come from one private address', async () => {
    const { server, ada } = await withSettings(publicUrl)
    const { submit } = await world({ server })
    for (let i = 0; i < 4; i++) await submit({ a: String(i) })
    const row = async () => rowOf((await ada.get('/server')).html, 'Visitors’ addresses')
    expect(await row()).toBe('ok | Visitors come without a proxy. You come from 127.0.0.1; is that so?')
    await submit({ a: '5' })
    expect(await row()).toBe(
      'bad | Wrong | All 5 messages came from 127.0.0.1, which is the proxy: limits count all visitors as one.',
    )
  })

  test('says that the proxy does not pass on who asks', async () => {
    const { ada } = await withSettings({ ...publicUrl, FORMBOX_TRUST_PROXY: '127.0.0.1' })
    const { html } = await ada.get('/server', { host: 'forms.example.com' })
    expect(rowOf(html, 'Visitors’ addresses')).toStartWith('bad | Wrong | The proxy at 127.0.0.1 does not say who asks')
  })
})

describe('the row Backups', () => {
  test('makes one at a time, once a minute; the next takes the place of the last, and of no other', async () => {
    const { server, ada } = await withSettings({})
    const page = await ada.post('/server/backup')
    expect(page.text).toContain('A backup was made.')
    expect(rowOf(page.html, 'Backups')).toMatch(/^look \| Off \| .* The last just now, \d\.\d MB\.$/)
    const again = await ada.post('/server/backup')
    expect(again.text).toContain('A backup was made less than a minute ago.')
    const names = [...new Bun.Glob('*').scanSync(join(server.folder, 'backups'))]
    expect(names).toEqual([expect.stringMatching(/^formbox-\d{8}T\d{6}Z\.db$/)])
    expect(page.html).toContain(names[0] as string)
  })

  test('says why none could be made', async () => {
    const { server, ada } = await withSettings({})
    writeFileSync(join(server.folder, 'backups'), 'a file where the folder should be')
    const page = await ada.post('/server/backup?run=systemd')
    expect(page.text).toContain('No backup was made. Below stands why.')
    expect(rowOf(page.html, 'Backups')).toMatch(
      /^bad \| Failed \| cannot make a backup in .*\(just now\)\. There is none\.$/,
    )
    expect(takeReported().join()).toContain('cannot make a backup in')
  })

  test('says that the last one is too long ago', async () => {
    const { server, ada } = await withSettings({})
    const folder = join(server.folder, 'backups')
    mkdirSync(folder)
    writeFileSync(join(folder, 'formbox-20200101T000000Z.db'), 'x')
    expect(rowOf((await ada.get('/server')).html, 'Backups')).toMatch(/^look \| Off \| .* The last 1 Jan 2020/)
    rmSync(folder, { recursive: true })
  })
})

describe('the row Space', () => {
  test('says that the disk is nearly full, and that files are refused', async () => {
    // The unit that has at most four digits.
    const enough = (freeBytes(tmpdir()) * 0.8) / 1024 ** 2
    const minFree = enough < 9999 ? `${Math.floor(enough)}MiB` : `${Math.floor(enough / 1024)}GiB`
    const look = await withSettings({ FORMBOX_MIN_FREE: minFree })
    expect(rowOf((await look.ada.get('/server')).html, 'Space')).toMatch(
      /^look \| Look \| Data \d\.\d MB\. [\d.]+ [MGT]B free: below [\d.]+ [MGT]B, files are refused\.$/,
    )
    const full = await withSettings({ FORMBOX_MIN_FREE: '9999GiB' })
    expect(rowOf((await full.ada.get('/server')).html, 'Space')).toMatch(
      /^bad \| Full \| .* free: files are refused below/,
    )
    const calm = await withSettings({ FORMBOX_MIN_FREE: '0' })
    expect((await calm.ada.get('/server')).html).toContain('aria-label="Data ')
  })
})

describe('the row Machines', () => {
  const node = { instance: 'a', version: 1, url: null, backedUp: null, secondsAgo: 1 }

  test('is there in a cluster alone', async () => {
    const { ada } = await withSettings({})
    expect((await ada.get('/server')).html).not.toContain('<strong>Machines</strong>')
  })

  test('says which machine is behind, or off', () => {
    const nodes = [
      { ...node, name: 'one', applied: 5000 },
      { ...node, name: 'two', applied: 10 },
      { ...node, name: 'three', applied: 5000, secondsAgo: 120 },
    ]
    const row = machinesRow({ machines: describeNodes(nodes, { first: 1, last: 5000 }) }) as Row
    expect([row.is, row.chip]).toEqual(['bad', 'Look'])
    expect((row.says as { markup: string }).markup.replaceAll(/<[^>]*>/g, '')).toBe(
      'two is 4990 rows behind and catches up. three has not reported for 2 minutes: start it, or forget it if it will not return.',
    )
    expect(machinesRow({ machines: describeNodes(nodes.slice(0, 1), { first: 1, last: 5000 }) })).toMatchObject({
      is: 'ok',
      says: '1 machine, all with the same data.',
    })
    expect(machinesRow({ machines: 'it does not answer' })).toMatchObject({ is: 'bad', chip: 'No log' })
  })
})
