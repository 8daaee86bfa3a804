import { describe, expect, test } from 'bun:test'
import { chmodSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { userReads } from '../../../../src/accounts/users/user-reads.ts'
import { newId } from '../../../../src/base/id.ts'
import { prepareDataFolder } from '../../../../src/storage/data-folder.ts'
import { identities, secondFactors, sessions } from '../../../../src/storage/tables.ts'
import { addUser, filesIn, formbox, oneLine, onTerminal } from '../../../commands/formbox.ts'
import { afterThisTest, startServer, temporaryFolder, writeTo } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { openData } from '../../../storage/data.ts'
import { rowsOf } from '../../../storage/sound.ts'

/** Root may look everywhere, unless the process can never get that right. */
const withoutPrivileges =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : ([] as const)
const canBeRefused =
  process.platform !== 'win32' &&
  (withoutPrivileges.length === 0 || Bun.spawnSync([...withoutPrivileges, 'true']).exitCode === 0)
if (!canBeRefused)
  noteSkipped('The test of commands without rights is skipped: setpriv, of util-linux, does not work here.')

const usersIn = (folder: string) =>
  rowsOf<{ email: string; password_hash: string; password_until: number }>(
    join(folder, 'formbox-data'),
    'SELECT * FROM users ORDER BY id',
  )

const newDataIn = (folder: string): string =>
  `formbox: there was no data yet in ${join(realpathSync(folder), 'formbox-data')}\n`

describe('formbox user create', () => {
  test('makes the data folder, says so, and a user, and prints a password that opens it', async () => {
    const folder = temporaryFolder()
    const { exitCode, stdout, stderr } = await formbox(['user', 'create', 'ada@example.com'], { folder })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: newDataIn(folder) })
    const next = await formbox(['user', 'create', 'bob@example.com', '--no-password'], { folder })
    expect(next).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    expect(stdout).toMatch(/^[2-9a-z]{24}\n$/)
    expect(filesIn(folder)).toEqual(['formbox-data', 'formbox-data/formbox.commands.lock', 'formbox-data/formbox.db'])
    const [user] = usersIn(folder)
    expect(user).toMatchObject({ email: 'ada@example.com', form_count: 0 })
    expect(user?.password_hash).toStartWith('$argon2id$')
    const hoursOfWayIn = ((user?.password_until ?? 0) - Date.now()) / 3_600_000
    expect(hoursOfWayIn).toBeGreaterThan(0.9)
    expect(hoursOfWayIn).toBeLessThan(1.1)
    expect(await Bun.password.verify(stdout.trim(), user?.password_hash ?? '')).toBe(true)
    expect(await Bun.file(join(folder, 'formbox-data', 'formbox.db')).text()).not.toContain(stdout.trim())
  })

  test('makes another password every time', async () => {
    const folder = temporaryFolder()
    const made = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => formbox(['user', 'create', `${name}@example.com`], { folder })),
    )
    expect(new Set(made.map(({ stdout }) => stdout)).size).toBe(4)
  })

  test.each<[string, string | Uint8Array, string]>([
    ['twelve characters', 'twelve chars', 'twelve chars'],
    ['a line break behind it', 'twelve chars\n', 'twelve chars'],
    ['a line break of Windows', 'twelve chars\r\n', 'twelve chars'],
    ['a second line', 'twelve chars\nmore\n', 'twelve chars\nmore'],
    ['spaces around it', '  twelve chars  \n', '  twelve chars  '],
    ['twelve characters of four bytes', '👋'.repeat(12), '👋'.repeat(12)],
    ['256 characters', 'x'.repeat(256), 'x'.repeat(256)],
  ])('--password-stdin takes a password of %s, and prints nothing', async (_, input, password) => {
    const folder = temporaryFolder()
    const words = ['user', 'create', 'ada@example.com', '--password-stdin']
    expect(await formbox(words, { folder, input })).toEqual({ exitCode: 0, stdout: '', stderr: newDataIn(folder) })
    expect(await Bun.password.verify(password, usersIn(folder)[0]?.password_hash ?? '')).toBe(true)
  })

  test.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['a line break alone', '\n'],
    ['eleven characters', 'eleven char\n'],
    ['eleven characters of four bytes', '👋'.repeat(11)],
    ['257 characters', 'x'.repeat(257)],
    ['a mebibyte', 'x'.repeat(1024 * 1024)],
    ['what is not UTF-8', new Uint8Array(20).fill(0xff)],
  ])('--password-stdin refuses %s in one line, and makes no user', async (_, input) => {
    const folder = temporaryFolder()
    const words = ['user', 'create', 'ada@example.com', '--password-stdin']
    const { exitCode, stdout, stderr } = await formbox(words, { folder, input })
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(oneLine)
    expect(stderr).toContain('password')
    expect(stderr.length).toBeLessThan(200)
    expect(filesIn(folder)).toEqual([])
  })

  test('refuses an address that is taken, in whatever case, also when two come at once', async () => {
    const folder = temporaryFolder()
    const both = await Promise.all(
      ['Ada@Example.com', ' ada@example.COM '].map((email) => formbox(['user', 'create', email], { folder })),
    )
    const third = await formbox(['user', 'create', 'ADA@EXAMPLE.COM'], { folder })
    const refused = [...both, third].filter(({ exitCode }) => exitCode !== 0)
    expect(refused).toHaveLength(2)
    for (const { exitCode, stdout, stderr } of refused)
      expect([exitCode, stdout, stderr]).toEqual([1, '', 'formbox: there is already a user ada@example.com\n'])
    expect(usersIn(folder).map(({ email }) => email)).toEqual(['ada@example.com'])
  })

  test('changes nothing, and succeeds, with --if-missing where there is such a user', async () => {
    const folder = temporaryFolder()
    const create = () => formbox(['user', 'create', 'ada@example.com', '--if-missing'], { folder })
    const first = await create()
    expect([first.exitCode, first.stdout]).toEqual([0, expect.stringMatching(/^\S{20,}\n$/)])
    const before = usersIn(folder)
    expect(await create()).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    expect(usersIn(folder)).toEqual(before)
  })

  test.each([
    '',
    ' ',
    'ada',
    'ada@',
    '@example.com',
    'a@b@c',
    'a b@example.com',
    'a@exam ple.com',
    'a\nb@example.com',
    `a\u202e@example.com`,
    `${'a'.repeat(251)}@b.c`,
  ])('refuses %j as an address', async (email) => {
    const folder = temporaryFolder()
    const { exitCode, stdout, stderr } = await formbox(['user', 'create', '--', email], { folder })
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(oneLine)
    expect(filesIn(folder)).toEqual([])
  })
})

