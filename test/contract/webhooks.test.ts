import { describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { receivers } from '../../src/storage/tables.ts'
import { type Answer, afterThisTest, serverWithUser, type User } from '../harness.ts'
import { rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'

const url = 'https://example.com/hooks/formbox'

const create = (user: User, form: string, body: unknown = { url }): Promise<Answer> =>
  user.call('POST', `/forms/${form}/webhooks`, body)

const listed = async (user: User, form: string): Promise<Answer['body'][]> => {
  const { status, body } = await user.call('GET', `/forms/${form}/webhooks`)
  expect(status).toBe(200)
  return body.webhooks
}

/** A form with a webhook, and how to ask for it. */
const withWebhook = async (body: unknown = { url }) => {
  const { server, ada, formId: form } = await world()
  const { id, secret } = (await create(ada, form, body)).body
  const call = (method: string, rest = '', sent?: unknown, user = ada): Promise<Answer> =>
    user.call(method, `/forms/${form}/webhooks/${id}${rest}`, sent)
  const secrets = () => {
    const select = 'SELECT secret, old_secrets AS oldSecrets, host FROM receivers WHERE id = ?'
    const [row] = rowsOf<{ oldSecrets: string }>(server.folder, select, id)
    const oldSecrets: { secret: string; until: number }[] = JSON.parse(row?.oldSecrets ?? '[]')
    return row && { ...row, oldSecrets }
  }
  return { server, ada, form, id, secret, call, secrets }
}

const isSecret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)

describe('POST /api/v1/forms/:formId/webhooks', () => {
  test('has answers with a secret stored nowhere, repeated ones too', async () => {
    const { ada, form, id } = await withWebhook()
    for (const [path, body] of [['', { url }] as const, [`/${id}/rotate`] as const])
      for (const replayed of [null, 'true']) {
        const headers = { 'idempotency-key': `once${path}` }
        const answer = await ada.call('POST', `/forms/${form}/webhooks${path}`, body, headers)
        expect(answer.body.secret).toEqual(isSecret)
        expect(answer.headers.get('idempotency-replayed')).toBe(replayed)
        expect(answer.headers.get('cache-control')).toBe('no-store')
      }
  })

  test('returns the identifier and the secret, which no other answer contains', async () => {
    const { ada, form, id, secret, call, secrets } = await withWebhook()
    expect({ id, secret }).toEqual({ id: isId, secret: isSecret })
    expect(secrets()).toMatchObject({ secret, oldSecrets: [], host: 'example.com:443' })
    const found = await call('GET')
    expect(found).toMatchObject({ status: 200 })
    expect(found.body).toEqual({
      id,
      url,
      format: 'standard',
      description: null,
      only: null,
      headers: {},
      enabled: true,
      disabledReason: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(await listed(ada, form)).toEqual([found.body])
  })

  test.each([
    ['every field', { url, format: 'slack', description: 'Team channel' }, 'example.com:443'],
    ['a description of 200 characters', { url, description: '🦊'.repeat(200) }, 'example.com:443'],
    ['a condition', { url, only: { field: 'topic', equals: ' Sales ' } }, 'example.com:443'],
    ['null as the description', { url, description: null }, 'example.com:443'],
    ['a port and a name of the local network', { url: 'http://n8n.lan:5678/webhook', format: 'ntfy' }, 'n8n.lan:5678'],
    ['plain http', { url: 'HTTP://EXAMPLE.com' }, 'example.com:80'],
    ['an IPv6 address', { url: 'https://[2606:4700::1]/@a:b@c' }, '[2606:4700::1]:443'],
    ['other fields, which are ignored', { url, secret: 'whsec_AAAA', enabled: false, id: 'x' }, 'example.com:443'],
  ])('takes %s', async (_, body, host) => {
    const { call, secrets } = await withWebhook(body)
    const { format = 'standard', description = null, only = null } = body as Record<string, string>
    expect((await call('GET')).body).toMatchObject({ format, description, only, enabled: true })
    expect(secrets()).toMatchObject({ secret: isSecret, host })
  })

  const urlMessage =
    'url: must be an absolute http or https URL of 1 to 2048 characters, without a user name and password, which belong ' +
    'in headers as "Authorization: Basic" and the Base64 of name:password'
  const formatMessage = `format: must be one of ${receivers.format.enumValues.join(', ')}`
  const onlyMessage =
    'only: must be an object with field and equals, each of 1 to 255 characters, not only white space, or null'
  const descriptionMessage = 'description: must be at most 200 characters, or null'
  test.each<[object, string]>([
    [{}, urlMessage],
    ...[
      '',
      ' ',
      1,
      null,
      'example.com',
      'ftp://example.com',
      'https://',
      'https://a b.example',
      'javascript:alert(1)',
    ].map((bad): [object, string] => [{ url: bad }, urlMessage]),
    ...['https://ada@example.com', 'https://ada:secret@example.com', `https://example.com/${'x'.repeat(2029)}`].map(
      (bad): [object, string] => [{ url: bad }, urlMessage],
    ),
    ...['', 'Slack', 'json', null, 1].map((format): [object, string] => [{ url, format }, formatMessage]),
    ...['x'.repeat(201), 1, []].map((description): [object, string] => [{ url, description }, descriptionMessage]),
    [{ url, description: 'a\0' }, 'description: must be well-formed Unicode without NUL'],
    ...[
      'topic',
      [],
      {},
      { field: 'a' },
      { field: '', equals: 'b' },
      { field: 'a', equals: ' ' },
      { field: 'a', equals: 1 },
    ]
      .concat([
        { field: 'x'.repeat(256), equals: 'a' },
        { field: 'a\0', equals: 'a' },
      ] as never[])
      .map((only): [object, string] => [{ url, only }, onlyMessage]),
  ])('refuses %j', async (body, message) => {
    const { ada, formId: form } = await world()
    const answer = await create(ada, form, body)
    expect(answer.status).toBe(400)
    expect(answer.body.issues).toEqual([{ message, path: `/${message.split(':')[0]}` }])
    expect(await listed(ada, form)).toEqual([])
  })

  test.each([
    'http://10.0.0.1/x',
    'http://192.168.1.20:5678/webhook',
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://[::1]:8080/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost:5678/',
    'http://LOCALHOST/',
  ])('refuses %s, which the server would never connect to', async (unreachable) => {
    const { server, ada, form, call } = await withWebhook()
    const { hostname } = new URL(unreachable)
    const message = `url: must be at a public address, or at one that FORMBOX_WEBHOOK_ALLOW names; ${hostname} is neither`
    const refused = await create(ada, form, { url: unreachable })
    expect([refused.status, refused.body.issues]).toEqual([400, [{ message, path: '/url' }]])
    expect((await call('PATCH', '', { url: unreachable })).body.issues).toEqual([{ message, path: '/url' }])
    expect(await listed(ada, form)).toMatchObject([{ url }])
    const eve = await server.signUp()
    expect((await create(eve, form, { url: unreachable })).status).toBe(400)
  })

  test.each([
    ['10.0.0.0/8', 'http://10.0.0.1/x'],
    ['::1', 'http://localhost:5678/'],
    ['127.0.0.1', 'http://localhost:5678/'],
  ])('takes what FORMBOX_WEBHOOK_ALLOW names: %s for %s', async (FORMBOX_WEBHOOK_ALLOW, allowed) => {
    const { ada } = await serverWithUser({ FORMBOX_WEBHOOK_ALLOW })
    expect((await create(ada, await ada.createForm(), { url: allowed })).status).toBe(200)
  })

  const discord = 'https://discord.com/api/webhooks/223704706495545344/3d89bb7572e0'
  const shownDiscord = 'https://discord.com/api/webhooks/223704706495545344/•••/slack'
  const flow = 'https://prod-07.westeurope.logic.azure.com/workflows/1/triggers/manual/run?sig=s3cret'
  const shownFlow = flow.replace('s3cret', '•••')
  const slack = 'https://hooks.slack.com/services/T024BE7LD/B09QX2M4C/XyZ'
  const telegram = 'https://api.telegram.org/bot1:a/sendMessage?chat_id=1'
  const refusedFormat = (formats: string, name: string) => `format: must be ${formats} to be taken by ${name}`
  const slackFormat = refusedFormat('slack', 'Discord')
  const slackPath = 'url: must end with /slack to be taken by Discord'
  const workflow = refusedFormat('teams or standard', 'a workflow of Microsoft Teams')

  test.each([
    [slack, 'slack', slack.replace('XyZ', '•••')],
    [
      slack.replace('slack.com', 'slack-gov.com'),
      'slack',
      slack.replace('slack.com', 'slack-gov.com').replace('XyZ', '•••'),
    ],
    [discord, 'slack', shownDiscord],
    [`${discord}/?wait=1`, 'slack', `${shownDiscord}?wait=1`],
    [discord.replace('discord', 'canary.discord'), 'slack', shownDiscord.replace('discord', 'canary.discord')],
    [`${discord}/slack?thread_id=1`, 'slack', `${shownDiscord}?thread_id=1`],
    [flow, 'teams', shownFlow],
    [
      'https://a.b.environment.api.powerplatform.com:443/x?sig=s',
      'teams',
      'https://a.b.environment.api.powerplatform.com:443/x?sig=•••',
    ],
    [
      'https://acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4',
      'teams',
      'https://acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/•••',
    ],
    [telegram, 'telegram', telegram.replace('1:a', '•••')],
    ['https://ntfy.sh/orders-7f3a', 'ntfy', 'https://ntfy.sh/•••'],
    ['https://hooks.zapier.com/hooks/catch/123/ab1/', 'standard', 'https://hooks.zapier.com/hooks/catch/123/•••/'],
    ['https://hook.eu1.make.com/abc', 'standard', 'https://hook.eu1.make.com/•••'],
    ['https://discord.com/developers', 'standard', 'https://discord.com/developers'],
    [
      discord.replace('discord.com', 'discord.com.example'),
      'standard',
      discord.replace('discord.com', 'discord.com.example'),
    ],
    ['https://slack.com.example/services/T/B/C', 'standard', 'https://slack.com.example/services/T/B/C'],
  ])('recognises who takes what at %s', async (url, format, shown) => {
    const { call } = await withWebhook({ url })
    expect((await call('GET')).body).toMatchObject({ url: shown, format })
  })

  test.each([
    [{ url: discord, format: 'standard' }, slackFormat],
    [{ url: `${discord}/slack`, format: 'ntfy' }, slackFormat],
    [{ url: `${discord}/github` }, slackPath],
    [{ url: discord.replace('discord', 'DISCORDAPP').replace('/api', '/api/v10'), format: 'teams' }, slackFormat],
    [{ url: slack, format: 'standard' }, refusedFormat('slack', 'Slack')],
    [{ url: slack, format: 'teams' }, refusedFormat('slack', 'Slack')],
    [{ url: flow, format: 'slack' }, workflow],
    [{ url: telegram, format: 'standard' }, refusedFormat('telegram', 'Telegram')],
    [{ url: 'https://ntfy.sh/orders', format: 'slack' }, refusedFormat('ntfy or standard', 'ntfy')],
  ])('refuses what a service would not take: %j', async (body, message) => {
    const { ada, formId: form } = await world()
    const refused = await create(ada, form, body)
    expect(refused.status).toBe(400)
    expect(refused.body.issues).toEqual([{ message, path: `/${message.split(':')[0]}` }])
    expect(await listed(ada, form)).toEqual([])
  })

  test('keeps a webhook of Discord as Discord takes it', async () => {
    const { call } = await withWebhook({ url: discord })
    expect((await call('PATCH', '', { format: 'standard' })).body.issues).toEqual([
      { message: slackFormat, path: '/format' },
    ])
    expect((await call('PATCH', '', { url: `${discord}/github` })).body.issues).toEqual([
      { message: slackPath, path: '/url' },
    ])
    expect((await call('PATCH', '', { url: discord, format: 'standard' })).status).toBe(400)
    expect((await call('PATCH', '', { description: 'Team', enabled: false })).status).toBe(200)
    expect((await call('PATCH', '', { url: shownDiscord.replace('/slack', '') })).status).toBe(200)
    expect((await call('GET')).body.url).toBe(shownDiscord)
    expect((await call('PATCH', '', { url, format: 'standard' })).status).toBe(200)
    expect((await call('PATCH', '', { url: discord })).body.issues).toEqual([{ message: slackFormat, path: '/format' }])
  })

  test('takes any JSON for a workflow that someone else made of the parts of Teams', async () => {
    const { call } = await withWebhook({ url: flow, format: 'standard' })
    expect((await call('GET')).body).toMatchObject({ url: flow, format: 'standard' })
  })

  test('refuses the eleventh', async () => {
    const { ada, formId: form } = await world()
    const ids: string[] = []
    for (let n = 0; n < 10; n++) ids.push((await create(ada, form)).body.id)
    const answer = await create(ada, form)
    expect(answer.status).toBe(400)
    expect(answer.body.issues).toEqual([{ message: 'formId: must be a form with fewer than 10 webhooks' }])
    expect((await listed(ada, form)).map(({ id }) => id)).toEqual(ids)
  })

  test('answers in the order of decision 4: 400 before 404 before 403', async () => {
    const { server, ada, formId: form } = await world()
    const bob = await server.signUp()
    expect((await create(bob, 'nobody', {})).status).toBe(400)
    expect((await create(bob, form, {})).status).toBe(400)
    expect((await create(bob, 'nobody')).status).toBe(404)
    expect((await create(bob, form)).status).toBe(403)
    expect((await create(ada, 'bulk')).status).toBe(404)
  })
})

describe('PATCH /api/v1/forms/:formId/webhooks/:webhookId', () => {
  test('changes what is present, and the host with the URL', async () => {
    const { call, id, secret, secrets } = await withWebhook({ url, description: 'One' })
    const before = (await call('GET')).body
    for (const changes of [
      {},
      { url: 'http://n8n.lan:8080/a' },
      { format: 'ntfy' },
      { description: 'Other' },
      { enabled: false },
      { enabled: true },
      { description: null, unknown: 1 },
      { only: { field: 'topic', equals: 'Sales', other: 1 } },
      { format: 'ntfy' },
    ])
      expect(await call('PATCH', '', changes)).toMatchObject({ status: 200, body: { success: true } })
    expect((await call('GET')).body).toEqual({
      ...before,
      id,
      url: 'http://n8n.lan:8080/•••',
      format: 'ntfy',
      description: null,
      only: { field: 'topic', equals: 'Sales' },
    })
    await call('PATCH', '', { only: null })
    expect((await call('GET')).body.only).toBeNull()
    expect(secrets()).toMatchObject({ secret, host: 'n8n.lan:8080' })
  })

  test('switched off, it is told of nothing, and switched on, of what comes later', async () => {
    const { server, ada, form, call } = await withWebhook({ url: 'http://hook.localhost:1/' })
    const told = async () => (await ada.call('GET', `/forms/${form}/deliveries`)).body.pagination.total
    await call('PATCH', '', { enabled: false })
    await server.submit(form, { a: 1 })
    expect(await told()).toBe(0)
    await call('PATCH', '', { enabled: true })
    await server.submit(form, { a: 1 })
    expect(await told()).toBe(1)
  })

  test.each([
    { url: null },
    { url: 'x' },
    { format: null },
    { enabled: null },
    { enabled: 'true' },
    { description: 1 },
    { only: { field: 'a' } },
  ])('refuses %j', async (changes) => {
    const { call } = await withWebhook()
    const before = (await call('GET')).body
    const { status, body } = await call('PATCH', '', { description: 'x', ...changes })
    expect([status, body.issues.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      [`/${Object.keys(changes)[0]}`],
    ])
    expect((await call('GET')).body).toEqual(before)
  })
})

describe('POST /api/v1/forms/:formId/webhooks/:webhookId/rotate', () => {
  test('returns another secret, and keeps the one before it for 24 hours', async () => {
    const { call, secret, secrets } = await withWebhook()
    const from = Date.now()
    const { status, body } = await call('POST', '/rotate')
    expect([status, body]).toEqual([200, { secret: isSecret }])
    expect(body.secret).not.toBe(secret)
    expect(secrets()).toMatchObject({ secret: body.secret, oldSecrets: [{ secret }] })
    const until = secrets()?.oldSecrets[0]?.until
    expect(until).toBeWithin(from + 86_400_000, Date.now() + 86_400_001)
    // Each for 24 hours of its own.
    const again = (await call('POST', '/rotate')).body.secret
    expect(secrets()).toMatchObject({ secret: again, oldSecrets: [{ secret: body.secret }, { secret, until }] })
    // Two at most, because everything is signed with each of them.
    await call('POST', '/rotate')
    expect(secrets()?.oldSecrets.map((old) => old.secret)).toEqual([again, body.secret])
  })
})

describe('DELETE /api/v1/forms/:formId/webhooks/:webhookId', () => {
  test('takes it away with its secrets', async () => {
    const { ada, form, call, secrets } = await withWebhook()
    await call('POST', '/rotate')
    expect(await call('DELETE')).toMatchObject({ status: 200, body: { success: true } })
    expect(await listed(ada, form)).toEqual([])
    // Nothing was sent to it, so nothing of it is kept.
    expect(secrets()).toBeUndefined()
    for (const [method, rest] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
    ] as const)
      expect(await call(method, rest, method === 'PATCH' ? {} : undefined)).toMatchObject({
        status: 404,
        body: { message: 'Webhook not found' },
      })
  })
})

test('a webhook is found only through its own form', async () => {
  const { ada, id } = await withWebhook()
  const other = await ada.createForm()
  const path = `/forms/${other}/webhooks/${id}`
  expect((await ada.call('GET', path)).status).toBe(404)
  expect((await ada.call('PATCH', path, { enabled: false })).status).toBe(404)
  expect((await ada.call('POST', `${path}/rotate`)).status).toBe(404)
  expect((await ada.call('DELETE', path)).status).toBe(404)
})

test('a webhook goes with its form', async () => {
  const { server, ada, form, id } = await withWebhook()
  await ada.call('DELETE', `/forms/${form}`)
  expect((await ada.call('GET', `/forms/${form}/webhooks`)).status).toBe(404)
  const gone = () => rowsOf(server.folder, 'SELECT 1 FROM receivers WHERE id = ?', id).length === 0
  await until(gone, 'the webhook is gone')
})

describe('POST /api/v1/forms/:formId/webhooks/:webhookId/test', () => {
  const local = { FORMBOX_WEBHOOK_ALLOW: '127.0.0.1' }

  test('sends a signed webhook.test, and answers with what came back', async () => {
    const { server, ada, formId: form } = await world({ environment: local })
    const got: { headers: Headers; body: string }[] = []
    const receiver = Bun.serve({
      port: 0,
      async fetch(request) {
        got.push({ headers: request.headers, body: await request.text() })
        return new Response('\x1b[31mno <b>such</b> hook\0', { status: 404 })
      },
    })
    afterThisTest(() => receiver.stop(true))
    const created = (await create(ada, form, { url: `http://127.0.0.1:${receiver.port}/hook` })).body
    const path = `/forms/${form}/webhooks/${created.id}`

    const answer = await ada.call('POST', `${path}/test`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      status: 404,
      error: 'The receiver responded with 404',
      answer: '\ufffd[31mno <b>such</b> hook\ufffd',
      milliseconds: expect.any(Number),
    })
    const rotated = (await ada.call('POST', `${path}/rotate`)).body
    await ada.call('PATCH', path, { enabled: false })
    expect((await ada.call('POST', `${path}/test`)).body.status).toBe(404)

    const again = (await ada.call('POST', `${path}/rotate`)).body
    await ada.call('POST', `${path}/test`)
    const [first, second, third] = got.map(({ headers, body }) => ({ headers: Object.fromEntries(headers), body }))
    expect(JSON.parse(first?.body ?? '')).toEqual({
      type: 'webhook.test',
      timestamp: expect.any(String),
      data: { formId: form },
    })
    for (const [secret, one] of [
      [created.secret, first],
      [created.secret, second],
      [rotated.secret, second],
      // The first secret was replaced less than 24 hours ago, by whichever one.
      [created.secret, third],
      [rotated.secret, third],
      [again.secret, third],
    ] as const)
      expect(new Webhook(secret).verify(one?.body ?? '', one?.headers ?? {})).toMatchObject({ type: 'webhook.test' })
    expect(() => new Webhook(rotated.secret).verify(first?.body ?? '', first?.headers ?? {})).toThrow()
    expect((await ada.call('GET', `/forms/${form}/deliveries`)).body.deliveries).toEqual([])
    expect(rowsOf(server.folder, 'SELECT failing_since FROM receivers WHERE id = ?', created.id)).toEqual([
      { failing_since: null },
    ])
  })

  test('says why nothing came back', async () => {
    const { call } = await withWebhook({ url: 'http://hook.localhost:9/' })
    const { status, body } = await call('POST', '/test')
    expect([status, body]).toEqual([
      200,
      {
        status: null,
        error: 'The address is not public. FORMBOX_WEBHOOK_ALLOW can allow it',
        answer: '',
        milliseconds: expect.any(Number),
      },
    ])
  })

  test('runs twice at the same time for a user, and not a third time', async () => {
    const { ada, formId: form } = await world({ environment: local })
    const waiting: (() => void)[] = []
    const receiver = Bun.serve({
      port: 0,
      fetch: () => new Promise<Response>((resolve) => waiting.push(() => resolve(new Response()))),
    })
    afterThisTest(() => receiver.stop(true))
    const { id } = (await create(ada, form, { url: `http://127.0.0.1:${receiver.port}` })).body
    const send = () => ada.call('POST', `/forms/${form}/webhooks/${id}/test`)
    const two = [send(), send()]
    await until(() => waiting.length === 2, 'two tests wait for the receiver')
    const third = await send()
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '5'])
    for (const end of waiting) end()
    expect((await Promise.all(two)).map(({ status, body }) => [status, body.status])).toEqual([
      [200, 200],
      [200, 200],
    ])
    const next = send()
    await until(() => waiting.length === 3, 'the third test waits for the receiver')
    waiting[2]?.()
    expect((await next).status).toBe(200)
  })
})

