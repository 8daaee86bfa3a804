// What the guides of notifications, replies and webhooks say is what a real Formbox does.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { parseConfig } from '../../../../src/config/config.ts'
import { delayAfter } from '../../../../src/outbox/schedule.ts'
import { isReachable } from '../../../../src/remote/public-address.ts'
import { limits } from '../../../../src/upkeep/jobs/send-deliveries.ts'
import { allowed, startReceiver } from '../../../deliveries/receiver.ts'
import { addWebhook, deliveriesOf, untilDelivered } from '../../../deliveries/through-api.ts'
import { blocksOf, rowsOf, sectionOf, unquoted } from '../../../guide-parts.ts'
import { type Server, sharedServer, type User, writeTo } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { until } from '../../../until.ts'
import { owner } from '../../../visitor.ts'
import { world } from '../../../world.ts'

const pageOf = (name: string): Promise<string> => Bun.file(join(import.meta.dir, `../../../../docs/${name}.md`)).text()
const page = await pageOf('webhooks')

/** A form with a webhook to a server that keeps what arrives. */
const withWebhook = async () => {
  const { server, ada, formId } = await world({ environment: allowed })
  const { url, arrived } = startReceiver()
  const webhook = await addWebhook(ada, formId, url)
  return { server, ada, formId, webhook, url, arrived }
}

test('the headers and the body are those that are shown', async () => {
  const { server, ada, formId, webhook, arrived } = await withWebhook()
  const [shown = ''] = blocksOf(page, 'What arrives', 'json')
  const { data } = JSON.parse(shown).data
  await untilDelivered(ada, formId, await server.submit(formId, data))
  await ada.call('POST', `/forms/${formId}/webhooks/${webhook.id}/test`)
  const [submission, trial] = arrived
  const ofEveryRequest = ['accept-encoding', 'connection', 'content-length', 'host']
  const names = [...(submission?.headers.keys() ?? [])].filter((name) => !ofEveryRequest.includes(name))
  expect(
    rowsOf(page, 'What arrives')
      .map(([name]) => unquoted(name))
      .sort(),
  ).toEqual(names.sort())
  expect(shapeOf(JSON.parse(submission?.body ?? ''))).toEqual(shapeOf(JSON.parse(shown)))
  expect(JSON.parse(submission?.body ?? '').data.data).toEqual(data)
  expect(JSON.parse(trial?.body ?? '')).toEqual({
    type: 'webhook.test',
    timestamp: expect.any(String),
    data: { formId },
  })
})

/** An object with the kind and the length of each text instead of the text. */
const shapeOf = (value: object): unknown =>
  JSON.parse(JSON.stringify(value, (_, one) => (typeof one === 'string' ? `${one.length} characters` : one)))

test('the table stores a submission once, however often it arrives', async () => {
  const { server, ada, formId, arrived } = await withWebhook()
  const submissionId = await server.submit(formId, { a: '1' })
  await untilDelivered(ada, formId, submissionId)
  const [delivery] = await deliveriesOf(ada, formId)
  await ada.call('POST', `/forms/${formId}/deliveries/${delivery?.id}/retry`)
  await until(() => arrived.length === 2, 'two have arrived')
  await untilDelivered(ada, formId, await server.submit(formId, { a: '2' }))

  const db = new Database(':memory:')
  const [sql = ''] = blocksOf(page, 'Respond, and recognise repeats', 'sql')
  const [create = '', insert = ''] = sql.split('\n')
  db.run(create)
  for (const { headers, body } of arrived)
    db.query(insert).run({ ':id': headers.get('webhook-id') as string, ':body': body })
  const rows = db.query('SELECT id FROM arrived').all() as { id: string }[]
  expect(arrived).toHaveLength(3)
  expect(rows).toHaveLength(2)
  expect(rows.map(({ id }) => id)).toContain(delivery?.id as string)
})

test('the schedule is the one that is kept', () => {
  const text = sectionOf(page, 'If a delivery fails').replaceAll('\n', ' ')
  const list = /come after (.*?), and up to a tenth later/.exec(text)?.[1] ?? ''
  const units: Record<string, number> = { s: 1000, min: 60_000, h: 3_600_000 }
  const shown = [...list.matchAll(/(\d+) (s|min|h)/g)].map(([, count, unit = '']) => Number(count) * (units[unit] ?? 0))
  const kept = shown.map((_, i) => delayAfter(i + 1, 0, null))
  expect(shown).toEqual(kept as number[])
  expect(delayAfter(1, 1, null)).toBe(5500)
  expect(delayAfter(shown.length + 1, 0, null)).toBeNull()
})

test('docs/limits.md has the limits of the sender', async () => {
  const { maxUnderWay, maxPerHost, maxLong } = limits
  const words = `${maxUnderWay} attempts at the same time, of which ${maxPerHost} to one host, and ${maxLong} about more than`
  expect(await pageOf('limits')).toContain(words)
})

