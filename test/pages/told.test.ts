import { describe, expect, test } from 'bun:test'
import { hashOfPerson } from '../../src/outbox/known-addresses.ts'
import { startReceiver } from '../deliveries/receiver.ts'
import { writeTo } from '../harness.ts'
import { mailSettings, startSmtp, unfolded } from '../mail/smtp-server.ts'
import { rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { owner } from '../visitor.ts'
import { siteWorld } from '../world.ts'

const local = { FORMBOX_WEBHOOK_ALLOW: '127.0.0.1' }
const mail = {
  FORMBOX_MAIL_URL: 'smtp://mail.example.com',
  FORMBOX_MAIL_FROM: 'forms@example.com',
  FORMBOX_URL: 'http://forms.example.com',
}
const publicOrigin = { origin: mail.FORMBOX_URL }

const ownerWithForm = async (environment: Record<string, string> = local) => {
  const { server, ada, formId: id, path, submit } = await siteWorld({ environment })
  const settings = `${path}/settings`
  const webhooks = async () => (await ada.api.call('GET', `${path}/webhooks`)).body.webhooks
  const add = (fields: Record<string, string>) => ada.post(`${settings}/told/new`, fields)
  const notify = async () => (await ada.api.call('GET', settings)).body.notify
  return { server, ada, id, path, settings, webhooks, add, notify, submit }
}

describe('a new receiver', () => {
  test('gets a test at once, and the page shows its own words', async () => {
    const { ada, settings, webhooks, add } = await ownerWithForm()
    const receiver = startReceiver(() => new Response('<b>ok'))
    const { status, location } = await add({
      kind: 'slack',
      url: `${receiver.url}/hooks/key`,
      description: ' #orders ',
    })
    const [{ id, ...webhook }] = await webhooks()
    expect(webhook).toMatchObject({
      format: 'slack',
      description: '#orders',
      enabled: true,
      url: `${receiver.url}/hooks/•••`,
    })
    expect([status, location]).toEqual([303, `${settings}?tested=${id}#test-result`])
    expect(receiver.arrived).toHaveLength(1)
    const { text, html } = await ada.get(location?.split('#')[0] ?? '')
    expect(text).toContain('the test arrived: accepted with 200')
    expect(text).toContain('<b>ok')
    // Slack checks no signatures.
    expect(html).not.toContain('whsec_')
    expect((await ada.get(settings)).text).toContain('Chat #orders')
  })

  test('that refuses the test is kept, switched off, and its form stays open with what it said', async () => {
    const { ada, settings, webhooks, add } = await ownerWithForm()
    const receiver = startReceiver(() => new Response('no_text', { status: 400 }))
    const { location } = await add({ kind: 'slack', url: `${receiver.url}/hooks/key` })
    const [{ id, enabled }] = await webhooks()
    expect(enabled).toBe(false)
    expect(location).toBe(`${settings}/told/${id}?tested=${id}&off=yes#test-result`)
    const page = await ada.get(location?.split('#')[0] ?? '')
    expect(page.text).toContain('no_text')
    expect(page.text).toContain('It is kept, and switched off until a test arrives.')
    expect(page.field('url')?.value).toBe(`${receiver.url}/hooks/•••`)
    expect((await ada.get(settings)).button('Switch on Chat 127.0.0.1')).toBeUndefined()
    expect((await ada.get(settings)).text).toContain('Switch on')
  })

  test('shows a secret once if it is a program', async () => {
    const { ada, settings, webhooks, add, server } = await ownerWithForm()
    const receiver = startReceiver(() => new Response(null, { status: 204 }))
    const { location } = await add({ kind: 'program', url: receiver.url, headers: 'X-Key: abc' })
    const [{ id, format }] = await webhooks()
    expect(format).toBe('standard')
    expect(location).toBe(`${settings}?tested=${id}&secret=${id}#test-result`)
    const secret = rowsOf(server.folder, 'SELECT secret FROM receivers WHERE id = ?', id)[0]?.secret as string
    const page = location?.split('#')[0] ?? ''
    expect((await ada.get(page)).texts).toContain(secret)
    expect((await ada.get(page)).html).not.toContain('whsec_')
  })

  test.each([
    ['slack', 'https://discord.com/api/webhooks/1/a', '', 'Discord', undefined],
    ['slack', 'https://a.logic.azure.com/workflows/1?sig=s', 'a workflow of Microsoft Teams', 'Teams', 'teams'],
    ['program', 'https://hooks.slack.com/services/T/B/C', 'Slack', 'Slack', 'slack'],
    ['teams', 'https://api.telegram.org/bot1:a/sendMessage?chat_id=1', 'Telegram', 'Telegram', 'telegram'],
  ])('of %s at %s is taken, or leads to the form that takes it', async (kind, url, service, name, better) => {
    const { ada, settings, webhooks } = await ownerWithForm()
    if (better === undefined) {
      // Nothing may leave this machine: the address is only looked at.
      const { status, body } = await ada.api.call('POST', settings.replace('settings', 'webhooks'), {
        url,
        format: kind,
      })
      expect([status, body.id === undefined]).toEqual([200, false])
      expect((await ada.get(settings)).text).toContain(name)
      return
    }
    const page = await ada.post(`${settings}/told/new`, { kind, url })
    expect(page.status).toBe(400)
    expect(page.problem('url')).toStartWith(`This is an address of ${service}, which refuses`)
    expect(page.link(`Add it to ${name}`)).toBe(`${settings}/told/new?kind=${better}`)
    expect(await webhooks()).toEqual([])
  })

  test.each([
    ['url', { url: 'example.com' }, 'Must be an absolute http or https URL of 1 to 2048 characters'],
    ['url', { url: 'http://10.0.0.1/x' }, 'Must be at a public address'],
    ['only', { onlyField: 'a' }, 'Must have a field and its value, each of 1 to 255 characters'],
    ['description', { description: 'x'.repeat(201) }, 'Must be at most 200 characters; got 201.'],
    ['headers', { headers: 'nothing' }, 'Must be one header a line'],
  ])('says what is wrong with the %s, and keeps what was typed', async (name, wrong, message) => {
    const { add, webhooks } = await ownerWithForm()
    const typed = { kind: 'program', url: 'https://typed.example', description: 'Typed', ...wrong }
    const { status, html } = await add(typed)
    expect(status).toBe(400)
    expect(html).toContain(`id="${name}-error">${message}`)
    expect(html).toContain(`value="${typed.description}"`)
    expect(await webhooks()).toEqual([])
  })

  test('of Telegram has a token and a chat, and keeps the token that is not shown', async () => {
    const { ada, path, settings, webhooks } = await ownerWithForm()
    const { url } = startReceiver(() => new Response('{"ok":true}'))
    await ada.api.call('POST', `${path}/webhooks`, {
      url: `${url}/bot12:ab/sendMessage?disable_notification=true&chat_id=1`,
      format: 'telegram',
    })
    const [{ id }] = await webhooks()
    const page = await ada.get(`${settings}/told/${id}`)
    expect([page.field('token')?.value, page.field('chat')?.value]).toEqual(['•••', '1'])
    expect((await ada.post(`${settings}/told/${id}`, { kind: 'telegram', token: '•••', chat: '-2' })).status).toBe(303)
    expect(await webhooks()).toMatchObject([
      { url: `${url}/bot•••/sendMessage?disable_notification=true&chat_id=-2`, enabled: true },
    ])
  })
})

describe('what arrives there', () => {
  test('is shown of the newest message below the form of a chat or a phone, and of an example before', async () => {
    const { ada, settings, submit } = await ownerWithForm()
    const shown = async (kind: string) => (await ada.get(`${settings}/told/new?kind=${kind}`)).text
    expect(await shown('slack')).toContain('emailada@example.commessageGood day, …Open the submission')
    await submit({
      name: '<b>Zoé',
      text: 'x'.repeat(200),
      ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`f${n}`, n])),
    })
    for (const kind of ['slack', 'teams', 'discord', 'telegram', 'phone']) {
      const text = await shown(kind)
      expect(text).toContain(`What arrives there ${kind === 'phone' ? '' : 'New submission: '}`)
      expect(text).toContain(`name<b>Zoétext${'x'.repeat(85)}…f11f22f33f44…`)
      expect(text.includes('Open the submission')).toBe(kind !== 'phone')
    }
    for (const kind of ['email', 'program']) expect(await shown(kind)).not.toContain('What arrives there')
    await submit({ text: 'x'.repeat(300_000) })
    expect(await shown('slack')).toContain('emailada@example.com')
  })
})