describe('formbox user list', () => {
  test('lists the users with their forms, in the order in which they were made, without their passwords', async () => {
    const folder = temporaryFolder()
    const before = new Date().toISOString()
    const { stdout: password } = await formbox(['user', 'create', 'zoe@example.com'], { folder })
    await formbox(['user', 'create', 'ada.with.a.long.name@example.com'], { folder })
    const { exitCode, stdout, stderr } = await formbox(['user', 'list'], { folder })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/))
    expect(lines.map(([email, forms, state]) => [email, forms, state])).toEqual([
      ['EMAIL', 'FORMS', 'STATE'],
      ['zoe@example.com', '0', 'active'],
      ['ada.with.a.long.name@example.com', '0', 'active'],
    ])
    for (const [, , , , , , , created] of lines.slice(1))
      expect(created! >= before && created! <= new Date().toISOString()).toBe(true)
    expect(stdout).not.toContain(password.trim())
    expect(stdout).not.toContain('argon2')
  })

  test('says who has turned on two-step sign-in, and who is connected with a provider', async () => {
    const folder = temporaryFolder()
    const data = join(folder, 'formbox-data')
    for (const name of ['ada', 'zoe']) addUser(data, `${name}@example.com`)
    writeTo(data, (db) => {
      const { findUser } = userReads(db)
      const [ada = '', zoe = ''] = ['ada', 'zoe'].map((name) => findUser(`${name}@example.com`)?.id)
      db.insert(secondFactors).values({ userId: ada, id: 'f', secret: 's', lastStep: 0, recoveryCodes: '[]' }).run()
      for (const issuer of ['https://a.example', 'https://b.example'])
        db.insert(identities).values({ issuer, subject: 'zoe', userId: zoe }).run()
    })
    const { stdout } = await formbox(['user', 'list'], { folder })
    const lines = stdout.split('\n').map((line) => line.split(/ {2,}/).slice(3, 5))
    expect(lines).toEqual([['TWO-STEP', 'SSO'], ['on', 'no'], ['off', 'yes'], []])
    const listed = JSON.parse((await formbox(['user', 'list', '--json'], { folder })).stdout)
    expect(listed).toMatchObject([
      { email: 'ada@example.com', twoStep: true, sso: false },
      { email: 'zoe@example.com', twoStep: false, sso: true },
    ])
  })

  test('prints the headings alone, or an empty array, when there is none', async () => {
    const folder = temporaryFolder()
    prepareDataFolder(join(folder, 'formbox-data'))
    const headings = 'EMAIL  FORMS  STATE  TWO-STEP  SSO  PROVED  OPERATOR  CREATED\n'
    expect(await formbox(['user', 'list'], { folder })).toEqual({ exitCode: 0, stdout: headings, stderr: '' })
    expect(await formbox(['user', 'list', '--json'], { folder })).toEqual({ exitCode: 0, stdout: '[]\n', stderr: '' })
  })

  test('--json prints an array of the same for programs', async () => {
    const folder = temporaryFolder()
    addUser(join(folder, 'formbox-data'), 'zoe@example.com')
    addUser(join(folder, 'formbox-data'), 'ada@example.com')
    await formbox(['user', 'disable', 'ada@example.com'], { folder })
    const { exitCode, stdout } = await formbox(['user', 'list', '--json'], { folder })
    expect(exitCode).toBe(0)
    const common = {
      id: expect.stringMatching(/^\w{28}$/),
      ...{ forms: 0, twoStep: false, sso: false, proved: true, operator: false, invitedBy: null },
      createdAt: expect.stringMatching(/^20\S+Z$/),
    }
    expect(JSON.parse(stdout)).toEqual([
      { ...common, email: 'zoe@example.com', state: 'active' },
      { ...common, email: 'ada@example.com', state: 'disabled' },
    ])
  })
})