test('the addresses that are named can be reached, and no others', () => {
  const [setting = ''] = blocksOf(page, 'Receivers in your own network', 'sh')
  const named = parseConfig({ FORMBOX_WEBHOOK_ALLOW: /'(.*)'/.exec(setting)?.[1] ?? '' }).webhookAllowed
  for (const address of ['192.168.1.20', 'fd12::1', '1.1.1.1']) expect(isReachable(named, address), address).toBeTrue()
  for (const address of ['192.168.1.21', '127.0.0.1', 'fe80::1'])
    expect(isReachable(named, address), address).toBeFalse()

  const nat64 = /`(64:[^`]+)`/.exec(sectionOf(page, 'Receivers in your own network'))?.[1] ?? ''
  const throughNat64 = parseConfig({ FORMBOX_WEBHOOK_ALLOW: nat64 }).webhookAllowed
  // 1.1.1.1 and 10.0.0.1
  for (const address of ['64:ff9b::101:101', '64:ff9b::a00:1']) {
    expect(isReachable(throughNat64, address), address).toBeTrue()
    expect(isReachable(named, address), address).toBeFalse()
  }
})

const publicUrl = 'https://forms.example.com'

test('a file has the members that are shown', async () => {
  const { server, ada, formId } = await world({ environment: { ...allowed, FORMBOX_URL: publicUrl } })
  const { url, arrived } = startReceiver()
  await addWebhook(ada, formId, url)
  const body = new FormData()
  body.append('cv', new File(['%PDF-'], 'cv.pdf', { type: 'application/pdf' }))
  expect((await server.fetch(`/s/${formId}`, { method: 'POST', body })).status).toBeLessThan(400)
  await until(() => arrived.length === 1, 'the submission has arrived')
  const [, shown = ''] = blocksOf(page, 'What arrives', 'json')
  const { cv } = JSON.parse(arrived[0]?.body ?? '').data.data
  expect(Object.keys(cv)).toEqual(Object.keys(JSON.parse(shown)))
  const withoutTexts = (address: string): string => address.replace(/\w{28}\?/, '?').replace(/=[^&]+/g, '=')
  expect(withoutTexts(cv.url)).toBe(withoutTexts(JSON.parse(shown).url))
})

test('the words in quotation marks are on the pages of the form', async () => {
  const server = await sharedServer({
    ...allowed,
    FORMBOX_URL: publicUrl,
    FORMBOX_MAIL_URL: 'smtp://127.0.0.1:1',
    FORMBOX_MAIL_FROM: 'forms@example.com',
  })
  const { api, get } = await owner(server)
  const formId = await api.createForm()
  const reply = { field: 'email', subject: 'Thank you', text: 'We answer soon.' }
  await api.call('PATCH', `/forms/${formId}/settings`, { reply })
  const webhook = await addWebhook(api, formId, startReceiver().url)
  const submissionId = await server.submit(formId, { a: '1' })
  await untilDelivered(api, formId, submissionId)
  const delivered = (await get(`/forms/${formId}/submissions/${submissionId}`)).html
  writeTo(server.folder, ({ $client }) => {
    $client.run("UPDATE deliveries SET state = 'failed' WHERE submission = ?", [submissionId])
    $client.run('UPDATE receivers SET delivered_count = 0, failed_count = 1 WHERE id = ?', [webhook.id])
  })

  await api.call('PATCH', `/forms/${formId}/settings`, { blockedTerms: ['casino'] })
  await server.submit(formId, { a: 'casino' })
  const paths = [
    'settings',
    'settings/visitors',
    'spam',
    'settings/told/new?kind=program',
    'settings/told/new?kind=email',
    `submissions/${submissionId}`,
    'deliveries',
  ]
  const pages = await Promise.all(paths.map(async (path) => (await get(`/forms/${formId}/${path}`)).html))
  const ofOthers = ['n8n', 'Microsoft Teams'].map((name) => sectionOf(page, name))
  const ofFormbox = [
    ofOthers.reduce((rest, section) => rest.replace(section, ''), page),
    await pageOf('email-notifications'),
    await pageOf('automatic-replies'),
  ].join('\n')
  const words = [...ofFormbox.matchAll(/“([^”]+)”/g)].map(([, word = '']) => word)
  expect(words.length).toBeGreaterThan(5)
  const shown = [delivered, ...pages].join('\n')
  const isShown = (word: string): boolean =>
    new RegExp(`>${word}(?: [\\d,]+(?: again)?)?(<| <span class="optional")`).test(shown)
  expect(words.filter((word) => !isShown(word))).toEqual([])
})

const hasCurl = Bun.which('curl') !== null
if (!hasCurl) noteSkipped("The tests of docs/webhooks.md's commands are skipped: there is no curl here.")

test.skipIf(!hasCurl)('the commands work', async () => {
  const { server, ada, formId, webhook, url } = await withWebhook()
  await untilDelivered(ada, formId, await server.submit(formId, { a: '1' }))
  const [delivery] = await deliveriesOf(ada, formId)
  const [webhooks = '', failures = ''] = ['Add a webhook', 'If a delivery fails'].flatMap((heading) =>
    blocksOf(page, heading, 'sh'),
  )
  const [create = '', trial = ''] = webhooks.split('\n')
  const [list = '', retry = ''] = failures.split('\n')
  const run = (command: string) =>
    runInShell(server, ada, command, {
      FORM_ID: formId,
      WEBHOOK_ID: webhook.id,
      DELIVERY_ID: delivery?.id ?? '',
      'https://example.com/hook': url,
    })
  expect(await run(create)).toEqual({ id: expect.any(String), secret: expect.stringMatching(/^whsec_/) })
  expect(await run(trial)).toMatchObject({ status: 204, error: null })
  expect(await run(list)).toMatchObject({ deliveries: [] })
  expect(await run(retry)).toEqual({ success: true })
})

/** Runs a command with the variables of the quick start, and parses what it prints. */
const runInShell = async (server: Server, user: User, command: string, names: Record<string, string>) => {
  const line = Object.entries(names).reduce((text, [name, value]) => text.replaceAll(name, value), command)
  const shell = Bun.spawn(['sh', '-c', line.replace('curl', 'curl -sS --fail-with-body')], {
    env: {
      PATH: process.env.PATH ?? '',
      api: `${server.url}/api/v1`,
      auth: `Authorization: Bearer ${user.key}`,
      json: 'Content-Type: application/json',
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [printed, complaints] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
  ])
  expect(complaints).toBe('')
  return JSON.parse(printed)
}
