import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { userWrites } from '../../../../src/accounts/users/user-writes.ts'
import { prepareDataFolder } from '../../../../src/storage/data-folder.ts'
import { connect, connectToRead } from '../../../../src/storage/open.ts'
import { filesIn, formbox, serve } from '../../../commands/formbox.ts'
import { afterThisTest, startServer, temporaryFolder } from '../../../harness.ts'
import { dataFile, expectSound, rowsOf } from '../../../storage/sound.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

const withUmask = (mask: number): void => {
  const before = process.umask(mask)
  afterThisTest(() => process.umask(before))
}

describe('the data folder', () => {
  test.each([0o000, 0o022, 0o077])(
    'is made for its owner alone, and every file in it, under umask %o',
    async (mask) => {
      withUmask(mask)
      const folder = join(temporaryFolder(), 'made', 'on', 'the', 'way')
      const server = await serve(['--data', folder])
      const created = await formbox(['user', 'create', 'ada@example.com', '--data', folder])

      expect(created).toMatchObject({ exitCode: 0, stderr: '' })
      expect(modeOf(folder)).toBe('700')
      const files = filesIn(folder)
      expect(files).toEqual(['formbox.commands.lock', 'formbox.db', 'formbox.db-shm', 'formbox.db-wal', 'formbox.lock'])
      expect(files.map((file) => modeOf(join(folder, file)))).toEqual(['600', '600', '600', '600', '600'])
      server.kill('SIGTERM')
      expect((await server.end()).exitCode).toBe(0)
      expect(filesIn(folder)).toEqual(['formbox.commands.lock', 'formbox.db', 'formbox.lock'])
      expect(modeOf(dataFile(folder))).toBe('600')
    },
  )

  test('is used as it is when it is there', async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o750)
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    expect((await formbox(['user', 'create', 'ada@example.com', '--data', folder])).exitCode).toBe(0)
    expect(filesIn(folder)).toEqual(['formbox.commands.lock', 'formbox.db', 'notes.txt'])
    expect([modeOf(folder), modeOf(dataFile(folder))]).toEqual(['750', '600'])
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('mine')
  })

  test.each(['file:data', 'file:data?mode=memory', 'ü #%41?', ':memory:', '~', 'a/../b', './.hidden'])(
    'may be called %j',
    async (name) => {
      const working = temporaryFolder()
      const folder = join(working, name)
      mkdirSync(join(working, 'a'))
      expect((await formbox(['user', 'create', 'ada@example.com', '--data', name], { folder: working })).exitCode).toBe(
        0,
      )
      expect((await formbox(['user', 'list', '--data', name], { folder: working })).stdout).toContain('ada@example.com')
      expect(filesIn(folder)).toEqual(['formbox.commands.lock', 'formbox.db'])
      expect(rowsOf(folder, 'SELECT email FROM users')).toEqual([{ email: 'ada@example.com' }])
    },
  )

  test('may be a symbolic link', async () => {
    const working = temporaryFolder()
    mkdirSync(join(working, 'real'))
    symlinkSync(join(working, 'real'), join(working, 'link'))
    expect((await formbox(['user', 'create', 'ada@example.com', '--data', 'link'], { folder: working })).exitCode).toBe(
      0,
    )
    expect(filesIn(join(working, 'real'))).toEqual(['formbox.commands.lock', 'formbox.db'])
  })

  test.each<[string, (path: string) => void]>([
    ['a file', (path) => writeFileSync(path, 'not a folder')],
    [
      'a folder below a file',
      (path) => {
        writeFileSync(join(path, '..', 'file'), '')
        symlinkSync(join(path, '..', 'file', 'below'), path)
      },
    ],
    ['a link that leads nowhere', (path) => symlinkSync(join(path, '..', 'nowhere'), path)],
    [
      'one with another file of the name',
      (path) => {
        mkdirSync(path)
        writeFileSync(dataFile(path), 'x'.repeat(5000))
      },
    ],
    ['one with a folder of the name', (path) => mkdirSync(dataFile(path), { recursive: true })],
  ])('that is %s ends a command with one line that names it, and exit code 1', async (_, prepare) => {
    const working = temporaryFolder()
    const path = join(working, 'data')
    prepare(path)
    const before = filesIn(working)
    for (const command of [
      ['user', 'list'],
      ['serve', '--port', '0'],
    ]) {
      const { exitCode, stdout, stderr } = await formbox([...command, '--data', path])
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
      expect(stderr).toMatch(/^formbox: [^\n]+\n$/)
      expect(stderr).toContain(path)
    }
    expect(filesIn(working)).toEqual(before)
  })
})