describe('formbox user operator', () => {
  const operatorsIn = async (folder: string) =>
    (
      JSON.parse((await formbox(['user', 'list', '--json'], { folder })).stdout) as {
        email: string
        operator: boolean
      }[]
    )
      .filter(({ operator }) => operator)
      .map(({ email }) => email)

  test('makes an operator of a user, and takes that back; user create --operator makes one at once', async () => {
    const folder = temporaryFolder()
    await formbox(['user', 'create', 'ada@example.com', '--operator'], { folder })
    await formbox(['user', 'create', 'bob@example.com'], { folder })
    expect(await operatorsIn(folder)).toEqual(['ada@example.com'])
    const done = { exitCode: 0, stdout: '', stderr: '' }
    expect(await formbox(['user', 'operator', 'bob@example.com'], { folder })).toEqual(done)
    expect(await operatorsIn(folder)).toEqual(['ada@example.com', 'bob@example.com'])
    expect((await formbox(['user', 'list'], { folder })).stdout).toMatch(/\n(ada|bob)\S+ .* yes +yes +20.*\n/)
    expect(await formbox(['user', 'operator', 'Ada@example.com', '--off'], { folder })).toEqual(done)
    expect(await operatorsIn(folder)).toEqual(['bob@example.com'])
  })

  test('refuses an address that no one has, or that no one has proved', async () => {
    const folder = temporaryFolder()
    const data = join(folder, 'formbox-data')
    addUser(data, 'ada@example.com')
    writeTo(data, (db) => db.$client.run('UPDATE users SET is_proved = 0'))
    expect(await formbox(['user', 'operator', 'eve@example.com'], { folder })).toEqual({
      ...{ exitCode: 1, stdout: '' },
      stderr: 'formbox: there is no user eve@example.com; see formbox user list\n',
    })
    expect(await formbox(['user', 'operator', 'ada@example.com'], { folder })).toEqual({
      ...{ exitCode: 1, stdout: '' },
      stderr:
        'formbox: the address ada@example.com is not proved; formbox user password gives the account to its owner\n',
    })
    expect(await operatorsIn(folder)).toEqual([])
  })
})

describe('formbox user email', () => {
  const listIn = async (folder: string) =>
    JSON.parse((await formbox(['user', 'list', '--json'], { folder })).stdout) as Record<string, unknown>[]
  const done = { exitCode: 0, stdout: '', stderr: '' }

  test('changes the address, which is unproved then; keys stay, sessions end, a new password proves it', async () => {
    const folder = temporaryFolder()
    await formbox(['user', 'create', 'ada@example.com', '--operator'], { folder })
    await formbox(['key', 'create', '--user', 'ada@example.com', '--name', 'Website'], { folder })
    const [before] = await listIn(folder)
    const data = join(folder, 'formbox-data')
    const userId = String(before?.id)
    writeTo(data, (db) =>
      db.insert(sessions).values({ hash: 'h', id: 's', userId, expiresAt: 9e12, browser: '' }).run(),
    )
    expect(await formbox(['user', 'email', 'Ada@example.com', 'Countess@example.com'], { folder })).toEqual(done)
    expect(await listIn(folder)).toEqual([{ ...before, email: 'countess@example.com', proved: false }])
    expect(rowsOf(data, 'SELECT count(*) AS count FROM sessions')).toEqual([{ count: 0 }])

    const { stdout, stderr } = await formbox(['user', 'password', 'countess@example.com'], { folder })
    expect([stdout.length > 12, stderr]).toEqual([true, ''])
    expect(await listIn(folder)).toEqual([{ ...before, email: 'countess@example.com' }])
    expect((await formbox(['key', 'list'], { folder })).stdout).toContain('Website')
  })

  test('refuses an address that no one has, and one that another user has', async () => {
    const folder = temporaryFolder()
    for (const name of ['ada', 'bob']) await formbox(['user', 'create', `${name}@example.com`], { folder })
    const refused = async (from: string, to: string) =>
      (await formbox(['user', 'email', `${from}@example.com`, `${to}@example.com`], { folder })).stderr
    expect(await refused('eve', 'new')).toBe('formbox: there is no user eve@example.com; see formbox user list\n')
    expect(await refused('ada', 'bob')).toBe('formbox: there is already a user bob@example.com\n')
    expect((await listIn(folder)).map(({ email }) => email)).toEqual(['ada@example.com', 'bob@example.com'])
  })
})

