import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { parseConfig } from '../../../../src/config/config.ts'
import { fillDemo } from '../../../../src/demo/fill.ts'
import { openPastService } from '../../../../src/demo/past-service.ts'
import { demoAnswers, openResults } from '../../../../src/demo/results.ts'
import { formbox, oneLine } from '../../../commands/formbox.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { spawnProgram } from '../../../program.ts'
import { noteSkipped } from '../../../skips.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { until } from '../../../until.ts'
import { visit } from '../../../visitor.ts'

const hasStrace = Bun.which('strace') !== null
if (!hasStrace) noteSkipped('That the demo opens no connection is not traced: there is no strace here.')

interface Options {
  /** The folder for temporary files. */
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly wrap?: readonly string[]
}

/** Starts `formbox demo`, without waiting for it. */
const begin = ({ folder = temporaryFolder(), environment = {}, wrap = [] }: Options = {}) => {
  const child = spawnProgram(['demo'], {
    environment: { TMPDIR: folder, TZ: 'Europe/Berlin', ...environment },
    wrap: (command) => [...wrap, ...command],
  })
  afterThisTest(child.destroy)
  return { ...child, folder }
}

const startDemo = async (options?: Options) => {
  const demo = begin(options)
  const url = await demo.listening
  const [folder = ''] = readdirSync(demo.folder)
  const data = join(demo.folder, folder, 'data')
  const run = async (...words: string[]): Promise<string> => {
    const { stdout, stderr } = await formbox([...words, '--data', data])
    expect(stderr).toBe('')
    return stdout.trim()
  }
  /** Reads or changes what a person may, with a key of theirs. */
  const person = async (email: string) => {
    const key = await run('key', 'create', '--user', email, '--name', 'Test')
    return async (method: string, path: string, body?: object) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: await response.json() }
    }
  }
  return { ...demo, url, data, person }
}