describe('a connection', () => {
  const pragma = (db: ReturnType<typeof connect>, name: string) =>
    Object.values(db.$client.query(`PRAGMA ${name}`).get() as object)[0]

  test('logs ahead, waits for the disk, keeps references and waits for other processes', () => {
    const folder = temporaryFolder()
    prepareDataFolder(folder)
    const db = connect(folder)
    afterThisTest(() => db.$client.close())
    expect(pragma(db, 'journal_mode')).toBe('wal')
    expect(pragma(db, 'synchronous')).toBe(2)
    expect(pragma(db, 'fullfsync')).toBe(1)
    expect(pragma(db, 'foreign_keys')).toBe(1)
    expect(pragma(db, 'busy_timeout')).toBe(5000)
  })

  test('that reads cannot write, whatever it is asked', () => {
    const folder = temporaryFolder()
    prepareDataFolder(folder)
    const db = connectToRead(folder)
    afterThisTest(() => db.$client.close())
    expect(() => userWrites(db).createUser({ id: '1', email: 'a@b.c', passwordHash: '' })).toThrow()
    expect(() => db.$client.run('CREATE TABLE t (a)')).toThrow('readonly')
    expect(rowsOf(folder, 'SELECT * FROM users')).toEqual([])
  })
})

describe('the data file', () => {
  test('is sound after everything that the API can do to it, while the server runs and when it has ended', async () => {
    const server = await startServer()
    const ada = await server.signUp()
    const bob = await server.signUp()
    const { ids } = (await ada.call('POST', '/forms/bulk', { forms: ['A', 'B', 'C'].map((title) => ({ title })) })).body
    const bobs = await bob.createForm()
    const submissions: string[] = []
    for (let i = 0; i < 300; i++) {
      const answer = await server.fetch(`/s/${ids[i % 2]}`, {
        method: 'POST',
        body: new URLSearchParams({ [`f${i % 40}`]: String(i) }),
      })
      submissions.push(((await answer.json()) as { id: string }).id)
    }
    const path = `/forms/${ids[0]}/submissions`
    expect((await ada.call('DELETE', `${path}/${submissions[0]}`)).status).toBe(200)
    expect(
      (await ada.call('DELETE', `${path}/bulk`, { ids: [submissions[2], submissions[4], submissions[2]] })).status,
    ).toBe(200)
    expect((await ada.call('DELETE', `${path}/bulk`, { ids: [submissions[6], submissions[1]] })).status).toBe(404)
    expect((await ada.call('POST', `/forms/${ids[0]}/duplicate`)).status).toBe(200)
    expect((await ada.call('PATCH', `/forms/${ids[1]}`, { title: 'B2' })).status).toBe(200)
    expect((await ada.call('DELETE', '/forms/bulk', { ids: [ids[2], ids[2], bobs] })).status).toBe(403)
    expect((await ada.call('DELETE', '/forms/bulk', { ids: [ids[2], ids[2]] })).status).toBe(200)
    expect((await ada.call('GET', `/forms/${ids[0]}`)).body.submissionCount).toBe(147)

    expectSound(server.folder)
    await server.stop()
    expectSound(server.folder)
    expect(rowsOf(server.folder, 'SELECT form_count FROM users ORDER BY id')).toEqual([
      { form_count: 3 },
      { form_count: 1 },
    ])
    expect(rowsOf(server.folder, 'SELECT count(*) AS rows FROM submissions')).toEqual([{ rows: 297 }])
  })
})
