import { describe, expect, test } from 'bun:test'
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { letGo } from '../../../backup/data.ts'
import { allowed, startReceiver } from '../../../deliveries/receiver.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { program } from '../../../program.ts'
import { caller, createUser, run, startProcess, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'
import { visit } from '../../../visitor.ts'

const password = 'correct horse battery staple'

describe('secrets', () => {
  test(
    'are in no log, no error, no file in clear and in no process list',
    async () => {
      const folder = join(temporaryFolder(), 'data')
      const child = Bun.spawn([...program, 'user', 'create', 'ada@example.com', '--password-stdin', '--data', folder], {
        env: { PATH: process.env.PATH ?? '' },
        stdin: 'pipe',
        stdout: 'pipe',
        stderr: 'pipe',
      })
      child.stdin.write(password)
      await child.stdin.flush()
      expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).not.toContain(password)
      await child.stdin.end()
      expect(await child.exited).toBe(0)
      expect(await new Response(child.stdout).text()).toBe('')
      expect(await new Response(child.stderr).text()).toBe(`formbox: there was no data yet in ${folder}\n`)
      const made = await run(folder, ['user', 'create', 'bob@example.com'])
      const { output: key } = await run(folder, ['key', 'create', '--user', 'ada@example.com', '--name', 'Test'])
      expect(key).toStartWith('api_')

      const logging = { FORMBOX_LOG: 'json', FORMBOX_LOG_LEVEL: 'info' }
      const server = await startProcess({ folder, settings: { ...logging, ...allowed } })
      const call = caller(server.url, key)
      const formId = (await call('POST', '/forms', { title: 'Contact' })).body.id
      const hookSecrets = ['secret-in-header', '123456:secret-in-url']
      const receiver = startReceiver(
        ({ path, headers }) => new Response(`no ${path} ${headers.get('x-key')}`, { status: 500 }),
      )
      const hook = await call('POST', `/forms/${formId}/webhooks`, {
        url: `${receiver.url}/bot${hookSecrets[1]}/sendMessage?chat_id=1`,
        format: 'telegram',
        headers: { 'X-Key': hookSecrets[0] },
      })
      const tested = await call('POST', `/forms/${formId}/webhooks/${hook.body.id}/test`)
      expect(tested.body).toMatchObject({ status: 500, answer: 'no ••• •••' })
      const answers = [
        await fetch(`${server.url}/api/v1/forms?api_key=${key}`),
        await fetch(`${server.url}/api/v1/forms/${key}`, { headers: { authorization: `Bearer ${key}` } }),
        await fetch(`${server.url}/api/v1/${key}`, { headers: { authorization: `Basic ${key}` } }),
        await fetch(`${server.url}/${key}`),
        await fetch(`${server.url}/s/${formId}?secret-in-query`, { method: 'POST', body: `{"broken":"secret-in-body` }),
        await fetch(`${server.url}/s/${formId}`, {
          method: 'POST',
          body: new URLSearchParams({ a: 'secret-in-body' }),
        }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([401, 404, 401, 404, 400, 200])
      await until(() => receiver.arrived.length > 1, 'the webhook is told')
      const deliveries = async () => JSON.stringify((await call('GET', `/forms/${formId}/deliveries`)).body)
      await until(async () => (await deliveries()).includes('"lastStatus":500'), 'the attempt is written down')
      for (const secret of hookSecrets)
        for (const place of [JSON.stringify([hook.body, tested.body]), await deliveries()])
          expect(place).not.toContain(secret)
      const texts = (await Promise.all(answers.map((answer) => answer.text()))).join('\n')
      const inFiles = readdirSync(folder)
        .map((file) => readFileSync(join(folder, file), 'latin1'))
        .join('\n')
      expect(inFiles).toContain(Bun.SHA256.hash(key, 'hex'))
      expect(readFileSync(`/proc/${server.pid}/cmdline`, 'utf8')).not.toContain(key)
      server.kill('SIGTERM')
      expect(await server.ended()).toEqual({ exitCode: 0, signal: null })
      expect(server.output().split('\n').length).toBeGreaterThan(7)
      for (const secret of [key, password, made.output])
        for (const place of [inFiles, texts, server.output(), server.errors()]) expect(place).not.toContain(secret)
      for (const secret of ['secret-in-query', 'secret-in-body', key.slice(4), ...hookSecrets])
        expect(server.output() + server.errors()).not.toContain(secret)
    },
    timeout,
  )

  test(
    'are not repeated by an error of the command line',
    async () => {
      const folder = temporaryFolder()
      const key = createUser(folder)
      const revoked = await run(folder, ['key', 'revoke', key])
      expect({ ...revoked, exitCode: revoked.exitCode > 0 }).toEqual({
        output: '',
        errors: 'formbox: Key not found',
        exitCode: true,
      })
      for (const words of [
        ['user', 'create', 'eve@example.com', `--password=${password}`],
        ['serve', `--key=${key}`],
      ]) {
        const { output, errors, exitCode } = await run(folder, words)
        expect(exitCode).toBe(2)
        expect(output + errors).not.toContain(password)
        expect(output + errors).not.toContain(key)
      }
    },
    timeout,
  )

  test(
    'that pass through the pages are nowhere in clear but on the page that is for them',
    async () => {
      const folder = join(temporaryFolder(), 'data')
      const seen = watchProcesses()
      const server = await startProcess({
        folder,
        settings: { FORMBOX_LOG: 'json', FORMBOX_LOG_LEVEL: 'info', FORMBOX_BACKUP_EVERY: '24h' },
      })
      const visitor = visit({
        url: server.url,
        fetch: (path, init) => fetch(server.url + path, { redirect: 'manual', ...init }),
      })
      const sessionOf = () => visitor.cookie()?.split('=')[1] ?? ''
      await until(() => server.output().includes('/setup?token='), 'the address of the setup is printed', slowly)
      const token = /token=([^\s"]+)/.exec(server.output())?.[1] ?? ''
      expect((await visitor.get(`/setup?token=${token}`)).status).toBe(200)
      const made = await visitor.post('/setup', { token, email: 'ada@example.com', password })
      expect(made.status).toBe(303)
      const first = sessionOf()
      const { location } = await visitor.post('/settings/keys', { name: 'Laptop', permission: 'full' })
      const key = />(api_\w+)</.exec((await visitor.get(location ?? '')).html)?.[1] ?? ''
      expect((await caller(server.url, key)('POST', '/forms', { title: 'Contact' })).status).toBe(200)
      const newPassword = 'another one of enough length'
      const changed = await visitor.post('/settings/account/password', { current: password, new: newPassword })
      expect(changed.location).toBe('/settings/account?done=password#notice')
      expect((await visitor.signIn('ada@example.com', 'a password that is wrong')).status).toBeGreaterThan(303)
      expect((await visitor.signIn('ada@example.com', newPassword)).status).toBe(303)
      const second = sessionOf()
      const device = visitor.cookie('device')?.split('.').at(-1) ?? ''
      const copy = join(folder, '..', 'copy.db')
      expect((await run(folder, ['backup', copy])).exitCode).toBe(0)
      await until(() => bytesIn(folder, /^backups\/formbox-[^.]+\.db$/) !== '', 'a backup is made', slowly)
      const whileRunning = bytesIn(folder)
      server.kill('SIGTERM')
      expect(await server.ended()).toEqual({ exitCode: 0, signal: null })
      letGo(folder)
      expect((await run(folder, ['restore', copy])).exitCode).toBe(0)

      const secrets = { token, password, first, key, newPassword, wrong: 'a password that is wrong', second, device }
      // Without the line that is there to show the address of the set-up page.
      const output = server.output().replace(/^.*\/setup\?token=.*\n/m, '')
      const places = {
        'the files of a running server': whileRunning,
        'the files afterwards, with the replaced one': bytesIn(folder),
        'the backup': readFileSync(copy, 'latin1'),
        'the log': output,
        'the standard error': server.errors(),
        'the process list': seen.stop(),
      }
      expect(output.split('\n').length).toBeGreaterThan(8)
      expect(places['the process list']).toContain('backup')
      // What is looked for would be found: the hashes are there.
      for (const place of [whileRunning, places['the backup']])
        for (const secret of [key, second]) expect(place).toContain(Bun.SHA256.hash(secret, 'hex'))
      for (const [name, secret] of Object.entries(secrets)) {
        expect(secret.length, name).toBeGreaterThan(20)
        for (const [place, content] of Object.entries(places))
          expect(content.includes(secret), `${name} in ${place}`).toBe(false)
      }
    },
    timeout,
  )

  test(
    'lie in folders and files for the owner alone, whatever the umask, also copies',
    async () => {
      const folder = join(temporaryFolder(), 'new', 'data')
      const openly = (words: readonly string[]) => ['bash', '-c', 'umask 000; exec "$@"', 'bash', ...words]
      const server = await startProcess({ folder, settings: { FORMBOX_BACKUP_EVERY: '24h' }, wrap: openly })
      const key = createUser(folder)
      await caller(server.url, key)('POST', '/forms', { title: 'Contact' })
      await until(() => bytesIn(folder, /^backups\/formbox-[^.]+\.db$/) !== '', 'a backup is made', slowly)
      const copy = join(folder, '..', 'copy.db')
      const runOpenly = (words: readonly string[]) =>
        Bun.spawnSync(openly([...program, ...words, '--data', folder]), { env: { PATH: process.env.PATH ?? '' } })
      expect(runOpenly(['backup', copy]).exitCode).toBe(0)
      expect(mode(copy)).toBe('600')
      const running = modesIn(folder)
      expect(Object.keys(running)).toEqual(expect.arrayContaining(['formbox.db-wal', 'formbox.db-shm', 'formbox.lock']))
      expectOwnersAlone(running)
      server.kill('SIGKILL')
      await server.ended()
      chmodSync(copy, 0o644)
      letGo(folder)

      expect(runOpenly(['restore', copy]).exitCode).toBe(0)

      const restored = modesIn(folder)
      expect(Object.keys(restored).some((name) => name.startsWith('formbox.db.replaced-'))).toBe(true)
      expectOwnersAlone(restored)
      expect(mode(folder)).toBe('700')
    },
    timeout,
  )
})

const filesIn = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String)

/** What the files hold, one after the other; those whose path fits, where one is given. */
const bytesIn = (folder: string, pattern = /./): string =>
  filesIn(folder)
    .filter((path) => pattern.test(path) && statSync(join(folder, path)).isFile())
    .map((path) => readFileSync(join(folder, path), 'latin1'))
    .join('\n')

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)

const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(filesIn(folder).map((path) => [path, mode(join(folder, path))]))

const expectOwnersAlone = (modes: Record<string, string>): void =>
  expect(modes).toEqual(
    Object.fromEntries(Object.keys(modes).map((path) => [path, path === 'backups' ? '700' : '600'])),
  )

/** Notes the command lines of all processes again and again, as anyone on the machine may read them. */
const watchProcesses = () => {
  const seen = new Set<string>()
  const look = () => {
    for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
      try {
        seen.add(readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' '))
      } catch {
        // It has ended.
      }
  }
  const timer = setInterval(look, 2)
  afterThisTest(() => clearInterval(timer))
  return { stop: () => [...seen].join('\n') }
}
