import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../harness.ts'
import { caller, command, createUser, run, startProcess, timeout } from './process.ts'

const password = 'correct horse battery staple'

describe('secrets', () => {
  test(
    'are in no log, no error, no file in clear and in no process list',
    async () => {
      const folder = join(temporaryFolder(), 'data')
      const child = Bun.spawn([...command, 'user', 'create', 'ada@example.com', '--password-stdin', '--data', folder], {
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
      expect((await new Response(child.stdout).text()) + (await new Response(child.stderr).text())).toBe('')
      const made = await run(folder, ['user', 'create', 'bob@example.com'])
      const { output: key } = await run(folder, ['key', 'create', '--user', 'ada@example.com', '--name', 'Test'])
      expect(key).toStartWith('api_')

      const server = await startProcess({ folder, settings: { FORMBOX_LOG: 'json', FORMBOX_LOG_LEVEL: 'info' } })
      const call = caller(server.url, key)
      const formId = (await call('POST', '/forms', { title: 'Contact' })).body.id
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
      for (const secret of ['secret-in-query', 'secret-in-body', key.slice(4)])
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
    'lie in a folder and files for the owner alone, whatever the umask',
    async () => {
      const folder = join(temporaryFolder(), 'new', 'data')
      const server = await startProcess({
        folder,
        wrap: (words) => ['bash', '-c', 'umask 000; exec "$@"', 'bash', ...words],
      })
      const key = createUser(folder)
      await caller(server.url, key)('POST', '/forms', { title: 'Contact' })
      const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
      expect(mode(folder)).toBe('700')
      const files = readdirSync(folder)
      expect(files.length).toBeGreaterThanOrEqual(3)
      expect(files.map((file) => [file, mode(join(folder, file))])).toEqual(files.map((file) => [file, '600']))
    },
    timeout,
  )

  test(
    'of a revoked and of an expired key are dead from the next request on',
    async () => {
      const folder = temporaryFolder()
      const key = createUser(folder)
      const server = await startProcess({ folder })
      const status = async (secret: string) => (await caller(server.url, secret)('GET', '/forms')).status
      const expires = new Date(Date.now() + 4000)
      const create = ['key', 'create', '--user', 'ada@example.com', '--name', 'Short']
      const { output: brief } = await run(folder, [...create, '--expires', expires.toISOString()])
      expect(await status(key)).toBe(200)
      const { output: list } = await run(folder, ['key', 'list'])
      const id = /^(\S+) .* Test /m.exec(list)?.[1] ?? ''

      expect((await run(folder, ['key', 'revoke', id])).exitCode).toBe(0)

      expect(await status(key)).toBe(401)
      while (Date.now() < expires.getTime()) await Bun.sleep(expires.getTime() - Date.now())
      expect(await status(brief)).toBe(401)
    },
    timeout,
  )
})
