// docs/webhooks.md names services that take webhooks. What Formbox really sends is held against their documentation.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { blocksOf, sectionOf } from '../guide-parts.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'
import { allowed, startReceiver } from './receiver.ts'
import { discord, gotify, mattermost, n8n, ntfy, type Service, slack, teams, telegram } from './services.ts'

const page = await Bun.file(join(import.meta.dir, '../../docs/webhooks.md')).text()

const publicUrl = 'https://forms.example.com'
const token = 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2'

/** What comes after `auth=`, by the command of the page. */
const authOf = (name: string): string => {
  const [command = ''] = blocksOf(page, 'ntfy', 'sh')
  const { stdout } = Bun.spawnSync(['sh', '-c', command.replace('TOKEN', name)])
  return stdout.toString()
}

/** Sends submissions to a service that refuses what its documentation does not allow, and returns what it understood. */
const deliver = async (
  service: Service,
  path: string,
  format: string,
  submissions: readonly object[],
  headers: object = {},
) => {
  const { server, ada, formId } = await world({
    environment: { ...allowed, FORMBOX_URL: publicUrl },
    form: { title: 'Größe & <Maß> 😀' },
  })
  const shown: unknown[] = []
  const { url } = startReceiver((arrived) => {
    const answered = service(arrived)
    shown.push(answered.shown)
    return new Response(answered.answer, { status: answered.status })
  })
  const { id } = (await ada.call('POST', `/forms/${formId}/webhooks`, { url: `${url}${path}`, format, headers })).body
  const { body: trial } = await ada.call('POST', `/forms/${formId}/webhooks/${id}/test`)
  expect(trial).toMatchObject({ status: expect.any(Number), error: null })
  const ids: string[] = []
  for (const [position, submission] of submissions.entries()) {
    ids.push(await server.submit(formId, submission))
    await until(() => shown.length === position + 2, `message ${position + 2} is shown`)
  }
  const list = async () => (await ada.call('GET', `/forms/${formId}/deliveries`)).body.deliveries
  await until(
    async () => (await list()).every(({ lastStatus }: { lastStatus: unknown }) => lastStatus !== null),
    'all are answered',
  )
  for (const delivery of await list()) expect(delivery).toMatchObject({ state: 'delivered', lastStatus: trial.status })
  const links = ids.map((submissionId) => `${publicUrl}/forms/${formId}/submissions/${submissionId}`)
  return { shown: shown.slice(1), links }
}

const plain = { name: 'Ada', email: 'ada@example.com', message: 'Hello\nworld' }
const hostile = [
  { '<!channel> @everyone': '<!here> @channel @all [bank](https://evil.example) <https://evil.example|bank> &amp;' },
  Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`field ${i} ${'<'.repeat(300)}`, '&😀'.repeat(500)])),
  { empty: '', none: null, control: '\u0007\u001b[31m', nested: { a: [1, { b: null }] }, list: ['a', 'b'] },
]

test('n8n finds a field and the identifier by the expressions of the page', async () => {
  const { shown } = await deliver(n8n, '/webhook/5f0c1d3e', 'standard', [plain, ...hostile])
  const expressions = [...sectionOf(page, 'n8n').matchAll(/`\{\{ (.*?) \}\}`/g)].map(([, expression]) => expression)
  const [field, identifier] = expressions.map((expression) => new Function('$json', `return ${expression}`)(shown[0]))
  expect(expressions).toHaveLength(2)
  expect(field).toBe('ada@example.com')
  expect(identifier).toMatch(/^[0-9a-z]{28}$/)
  expect(shown.map((item) => (item as { body: { data: { data: unknown } } }).body.data.data)).toEqual([
    plain,
    ...hostile,
  ])
})

test.each([
  ['Slack', slack, '/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX'],
  ['Mattermost', mattermost, '/hooks/xxx-generatedkey-xxx'],
  ['Discord', discord, '/api/webhooks/223704706495545344/3d89bb7572e0fb30d8128367b3b1b44fecd1726d/slack'],
])('%s takes the format slack', async (_, service, path) => {
  const { shown, links } = await deliver(service, path, 'slack', [plain, ...hostile])
  const [first] = shown
  expect(first).toMatchObject({
    text: 'New submission: Größe &amp; &lt;Maß&gt; 😀',
    attachments: [
      {
        title_link: links[0],
        fields: [
          { title: 'name', value: 'Ada' },
          { title: 'email', value: 'ada@example.com' },
          { title: 'message', value: 'Hello\nworld' },
        ],
      },
    ],
  })
})

test('ntfy takes the format ntfy, with a token in the URL', async () => {
  const path = `/contact-7pGq2?auth=${authOf(token)}`
  const { shown, links } = await deliver(ntfy(token), path, 'ntfy', [plain, ...hostile])
  expect(shown[0]).toEqual({
    title: 'Größe & <Maß> 😀',
    click: links[0],
    message: 'name: Ada\nemail: ada@example.com\nmessage: Hello\nworld',
  })
})