describe('POST /api/v1/forms/:formId/duplicate', () => {
  test('copies the webhooks, each with an identifier and a secret of its own', async () => {
    const { server, ada, form, id, secret } = await withWebhook({ url, description: 'One', format: 'ntfy' })
    const off = (await create(ada, form, { url: 'http://n8n.lan:5678/' })).body.id
    const gone = (await create(ada, form)).body.id
    await ada.call('PATCH', `/forms/${form}/webhooks/${off}`, { enabled: false })
    await ada.call('DELETE', `/forms/${form}/webhooks/${gone}`)
    const copies = [await copyOf(ada, form), await copyOf(ada, form)]

    const before = await listed(ada, form)
    const secrets = [secret]
    for (const copy of copies) {
      const after = await listed(ada, copy)
      expect(after).toEqual(before.map((webhook) => ({ ...webhook, id: isId, createdAt: expect.any(String) })))
      expect(after.map((webhook) => webhook.id)).not.toContain(id)
      const rows = rowsOf<{ secret: string; host: string }>(
        server.folder,
        'SELECT secret, host FROM receivers WHERE id IN (?, ?) ORDER BY number',
        ...after.map((webhook) => webhook.id),
      )
      expect(rows).toEqual([
        { secret: isSecret, host: 'example.com:443' },
        { secret: isSecret, host: 'n8n.lan:5678' },
      ])
      secrets.push(...rows.map((row) => row.secret))
      await server.submit(copy, { a: 1 })
      expect((await ada.call('GET', `/forms/${copy}/deliveries`)).body.pagination.total).toBe(1)
    }
    expect(new Set(secrets).size).toBe(5)
  })
})

const isId = expect.stringMatching(/^[0-9a-z]{28}$/)
const copyOf = async (user: User, form: string): Promise<string> =>
  (await user.call('POST', `/forms/${form}/duplicate`)).body.id