describe('addresses', () => {
  test('are added with one click while nobody is told, changed and removed, each in a row', async () => {
    const { ada, settings, notify } = await ownerWithForm(mail)
    const page = await ada.get(settings)
    expect(page.html.match(/<h2[ >][^<]*<\/h2>/g)).toEqual(['<h2 id="where">Where should messages go?</h2>'])
    expect(page.text).toContain('Nobody is told of new messages.')
    expect(page.button('Email me each message')).toBeDefined()
    const post = (rest: string, fields: Record<string, string>) =>
      ada.post(`${settings}/told/${rest}`, fields, publicOrigin)
    const me = { kind: page.hidden('kind') ?? '', address: page.hidden('address') ?? '' }
    expect(await post('new', me)).toMatchObject({ status: 303, location: `${settings}?done=told#notice` })
    expect(await notify()).toEqual([ada.email])
    const two = {
      kind: 'email',
      address: 'Bob <bob@example.com>, c@example.com',
      digest: 'day',
      onlyField: 'a',
      onlyEquals: 'b',
    }
    expect((await post('new', two)).status).toBe(303)
    const way = { only: { field: 'a', equals: 'b' }, digest: 'day' }
    expect(await notify()).toEqual([
      ada.email,
      { address: 'bob@example.com', ...way },
      { address: 'c@example.com', ...way },
    ])
    const listed = await ada.get(settings)
    expect(listed.text).toContain('Once a day at 07:00, if a is “b”.')
    const change = listed.link('Change bob@example.com') ?? ''
    expect((await ada.get(change)).field('address')?.value).toBe('bob@example.com')
    expect((await ada.post(change, { address: 'dora@example.com' }, publicOrigin)).status).toBe(303)
    expect(await notify()).toEqual([ada.email, { address: 'c@example.com', ...way }, 'dora@example.com'])
    const dora = (await ada.get(settings)).link('Change dora@example.com')
    expect((await ada.post(`${dora}/remove`, {}, publicOrigin)).status).toBe(303)
    expect(await notify()).toEqual([ada.email, { address: 'c@example.com', ...way }])
  })

  test.each([
    [' ada@example.com\r\n\r\noffice@example.com\r\nOffice@Example.com', ['ada@example.com', 'Office@Example.com']],
    [
      'Bob <bob@example.com>\r\n "Lovelace, Ada; King" < ada@example.com >, <cy@example.com>;dan@example.com',
      ['bob@example.com', 'ada@example.com', 'cy@example.com', 'dan@example.com'],
    ],
  ])('are taken out of what mail programs copy: %j', async (address, stored) => {
    const { add, notify } = await ownerWithForm(mail)
    expect((await add({ kind: 'email', address })).status).toBe(303)
    expect(await notify()).toEqual(stored)
  })

  test.each([
    [{ address: 'nobody' }, 'Must be email addresses such as ada@example.com; got "nobody".'],
    [{ address: 'a@b\r\n<i>"' }, 'Must be email addresses such as ada@example.com; got "<i>\\"".'],
    [{ address: 'Bob <bob>' }, 'Must be email addresses such as ada@example.com; got "bob".'],
    [{ address: 'Bob <>' }, 'Must be email addresses such as ada@example.com; got "Bob <>".'],
    [
      { address: 'Bob <a@example.com> <b@example.com>' },
      'Must be email addresses such as ada@example.com; got "Bob <a@example.com> <b@example.com>".',
    ],
    [
      { address: 'Lovelace, Ada <ada@example.com>' },
      'Must be email addresses such as ada@example.com; got "Lovelace".',
    ],
    [{ address: '' }, 'Must be an email address such as ada@example.com'],
    [{ address: 'a@b', onlyField: 'topic' }, 'Must have both a field and its value, each of 1 to'],
    [{ address: Array.from({ length: 11 }, (_, i) => `${i}@x.example`).join() }, 'Must be at most 10 addresses'],
  ])('are refused: %j', async (fields, message) => {
    const { ada, settings, notify } = await ownerWithForm(mail)
    const { status, problem } = await ada.post(`${settings}/told/new`, { kind: 'email', ...fields }, publicOrigin)
    expect([status, problem('address')?.startsWith(message)]).toEqual([400, true])
    expect(await notify()).toEqual([])
  })

  test('are not asked for by a server that sends no mail, which says whom to ask', async () => {
    const { ada, settings, add, notify } = await ownerWithForm()
    const tile = (await ada.get(settings)).link('EmailNot set up here')
    expect(tile).toBe(`${settings}/told/new?kind=email`)
    const page = await ada.get(tile ?? '')
    expect(page.text).toContain(
      'This server cannot send email yet. Until then, choose another way. Ask the person who runs the server to set it up.',
    )
    expect(page.html).not.toContain('FORMBOX_')
    expect(page.field('address')).toBeUndefined()
    expect((await add({ kind: 'email', address: ada.email })).status).toBe(400)
    expect(await notify()).toEqual([])
  })

  test('are set up by an operator, whom the pages lead to Server', async () => {
    const { server, ada, settings } = await ownerWithForm()
    writeTo(server.folder, ({ $client }) => $client.run('UPDATE users SET is_operator = 1 WHERE id = ?', [ada.userId]))
    expect((await ada.get(settings)).link('EmailNot set up here')).toBe('/server')
    for (const page of [`${settings}/told/new?kind=email`, settings, '/forms/new'])
      expect((await ada.get(page)).link('Set it up under Server')).toBe('/server')
  })

  test('are told of a silence, and the page says when, and when they were', async () => {
    const { server, ada, id, path, settings } = await ownerWithForm(mail)
    await ada.api.call('PATCH', settings, { notify: [ada.email] })
    expect((await ada.get(settings)).text).not.toContain('the addresses get an email')
    await ada.api.call('PATCH', settings, { quietDays: 7 })
    const { text, html } = await ada.get(settings)
    expect(text).toContain('If nothing comes for 7 days, the addresses get an email: on ')
    expect(html).toContain('<a href="#silence">Change</a>')
    writeTo(server.folder, ({ $client }) =>
      $client.run('UPDATE silences SET tell_at = NULL WHERE form = (SELECT number FROM forms WHERE id = ?)', [id]),
    )
    expect((await ada.get(`${path}/settings`)).text).toContain('they got it, and nothing has come since ')
  })
})