test('Telegram takes the format telegram', async () => {
  const path = '/bot123456:ABC-DEF1234/sendMessage?chat_id=-1001'
  const { shown, links } = await deliver(telegram('123456:ABC-DEF1234'), path, 'telegram', [plain, ...hostile])
  expect(shown[0]).toEqual({
    text: `New submission: Größe & <Maß> 😀\nname: Ada\nemail: ada@example.com\nmessage: Hello\nworld\n${links[0]}`,
    bold: ['New submission: Größe & <Maß> 😀', 'name:', 'email:', 'message:'],
  })
  expect(JSON.stringify(shown[1])).toContain('<!channel> @\u200beveryone:')
})

test.each([
  ['the URL', { url: '/message?token=AbC.dEf12345', headers: {} }],
  ['a header', { url: '/message', headers: { 'X-Gotify-Key': 'AbC.dEf12345' } }],
])('Gotify takes the format gotify, with the token in %s', async (_, { url, headers }) => {
  const { shown, links } = await deliver(gotify('AbC.dEf12345'), url, 'gotify', [plain, ...hostile], headers)
  expect(shown[0]).toEqual({
    title: 'Größe & <Maß> 😀',
    message: 'name: Ada\nemail: ada@example.com\nmessage: Hello\nworld',
    extras: {
      'client::display': { contentType: 'text/plain' },
      'client::notification': { click: { url: links[0] } },
    },
  })
})

test('Microsoft Teams takes the format teams', async () => {
  const path =
    '/workflows/5f0c/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers&sv=1.0&sig=a-b_c12345'
  const { shown, links } = await deliver(teams, path, 'teams', [plain, ...hostile])
  expect(shown[0]).toEqual({
    texts: ['New submission: Größe & <Maß> 😀', 'name', 'Ada', 'email', 'ada@example.com', 'message', 'Hello', 'world'],
    url: links[0],
  })
})

test.each(['tk_a', 'tk_ab', 'tk_abc', 'tk_>>>???', `tk_${'x'.repeat(100)}`])(
  'the command for ntfy encodes %s',
  (name) => {
    expect(authOf(`'${name}'`)).toBe(Buffer.from(`Bearer ${name}`).toString('base64url'))
  },
)

test('the services refuse what they do not document', () => {
  const arrived = (path: string, body: unknown, query = '') => ({
    path,
    query: new URLSearchParams(query),
    headers: new Headers({ 'content-type': 'application/json' }),
    body: JSON.stringify(body),
  })
  const field = (value: string) => ({ text: 'a', attachments: [{ fallback: 'a', fields: [{ title: 'a', value }] }] })
  expect(n8n(arrived('/webhook-test/a', {})).status).toBe(404)
  expect(slack(arrived('/services/a', {})).status).toBe(400)
  expect(slack(arrived('/services/a', field('<!channel>'))).status).toBe(400)
  expect(mattermost(arrived('/hooks/a', { text: '@channel' })).status).toBe(400)
  expect(discord(arrived('/api/webhooks/1/a', field('a'))).status).toBe(404)
  expect(discord(arrived('/api/webhooks/1/a/slack', field('a'.repeat(1025)))).status).toBe(400)
  expect(discord(arrived('/api/webhooks/1/a/slack', field(''))).status).toBe(400)
  expect(ntfy(token)(arrived('/topic', 'a')).status).toBe(400)
  expect(ntfy(token)(arrived('/topic', 'a', `auth=${Buffer.from('Bearer b').toString('base64url')}`)).status).toBe(401)
  const bot = telegram('1:a')
  const chat = 'chat_id=1'
  expect(bot(arrived('/bot1:b/sendMessage', { text: 'a' }, chat)).status).toBe(404)
  expect(bot(arrived('/bot1:a/sendMessage', { text: 'a' })).status).toBe(400)
  expect(bot(arrived('/bot1:a/sendMessage', { text: 'a'.repeat(4097) }, chat)).status).toBe(400)
  const entities = [{ type: 'bold', offset: 0, length: 2 }]
  expect(bot(arrived('/bot1:a/sendMessage', { text: 'a', entities }, chat)).status).toBe(400)
  expect(gotify('a')(arrived('/message', { message: 'a' }, 'token=b')).status).toBe(401)
  expect(gotify('a')(arrived('/message', { title: 'a' }, 'token=a')).status).toBe(400)
  expect(teams(arrived('/workflows/a', { type: 'message' })).status).toBe(401)
  expect(teams(arrived('/workflows/a', { type: 'message' }, 'sig=a')).status).toBe(400)
  expect(teams(arrived('/workflows/a', { type: 'a'.repeat(28_000) }, 'sig=a')).status).toBe(413)
})
