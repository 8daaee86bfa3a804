import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { joinFolder, lockFolder, lockOutCommands } from '../../../../src/storage/folder-lock.ts'
import { refusal } from '../../../backup/data.ts'
import { addUser, formbox, serve } from '../../../commands/formbox.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'
import { until } from '../../../until.ts'

describe('a data folder', () => {
  test('has one server: the second says which process has it, and the first goes on', async () => {
    const data = temporaryFolder()
    const server = await serve(['--data', data])
    const line = await refusal(['serve', '--port', '0', '--data', data])
    expect(line).toBe(
      `formbox: another Formbox (process ${server.pid}) is using the data folder ${data}; stop it first\n`,
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
    for (const reason of refused) expect(reason).toContain('is using the data folder')
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

describe('restore', () => {
  const prepare = async () => {
    const folder = temporaryFolder()
    const data = join(folder, 'data')
    addUser(data, 'ada@example.com')
    const backup = join(folder, 'backup.db')
    await formbox(['backup', backup, '--data', data])
    return { data, backup }
  }

  test('waits for a command that is at work, whose write is then kept in what was replaced', async () => {
    const { data, backup } = await prepare()
    const command = await startCommand(data)

    const restoring = formbox(['restore', backup, '--data', data])
    await until(async () => isClosed(data), 'the data file is closed')
    command.finish()

    const { exitCode, stdout } = await restoring
    expect(exitCode).toBe(0)
    const [, kept = ''] = /is kept in (.+)\n/.exec(stdout) ?? []
    expect(emailsIn(kept)).toEqual(['ada@example.com', 'bob@example.com'])
    expect(emailsIn(join(data, 'formbox.db'))).toEqual(['ada@example.com'])
  })

  test('is refused, and leaves all as it was, when a command does not end', async () => {
    const { data, backup } = await prepare()
    const command = joinFolder(data)
    addUser(data, 'bob@example.com')

    const line = await refusal(['restore', backup, '--data', data])

    expect(line).toBe(
      `formbox: another command, such as a backup, is using the data folder ${data}; try again when it has finished\n`,
    )
    command.release()
    expect(emailsIn(join(data, 'formbox.db'))).toEqual(['ada@example.com', 'bob@example.com'])
    expect((await formbox(['restore', backup, '--data', data])).exitCode).toBe(0)
  })

  test('keeps commands waiting, which say why when it takes long', async () => {
    const { data } = await prepare()
    const commands = [
      ['user', 'create', 'bob@example.com'],
      ['key', 'list'],
      ['backup', `${data}.copy`],
    ].map((words) => [...words, '--data', data])
    const restore = lockOutCommands(data)
    for (const line of await Promise.all(commands.map((words) => refusal(words))))
      expect(line).toBe(`formbox: the data folder ${data} is being restored; try again when the restore has finished\n`)
    restore.release()
    for (const words of commands) expect(await formbox(words)).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test('is not kept from its work by a command that was killed', async () => {
    const { data, backup } = await prepare()
    const command = await startCommand(data)
    expect(() => lockOutCommands(data, 0)).toThrow('another command')
    await command.kill()
    expect((await formbox(['restore', backup, '--data', data])).exitCode).toBe(0)
  })
})

/** A command in a process of its own that has opened the data, and writes when it is told to finish. */
const startCommand = async (folder: string) => {
  const script = `
    const { joinFolder } = await import('${join(import.meta.dir, '../../../../src/storage/folder-lock.ts')}')
    const { connect } = await import('${join(import.meta.dir, '../../../../src/storage/open.ts')}')
    const lock = joinFolder(process.argv[1])
    const db = connect(process.argv[1])
    console.log('opened')
    for await (const _ of console) break
    db.$client.run("INSERT INTO users (id, email, password_hash) VALUES ('b', 'bob@example.com', 'none')")
    db.$client.close()
    lock.release()`
  const child = Bun.spawn([process.execPath, '-e', script, folder], { stdin: 'pipe', stdout: 'pipe' })
  afterThisTest(() => child.kill('SIGKILL'))
  await child.stdout.getReader().read()
  const finish = (): void => {
    child.stdin.write('\n')
    child.stdin.flush()
  }
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await child.exited
  }
  return { finish, kill }
}

/** Whether a restore has the commands of the folder, or waits for them. */
const isClosed = (folder: string): boolean => {
  try {
    joinFolder(folder, 0).release()
    return false
  } catch {
    return true
  }
}

const emailsIn = (file: string): string[] => {
  const db = new Database(file, { readonly: true })
  try {
    return db
      .query<{ email: string }, []>('SELECT email FROM users ORDER BY email')
      .all()
      .map(({ email }) => email)
  } finally {
    db.close()
  }
}

describe('the lock', () => {
  test('is refused while it is held, also in the same process, and given after', () => {
    const folder = temporaryFolder()
    const first = lockFolder(folder)
    expect(() => lockFolder(folder)).toThrow(`another Formbox (process ${process.pid}) is using`)
    expect(() => lockFolder(folder)).toThrow('stop it first')
    first.release()
    lockFolder(folder).release()
  })

  test('changes only the first sector of its file after the first time, which is written whole or not at all', () => {
    const folder = temporaryFolder()
    lockFolder(folder).release()
    const before = readFileSync(join(folder, 'formbox.lock'))
    lockFolder(folder).release()
    const after = readFileSync(join(folder, 'formbox.lock'))
    expect(after.equals(before)).toBe(false)
    expect(after.subarray(512).equals(before.subarray(512))).toBe(true)
  })

  test('is refused when a file that is no lock has its name, and says which', async () => {
    const folder = temporaryFolder()
    await Bun.write(join(folder, 'formbox.lock'), 'what somebody wrote'.repeat(100))
    expect(() => lockFolder(folder)).toThrow(`cannot lock ${join(folder, 'formbox.lock')}: it is not a database`)
  })
})