describe('formbox demo', () => {
  test('prints where to look, how to sign in and a page, and has forms with all that happens to them', async () => {
    const demo = await startDemo()
    const [first, signIn = '', colleague, page = '', tunnel, last, ...rest] = demo.output().split('\n')
    expect(first).toBe(`Formbox listens on ${demo.url}`)
    const [, email = '', password = ''] = /^Sign in: (\S+), password (\S+)$/.exec(signIn) ?? []
    expect(colleague).toBe('A colleague, with the same password: grace@example.com')
    expect(page).toStartWith(`The page of a form: ${demo.url}/f/`)
    const { port } = new URL(demo.url)
    expect(tunnel).toBe(`On another computer, first run there: ssh -L ${port}:127.0.0.1:${port} USER@HOST`)
    expect(last).toBe('It sends no email and calls no webhook. Ctrl-C ends it and deletes its data.')
    expect(rest).toEqual([''])

    const ada = visit({ url: demo.url, fetch: (path, init) => fetch(demo.url + path, { redirect: 'manual', ...init }) })
    expect((await ada.signIn(email, password)).status).toBe(303)
    const list = await ada.get('/forms')
    for (const words of ['Contact', 'Shop', 'Events', 'unread', 'Not delivered', 'in 30 days'])
      expect(list.html).toContain(words)
    const times = [...list.html.matchAll(/<time datetime="([^"]+)"/g)].map(([, time = '']) => Date.parse(time))
    expect(Math.max(...times)).toBeGreaterThan(Date.now() - 3_600_000)
    const server = await ada.get('/server')
    expect(server.html).toContain('This is a demo')
    for (const mark of ['is-bad', 'is-look']) expect(server.html).not.toContain(mark)
    const visitor = await fetch(page.slice(page.indexOf('http')))
    expect(visitor.status).toBe(200)
    expect(await visitor.text()).toContain('Bake sourdough with us')

    const api = await demo.person(email)
    const { forms } = (await api('GET', '/forms')).body
    const idOf = (title: string): string => forms.find((form: { title: string }) => form.title === title).id
    expect(forms.map(({ title }: { title: string }) => title).sort()).toEqual([
      'Cake orders',
      'Contact',
      'Job application',
      'Sourdough workshop',
    ])
    const read = async (path: string) => (await api('GET', path)).body
    const contact = `/forms/${idOf('Contact')}`
    const { submissions } = await read(`${contact}/submissions?perPage=100`)
    const [newest, oldest] = [submissions[0], submissions.at(-1)].map(({ createdAt }) => Date.parse(createdAt))
    const days = (Date.now() - (oldest as number)) / 86_400_000
    expect(days).toBeWithin(13, 15)
    expect(Date.now() - (newest as number)).toBeLessThan(60 * 60_000)
    const messages = submissions.map(({ data }: { data: { message: string } }) => data.message).join('\n')
    for (const script of ['Latin', 'Cyrillic', 'Arabic', 'Han', 'Hiragana'])
      expect(messages).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'))
    const { spam } = await read(`${contact}/spam?perPage=100`)
    const reasons = new Set(spam.map(({ reason }: { reason: string }) => reason))
    expect([...reasons].sort()).toEqual(['honeypot', 'links', 'marked', 'similar', 'terms'])

    const sent = await fetch(`${demo.url}/s/${idOf('Contact')}`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ name: 'Sam', message: 'A first try' }),
    })
    const { id: newId } = (await sent.json()) as { id: string }
    const seen = async (): Promise<string> => (await ada.get(`${contact}/submissions/${newId}`)).html
    await until(async () => (await seen()).includes('Demo: not really sent'), 'its page has the result')
    expect(await seen()).not.toContain('is-failed')

    const workshop = `/forms/${idOf('Sourdough workshop')}`
    const { fields, page: shown } = await read(`${workshop}/settings`)
    expect(fields).toHaveLength(6)
    expect(shown).toMatchObject({ button: 'Sign up' })
    const statesOf = async (form: string): Promise<Record<string, number>> => {
      const { deliveries } = await read(`${form}/deliveries?perPage=100`)
      const states = Map.groupBy(deliveries as { state: string }[], ({ state }) => state)
      return Object.fromEntries([...states].map(([state, found]) => [state, found.length]))
    }
    expect(await statesOf(workshop)).toEqual({ delivered: 23 })
    const orders = await statesOf(`/forms/${idOf('Cake orders')}`)
    for (const state of ['delivered', 'failed', 'pending']) expect(orders[state], state).toBeGreaterThan(0)

    const jobs = `/forms/${idOf('Job application')}`
    const applications = (await read(`${jobs}/submissions`)).submissions as {
      id: string
      data: { cv: { file: string } }
    }[]
    const [
      {
        id,
        data: { cv },
      } = { id: '', data: { cv: { file: '' } } },
    ] = applications
    const file = await ada.get(`/forms/${idOf('Job application')}/submissions/${id}/files/${cv.file}`)
    expect([file.status, file.html.slice(0, 5)]).toEqual([200, '%PDF-'])
    expect((await read(`${jobs}/members`)).members).toMatchObject([{ email: 'grace@example.com', role: 'editor' }])
    expect((await read('/shared/forms')).forms).toMatchObject([{ title: 'Street festival: helpers', role: 'reader' }])
  })

  test.each([0, 8, 16])(
    'has learned spam and a failed webhook, whatever the time: %p hours from now',
    async (hours) => {
      const folder = temporaryFolder()
      const settings = { FORMBOX_DATA: folder, FORMBOX_MIN_FREE: '0', FORMBOX_URL: 'http://127.0.0.1:1' }
      const mail = { FORMBOX_MAIL_URL: 'smtp://127.0.0.1:9', FORMBOX_MAIL_FROM: 'bakery@example.com' }
      await fillDemo(parseConfig({ ...settings, ...mail }), 'fresh bread', Date.now() + hours * 3_600_000)
      expect(rowsOf(folder, "SELECT count(*) AS count FROM submissions WHERE reason = 'similar'")).toEqual([
        { count: 2 },
      ])
      const webhooks = rowsOf(folder, "SELECT is_enabled, failed_count FROM receivers WHERE kind = 'webhook'")
      expect(webhooks).toEqual([{ is_enabled: 1, failed_count: expect.any(Number) }])
      expect(webhooks[0]?.failed_count).toBeGreaterThan(0)
    },
  )

  test('is as it began a month later: nothing else fails, and no webhook is switched off', async () => {
    const folder = temporaryFolder()
    const config = parseConfig({
      ...{ FORMBOX_DATA: folder, FORMBOX_MIN_FREE: '0', FORMBOX_URL: 'http://127.0.0.1:1' },
      ...{ FORMBOX_MAIL_URL: 'smtp://127.0.0.1:9', FORMBOX_MAIL_FROM: 'bakery@example.com' },
    })
    const present = Date.now()
    await fillDemo(config, 'fresh bread', present)
    const hour = 3_600_000
    const receivers = () =>
      rowsOf(folder, 'SELECT target, is_enabled, disabled_reason FROM receivers WHERE failed_count > 0')
    const failing = receivers()
    expect(failing).toMatchObject([{ is_enabled: 1, disabled_reason: null }])

    const service = await openPastService(config, present)
    const endDeliveries = openResults(service, present)
    for (let at = present; at < present + 30 * 24 * hour; at += hour / 2) await endDeliveries(at)
    await service.close()

    expect(receivers()).toEqual(failing)
    expect(rowsOf(folder, "SELECT state FROM deliveries WHERE state = 'pending'")).toEqual([])
    const answer = (hours: number) => demoAnswers(present, () => present + hours * hour)('kitchen.example.com')
    expect([0, 5, 7, 700].map((hours) => answer(hours).status)).toEqual([503, 503, 200, 200])
  })

  test('opens no connection to another host, whatever its users set up and the environment says', async () => {
    let connections = 0
    const count = { open: () => void connections++, data() {} }
    const receiver = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: count })
    afterThisTest(() => receiver.stop(true))
    const log = join(temporaryFolder(), 'trace')
    const demo = await startDemo({
      environment: {
        FORMBOX_HOST: '0.0.0.0',
        FORMBOX_MAIL_URL: `smtp://127.0.0.1:${receiver.port}`,
        FORMBOX_MAIL_FROM: 'forms@example.com',
        FORMBOX_URL: 'https://forms.example.com',
        FORMBOX_WEBHOOK_ALLOW: '127.0.0.0/8',
      },
      wrap: hasStrace ? ['strace', '-D', '-f', '-e', 'trace=connect,sendto,sendmsg,bind', '-o', log] : [],
    })
    expect(demo.url).toStartWith('http://127.0.0.1:')
    const ada = await demo.person('ada@example.com')
    const { forms } = (await ada('GET', '/forms')).body
    const { id } = forms.find(({ title }: { title: string }) => title === 'Contact')
    const local = await ada('POST', `/forms/${id}/webhooks`, { url: `http://127.0.0.1:${receiver.port}/` })
    expect(local.status).toBe(400)
    const added = await ada('POST', `/forms/${id}/webhooks`, { url: 'https://hooks.example.com/' })
    const answer = 'Demo: not really sent'
    const tested = await ada('POST', `/forms/${id}/webhooks/${added.body.id}/test`)
    expect(tested.body).toMatchObject({ status: 200, error: null, answer })
    const sent = await fetch(`${demo.url}/s/${id}`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ name: 'Sam' }),
    })
    expect(sent.status).toBe(200)
    const { id: submission } = (await sent.json()) as { id: string }
    const delivered = async () => {
      const { deliveries } = (await ada('GET', `/forms/${id}/deliveries?state=delivered&perPage=100`)).body
      return deliveries.filter(({ submissionId }: { submissionId: string }) => submissionId === submission).length === 2
    }
    await until(delivered, 'the mail and the webhook were attempted')
    demo.kill('SIGTERM')
    expect(await demo.ended()).toMatchObject({ exitCode: 0 })
    expect(demo.errors()).toBe('')
    expect(connections).toBe(0)
    if (!hasStrace) return
    const traced = () => readFileSync(log, 'utf8').split('\n')
    const end = new RegExp(`^${demo.pid} +\\+{3} exited`)
    await until(() => traced().some((line) => end.test(line)), 'all of it was traced')
    const inets = traced().filter((line) => line.includes('AF_INET'))
    // It listens on this machine, twice: for a port that is free, and on that port.
    expect(inets.filter((line) => line.includes('bind(')).length).toBeGreaterThan(0)
    expect(inets.filter((line) => !/bind\(.*inet_addr\("127\.0\.0\.1"\)/.test(line))).toEqual([])
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('deletes its data at %s', async (signal) => {
    const demo = await startDemo()
    demo.kill(signal)
    expect(await demo.ended()).toEqual({ exitCode: 0, signal: null })
    expect(demo.errors()).toBe('')
    expect(readdirSync(demo.folder)).toEqual([])
  })

  test('deletes its data if it is ended while it starts', async () => {
    const demo = begin()
    demo.listening.catch(() => {})
    await until(() => readdirSync(demo.folder).length > 0, 'the folder is there')
    demo.kill('SIGTERM')
    expect((await demo.ended()).signal).toBe(null)
    expect(readdirSync(demo.folder)).toEqual([])
  })

  test('listens elsewhere beside another demo, and removes what a killed one left, but nothing that is in use', async () => {
    const killed = await startDemo()
    const { folder } = killed
    const [left = ''] = readdirSync(folder)
    killed.kill('SIGKILL')
    await killed.ended()
    utimesSync(join(folder, left), new Date(), new Date())
    const first = await startDemo({ folder })
    const [used = ''] = readdirSync(folder).filter((name) => name !== left)
    // Younger folders may be those of demos that are starting.
    expect(readdirSync(folder)).toContain(left)
    for (const name of [left, used]) utimesSync(join(folder, name), 1, 1)

    const second = await startDemo({ folder })

    expect(second.url).not.toBe(first.url)
    expect(readdirSync(folder)).not.toContain(left)
    expect(readdirSync(folder)).toContain(used)
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200)
  })

  test.each([
    [['demo', '--port', '80'], 'unknown flag "--port"; see formbox demo --help'],
    [['demo', 'now'], 'unexpected argument "now"'],
  ])('refuses arguments: %p', async (words, message) => {
    const folder = temporaryFolder()
    const { exitCode, stdout, stderr } = await formbox(words, { environment: { TMPDIR: folder } })
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(oneLine)
    expect(stderr).toContain(message)
    expect(readdirSync(folder)).toEqual([])
  })
})