describe('the test of an address', () => {
  const withMail = async (script: Parameters<typeof startSmtp>[0] = {}) => {
    const smtp = await startSmtp(script)
    const world = await ownerWithForm({ ...mail, FORMBOX_MAIL_URL: mailSettings(smtp.port).FORMBOX_MAIL_URL })
    const { ada, settings } = world
    const post = (path: string, fields: Record<string, string> = {}) => ada.post(path, fields, publicOrigin)
    const said = async (location: string | null) => (await ada.get(location?.split('#')[0] ?? '')).text
    const tests = () => smtp.mails.filter((one) => one.includes('Subject: Test: '))
    const add = (address: string) => post(`${settings}/told/new`, { kind: 'email', address, do: 'test' })
    const testPath = async (address: string) => `${(await ada.get(settings)).link(`Change ${address}`)}/test`
    return { ...world, post, said, tests, add, testPath }
  }

  test('is sent at once when it is added, and again from its row, and the page shows what the mail server said', async () => {
    const { ada, settings, said, tests, add, post, testPath } = await withMail()
    expect((await ada.get(`${settings}/told/new?kind=email`)).button('Add and send a test')).toBeDefined()
    const { status, location } = await add(`${ada.email}, bob@example.com`)
    expect([status, location?.endsWith('&done=told#test-result')]).toEqual([303, true])
    const text = await said(location)
    expect(text).toContain('Saved. A new address is told that it was added.')
    for (const address of [ada.email, 'bob@example.com'])
      expect(text).toContain(`Email to ${address}: the test was accepted with 250`)
    expect(text).toContain('2.0.0 Ok: queued as 4F1')
    expect(await said(location)).not.toContain('queued as')
    expect(tests()).toHaveLength(2)
    expect(unfolded(tests()[0] ?? '')).toContain('List-Unsubscribe: <')
    expect((await ada.get(settings)).text).toContain('Send a test to bob@example.com')
    expect(await said((await post(await testPath('bob@example.com'))).location)).toContain('the test was accepted')
    expect(tests()[2]).toContain('To: bob@example.com')
  })

  test('that the mail server refuses leaves the address, and shows why', async () => {
    const { said, add, notify } = await withMail({ RCPT: '550 5.1.1 no such user' })
    const text = await said((await add('bob@example.com')).location)
    expect(text).toContain('Email to bob@example.com: the test failed: ')
    expect(text).toContain('5.1.1 no such user')
    expect(await notify()).toEqual(['bob@example.com'])
  })

  test('is sent to nobody who wants no mail, and to none more than ten times an hour', async () => {
    const { ada, server, said, tests, add, post, testPath } = await withMail()
    await add(`${ada.email}, bob@example.com`)
    writeTo(server.folder, ({ $client }) =>
      $client.run('INSERT OR REPLACE INTO addresses (hash, told_at, stopped_at) VALUES (?, 1, 1)', [
        hashOfPerson('bob@example.com'),
      ]),
    )
    const bob = await testPath('bob@example.com')
    expect(await said((await post(bob)).location)).toContain('wants no email from this server')
    expect(tests()).toHaveLength(2)
    const own = await testPath(ada.email)
    for (let sent = 2; sent < 10; sent++) await post(own)
    expect(tests()).toHaveLength(10)
    expect(await said((await post(own)).location)).toContain('the test failed: Too many tests. Wait ')
    expect(tests()).toHaveLength(10)
  })

  test('is sent to a person ten times an hour, whoever sends it', async () => {
    const { server, said, tests, add, post } = await withMail()
    await add('bob@example.com')
    const grace = await owner(server)
    const id = await grace.api.createForm({ title: 'Other' })
    await grace.api.call('PATCH', `/forms/${id}/settings`, { notify: ['Bob+tag@example.com'] })
    const change = (await grace.get(`/forms/${id}/settings`)).link('Change Bob+tag@example.com')
    for (let sent = 1; sent < 10; sent++) await grace.post(`${change}/test`, {}, publicOrigin)
    expect(tests()).toHaveLength(10)
    const { location } = await add('bob@example.com')
    expect(await said(location)).toContain('Too many tests. Wait ')
    expect([tests().length, (await post(`${change}/test`)).status]).toEqual([10, 403])
  })
})