describe('a command on a data folder that is not there', () => {
  test.each([
    [['user', 'list']],
    [['key', 'list', '--json']],
    [['key', 'create', '--user', 'ada@example.com', '--name', 'CI']],
    [['key', 'revoke', 'x']],
    [['user', 'delete', 'ada@example.com', '--yes']],
  ])('says so in one line and makes none: formbox %j', async (words) => {
    const folder = temporaryFolder()
    const { exitCode, stdout, stderr } = await formbox([...words, '--data', 'typo'], { folder })
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      `formbox: cannot open the data file ${join('typo', 'formbox.db')}: it does not exist; use --data to name another data folder\n`,
    )
    expect(filesIn(folder)).toEqual([])
  })
})

describe.skipIf(!canBeRefused)('a command without the right to look into the data folder', () => {
  test.each([
    [['user', 'list', '--data', 'closed'], 'open the data file closed/formbox.db'],
    [['backup', 'copy.db', '--data', 'closed'], 'back up closed/formbox.db'],
    [['backup', 'closed/copy.db', '--data', 'open'], 'write FOLDER/closed/copy.db'],
    [['restore', 'closed/copy.db', '--data', 'open'], 'restore FOLDER/closed/copy.db'],
  ])('says so, and not that nothing is there: formbox %j', async (words, what) => {
    const folder = temporaryFolder()
    for (const name of ['closed', 'open']) addUser(join(folder, name), 'ada@example.com')
    chmodSync(join(folder, 'closed'), 0o000)
    afterThisTest(() => chmodSync(join(folder, 'closed'), 0o700))
    const { exitCode, stdout, stderr } = await formbox(words, { folder, wrap: withoutPrivileges })
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toBe(`formbox: cannot ${what.replace('FOLDER', folder)}: permission denied\n`)
  })
})

describe('formbox user delete', () => {
  test('says on a terminal how much it has removed, and clears the line at the end', async () => {
    const { folder, userId, run } = openData()
    const forms = Array.from({ length: 600 }, () => ({ id: newId(0), title: 'F' }))
    run('createForms', { userId, forms })
    const shown = await onTerminal(['user', 'delete', `${userId}@example.com`, '--yes', '--data', folder], folder)
    const lines = shown.split('\r\x1b[K')
    // With the form that is there from the start.
    expect(lines).toEqual([
      '',
      '500 submissions, deliveries and forms removed',
      '601 submissions, deliveries and forms removed',
      '',
    ])
  })
})

test('formbox user delete is confirmed with the address in whatever case its ASCII letters are', async () => {
  const folder = temporaryFolder()
  addUser(join(folder, 'formbox-data'), 'Éva@example.com')
  const words = ['user', 'delete', 'ÉVA@example.com']
  const other = await formbox(words, { folder, input: 'éva@example.com\n' })
  expect(other).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('nothing was deleted') })
  expect((await formbox(words, { folder, input: ' ÉVA@Example.com\n' })).exitCode).toBe(0)
  expect(usersIn(folder)).toEqual([])
})

describe('formbox user delete, of someone whose forms others see,', () => {
  test('asks what becomes of them', async () => {
    const server = await startServer()
    const [ada, grace] = [await server.signUp(), await server.signUp()]
    const form = await ada.createForm()
    await ada.call('POST', `/forms/${form}/members`, { email: grace.email, role: 'reader' })
    const remove = (...flags: string[]) =>
      formbox(['user', 'delete', ada.email, '--yes', ...flags, '--data', server.folder])
    expect(await remove()).toMatchObject({
      exitCode: 1,
      stderr: `formbox: ${ada.email} shares 1 form with others. Use --shared-to EMAIL to hand these to another user, or --delete-shared to delete them for everyone\n`,
    })
    expect((await remove('--shared-to', ada.email)).exitCode).toBe(1)
    expect((await remove('--shared-to', 'nobody@example.com')).exitCode).toBe(1)
    expect((await grace.call('GET', `/forms/${form}`)).status).toBe(200)
    expect((await remove('--shared-to', grace.email)).exitCode).toBe(0)
    expect((await grace.call('GET', '/forms')).body.forms).toMatchObject([{ id: form }])
  })
})
