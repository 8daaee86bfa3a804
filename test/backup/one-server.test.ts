import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { lockFolder } from '../../src/db/lock.ts'
import { formbox, serve } from '../commands/formbox.ts'
import { temporaryFolder } from '../harness.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { refusal } from './data.ts'

setDefaultTimeout(20_000)

describe('a data folder', () => {
  test('has one server: the second says which process has it, and the first goes on', async () => {
    const data = temporaryFolder()
    const server = await serve(['--data', data])
    const line = await refusal(['serve', '--port', '0', '--data', data])
    expect(line).toBe(
      `formbox: another Formbox (process ${server.pid}) is running on the data folder ${data}; stop it first\n`,
    )
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    server.kill('SIGTERM')
    expect(await server.end()).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test('has one server when several are started at the same moment', async () => {
    const data = temporaryFolder()
    const started = await Promise.allSettled(Array.from({ length: 4 }, () => serve(['--data', data])))
    const running = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const refused = started.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
    expect([running.length, refused.length]).toEqual([1, 3])
    for (const reason of refused) expect(reason).toContain('is running on the data folder')
    expect((await fetch(`${running[0]?.url}/healthz`)).status).toBe(200)
    expectSound(data)
  })

  test('is free at once when its server was killed', async () => {
    const data = temporaryFolder()
    for (let round = 0; round < 3; round++) {
      const server = await serve(['--data', data])
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
      server.kill('SIGKILL')
      await server.end()
    }
    const last = await serve(['--data', data])
    last.kill('SIGTERM')
    expect((await last.end()).exitCode).toBe(0)
  })

  test('is open to the other commands beside its server', async () => {
    const data = temporaryFolder()
    const server = await serve(['--data', data])
    const run = async (...words: string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await formbox([...words, '--data', data])
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      return stdout
    }
    await run('user', 'create', 'ada@example.com')
    expect(await run('user', 'list')).toContain('ada@example.com')
    const key = (await run('key', 'create', '--user', 'ada@example.com', '--name', 'Test')).trim()
    const call = () => fetch(`${server.url}/api/v1/forms`, { headers: { authorization: `Bearer ${key}` } })
    expect((await call()).status).toBe(200)
    const id = rowsOf<{ id: string }>(data, 'SELECT id FROM keys')[0]?.id ?? ''
    expect(await run('key', 'list')).toContain(id)
    await run('backup', join(data, 'copy.db'))
    await run('key', 'revoke', id)
    expect((await call()).status).toBe(401)
  })
})

describe('the lock', () => {
  test('is refused while it is held, also in the same process, and given after', () => {
    const folder = temporaryFolder()
    const first = lockFolder(folder)
    expect(() => lockFolder(folder)).toThrow(`another Formbox (process ${process.pid}) is running`)
    expect(() => lockFolder(folder)).toThrow('stop it first')
    first.release()
    lockFolder(folder).release()
  })

  test('is refused when a file that is no lock has its name, and says which', async () => {
    const folder = temporaryFolder()
    await Bun.write(join(folder, 'formbox.lock'), 'what somebody wrote'.repeat(100))
    expect(() => lockFolder(folder)).toThrow(`cannot lock ${join(folder, 'formbox.lock')}: it is no database`)
  })
})