describe('a receiver', () => {
  test('says that it fails, why, and what waits, and is switched off and on', async () => {
    const { ada, path, settings, webhooks, submit } = await ownerWithForm()
    const { url } = startReceiver(() => new Response('channel_is_archived', { status: 500 }))
    await ada.api.call('POST', `${path}/webhooks`, { url, description: 'Orders' })
    const [{ id }] = await webhooks()
    await submit({ a: 1 })
    await until(async () => (await ada.get(settings)).text.includes('channel_is_archived'), 'it is said that it fails')
    const page = await ada.get(settings)
    expect(page.text).toContain('Failing')
    expect(page.text).toContain('1 message waits; the next try is at')
    expect(page.link('See what waits')).toBe(`${path}/deliveries#to-${id}`)
    await ada.post(`${path}/webhooks/${id}/switch`, { enabled: 'off' })
    expect((await ada.get(settings)).texts).toContain('Off')
    expect((await ada.post(`${path}/webhooks/${id}/switch`, { enabled: 'on' })).location).toBe(
      `${settings}?done=webhook-on#notice`,
    )
    expect(await webhooks()).toMatchObject([{ enabled: true }])
  })

  test('that is a program gets a new secret after a question, and is removed after one', async () => {
    const { ada, path, settings, webhooks } = await ownerWithForm()
    await ada.api.call('POST', `${path}/webhooks`, { url: 'https://example.com/', description: 'Calendar' })
    const [{ id }] = await webhooks()
    const page = `${path}/webhooks/${id}`
    expect((await ada.get(`${page}/rotate`)).html).toContain(
      'For 24 hours, requests are signed with both the new secret',
    )
    const rotated = await ada.post(`${page}/rotate`)
    expect(rotated.location).toBe(`${settings}?secret=${id}#new-secret`)
    expect((await ada.get(`${settings}?secret=${id}`)).html).toContain('whsec_')
    expect((await ada.get(`${settings}?secret=${id}`)).html).not.toContain('whsec_')
    expect((await ada.get(`${page}/delete`)).isolated).toContain('Calendar')
    expect((await ada.post(`${page}/delete`)).location).toBe(`${settings}?done=receiver-removed#notice`)
    expect(await webhooks()).toEqual([])
  })
})
