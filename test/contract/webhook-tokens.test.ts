// A part of the URL of some services is a secret: no one sees it again, whatever happens.
import { describe, expect, test } from 'bun:test'
import { allowed, startReceiver } from '../deliveries/receiver.ts'
import { serverWithUser, takeReported, type User } from '../harness.ts'
import { rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { owner } from '../visitor.ts'
import { world } from '../world.ts'

const hidden = '•••'
const token = '123456:ABC-DEF1234ghIkl'

const kinds = [
  ['telegram', `/bot${token}/sendMessage?chat_id=-100&a=b`, `/bot${hidden}/sendMessage?chat_id=-100&a=b`],
  ['gotify', `/message?a=b&token=${token}&c=d`, `/message?a=b&token=${hidden}&c=d`],
  ['ntfy', `/topic?auth=${token}`, `/topic?auth=${hidden}`],
  ['teams', `/workflows/1/invoke?sv=1.0&sig=${token}`, `/workflows/1/invoke?sv=1.0&sig=${hidden}`],
  ['slack', `/services/T02/B09/${token}?a=b`, `/services/T02/B09/${hidden}?a=b`],
  ['slack', `/hooks/${token}?a=b`, `/hooks/${hidden}?a=b`],
  ['ntfy', `/${token}?priority=5`, `/${hidden}?priority=5`],
] as const

const withWebhook = async (format: string, path: string) => {
  const { server, ada, formId: form } = await world({ environment: allowed })
  // Like a service whose error names what it was sent, as one and as a part of JSON.
  const receiver = startReceiver(
    ({ path, query }) => new Response(`no ${path}?${query} ${JSON.stringify({ path })}`, { status: 401 }),
  )
  const created = await ada.call('POST', `/forms/${form}/webhooks`, { url: receiver.url + path, format })
  expect(created.status).toBe(200)
  const { id } = created.body
  const call = (method: string, sent?: unknown, rest = '') =>
    ada.call(method, `/forms/${form}/webhooks/${id}${rest}`, sent)
  const stored = () =>
    rowsOf(server.folder, 'SELECT target, url_token AS token, format FROM receivers WHERE id = ?', id)[0]
  return { server, ada, form, id, created, call, receiver, stored }
}

describe.each(kinds)('the secret in the URL of %s', (format, path, shownPath) => {
  test('is sent, and shown nowhere', async () => {
    const { server, ada, form, created, call, receiver, stored } = await withWebhook(format, path)
    const found = await call('GET')
    expect(found.body.url).toBe(receiver.url + shownPath)
    const tested = await call('POST', undefined, '/test')
    expect(tested.body).toMatchObject({ status: 401, answer: expect.stringContaining(hidden) })
    await server.submit(form, { a: 1 })
    const deliveries = () => ada.call('GET', `/forms/${form}/deliveries`)
    await until(async () => (await deliveries()).body.deliveries[0].lastStatus === 401, 'the attempt is written down')
    expect(receiver.arrived).toHaveLength(2)
    for (const one of receiver.arrived) expect(`${one.path}?${decodeURIComponent(`${one.query}`)}`).toBe(path)
    const shown = [created, found, tested, await deliveries(), await ada.call('GET', `/forms/${form}/webhooks`)]
    expect(shown.map(({ body }) => JSON.stringify(body)).join()).not.toContain(token)
    const log = rowsOf(server.folder, 'SELECT log FROM deliveries').map((row) => JSON.stringify(row))
    expect(log.join() + takeReported().join()).not.toContain(token)
    expect(stored()).toEqual({ target: receiver.url + shownPath, token, format })
  })

  test('is kept by a change with what is shown, at the same host', async () => {
    const { call, receiver, stored } = await withWebhook(format, path)
    const before = stored()
    const { body } = await call('GET')
    for (const changes of [body, { description: 'x' }, { format }, { url: encodeURI(body.url) }]) {
      expect((await call('PATCH', changes)).status).toBe(200)
      expect(stored()).toEqual(before)
    }
    const message = `url: must have the token itself: ${hidden} stands for the one that is stored, as long as it is at the same place of the same URL`
    for (const host of ['https://evil.example', 'http://127.0.0.1:1']) {
      const refused = await call('PATCH', { url: host + shownPath })
      expect([refused.status, refused.body.issues]).toEqual([400, [{ message, path: '/url' }]])
    }
    // Of the same host, others may read what is sent to a path of theirs, or as a text.
    const mine = { telegram: '/botmine/sendMessage?chat_id=9&text=' }[format as string] ?? `/mine/message?message=`
    const twice = `${shownPath}&message=${hidden}`
    const asText = `${shownPath.replace(/\?.*/, '')}?a=${hidden}&chat_id=1`.replace(/bot[^/]*/, 'bot1')
    for (const changed of [mine + hidden, twice, asText, `/mine${shownPath}`])
      expect([(await call('PATCH', { url: receiver.url + changed, format })).status, changed]).toEqual([400, changed])
    expect(stored()).toEqual(before)
    const other = path.replace(token, 'other')
    expect((await call('PATCH', { url: `https://other.example${other}` })).status).toBe(200)
    expect(stored()).toMatchObject({ token: 'other' })
    expect((await call('PATCH', { url: `${receiver.url}/hook`, format: 'standard' })).status).toBe(200)
    expect(stored()).toMatchObject({ token: null })
    const refused = await call('PATCH', { url: receiver.url + shownPath, format })
    expect(refused.body.issues).toEqual([{ message, path: '/url' }])
  })

  test('goes with the webhook, and is copied with the form', async () => {
    const { server, ada, form, call, receiver, stored } = await withWebhook(format, path)
    const copy = (await ada.call('POST', `/forms/${form}/duplicate`)).body.id
    const [copied] = (await ada.call('GET', `/forms/${copy}/webhooks`)).body.webhooks
    expect(copied.url).toBe(receiver.url + shownPath)
    await ada.call('POST', `/forms/${copy}/webhooks/${copied.id}/test`)
    expect(`${receiver.arrived[0]?.path}?${decodeURIComponent(`${receiver.arrived[0]?.query}`)}`).toBe(path)
    await server.submit(form, { a: 1 })
    expect((await call('DELETE')).status).toBe(200)
    expect(stored()).toMatchObject({ token: null })
  })

  test('is on no page', async () => {
    const { server } = await serverWithUser(allowed)
    const page = await owner(server)
    const form = await page.api.createForm()
    const url = `https://hooks.example${path}`
    await page.api.call('POST', `/forms/${form}/webhooks`, { url, format })
    const [{ id }] = (await page.api.call('GET', `/forms/${form}/webhooks`)).body.webhooks
    const shown = Bun.escapeHTML(`https://hooks.example${shownPath}`)
    for (const path of ['/settings', `/settings/told/${id}`, `/webhooks/${id}/delete`, '/deliveries']) {
      const { html } = await page.get(`/forms/${form}${path}`)
      expect(html).not.toContain(token)
      if (/\/(?:settings|delete)$/.test(path)) expect(html).toContain(shown)
    }
    const [row] = rowsOf(server.folder, 'SELECT url_token AS token FROM receivers WHERE id = ?', id)
    expect(row).toEqual({ token })
  })
})

describe('the URL of a service', () => {
  const sendMessage =
    'url: must be https://api.telegram.org/bot, the token of the bot, and /sendMessage?chat_id= with the chat'
  const message = 'url: must be that of the server and /message, with ?token= and the token of an application'
  test.each([
    ['telegram', 'https://api.telegram.org/', sendMessage],
    ['telegram', 'https://api.telegram.org/bot1:a/sendMessage', sendMessage],
    ['telegram', 'https://api.telegram.org/bot1:a/sendMessage?chat_id=', sendMessage],
    ['telegram', 'https://api.telegram.org/bot1:a/getMe?chat_id=1', sendMessage],
    ['telegram', 'https://api.telegram.org/bot/sendMessage?chat_id=1', sendMessage],
    [
      'standard',
      `https://api.telegram.org/bot${token}/sendMessage?chat_id=1`,
      'format: must be telegram to be taken by Telegram',
    ],
    ['gotify', 'https://gotify.example/', message],
    ['gotify', 'https://gotify.example/?token=a', message],
  ])('is refused for %s: %s', async (format, url, problem) => {
    const { ada, formId: form } = await world()
    const { status, body } = await ada.call('POST', `/forms/${form}/webhooks`, { url, format })
    expect([status, body.issues.map((issue: { message: string }) => issue.message)]).toEqual([400, [problem]])
    expect(JSON.stringify(body)).not.toContain(token)
  })

  test('is refused with what is shown in the place of a token that no one has', async () => {
    const { ada, formId: form } = await world()
    for (const [format, , shown] of kinds) {
      const { status, body } = await ada.call('POST', `/forms/${form}/webhooks`, {
        url: `https://a.example${shown}`,
        format,
      })
      expect([status, body.issues[0].path]).toEqual([400, '/url'])
    }
  })

  test('hides its secret also when only the format is changed', async () => {
    const { ada, formId: form } = await world()
    const url = `https://gotify.example/message?token=${token}`
    const { id } = (await ada.call('POST', `/forms/${form}/webhooks`, { url })).body
    const call = (method: string, sent?: unknown) => ada.call(method, `/forms/${form}/webhooks/${id}`, sent)
    expect((await call('PATCH', { format: 'gotify' })).status).toBe(200)
    expect((await call('GET')).body.url).toBe(`https://gotify.example/message?token=${hidden}`)
    expect((await call('PATCH', { format: 'standard' })).status).toBe(200)
    expect((await call('GET')).body.url).toBe(`https://gotify.example/message?token=${hidden}`)
  })
})

test('an editor, who may not see webhooks, reads in the deliveries of a form only their hosts', async () => {
  const { server, ada, formId: form } = await world({ environment: allowed })
  // Who has the URL of a channel may write to it.
  const { url } = startReceiver(({ path }) => new Response(`Cannot POST ${path}`, { status: 404 }))
  const sentTo = `${url}/services?key=${token}`
  await ada.call('POST', `/forms/${form}/webhooks`, { url: sentTo, format: 'slack' })
  await server.submit(form, { a: 1 })
  const targetsOf = async ({ call }: User) =>
    (await call('GET', `/forms/${form}/deliveries`)).body.deliveries.map((one: { target: string }) => one.target)
  for (const [role, shown] of [
    ['editor', url],
    ['manager', sentTo],
  ] as const) {
    const grace = await server.signUp()
    expect((await ada.call('POST', `/forms/${form}/members`, { email: grace.email, role })).status).toBe(200)
    expect(await targetsOf(grace)).toEqual([shown])
  }
  expect(await targetsOf(ada)).toEqual([sentTo])
  const logs = 'SELECT log FROM deliveries WHERE form = (SELECT number FROM forms WHERE id = ?)'
  const attempts = () => rowsOf<{ log: string }>(server.folder, logs, form)[0]?.log ?? ''
  await until(() => attempts().includes('Cannot POST'), 'the attempt is written down')
  expect(attempts()).toContain(`Cannot POST ${hidden}`)
  expect(attempts()).not.toContain(token)
})

test('a bot that sends too much waits as long as Telegram says', async () => {
  const { server, ada, formId: form } = await world({ environment: allowed })
  // As https://github.com/tdlib/telegram-bot-api answers: in a header besides the body.
  const body =
    '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 35","parameters":{"retry_after":35}}'
  const receiver = startReceiver(() => new Response(body, { status: 429, headers: { 'retry-after': '35' } }))
  const url = `${receiver.url}/bot${token}/sendMessage?chat_id=1`
  await ada.call('POST', `/forms/${form}/webhooks`, { url, format: 'telegram' })
  const from = Date.now()
  await server.submit(form, { a: 1 })
  const delivery = async () => (await ada.call('GET', `/forms/${form}/deliveries`)).body.deliveries[0]
  await until(async () => (await delivery()).lastStatus === 429, 'the attempt is written down')
  expect(Date.parse((await delivery()).nextAttemptAt)).toBeGreaterThanOrEqual(from + 35_000)
})
