import { describe, expect, test } from 'bun:test'
import { prepareDataFolder } from '../../../../src/storage/data-folder.ts'
import { users } from '../../../../src/storage/tables.ts'
import { addKey, startServer, temporaryFolder, writeTo } from '../../../harness.ts'
import { expectSound } from '../../../storage/sound.ts'
import { codeFor, recoveryCodesOn, secretOn, stateOn } from '../../../totp.ts'
import { password, signedIn, visit } from '../../../visitor.ts'

const program = process.env.TEST_EXECUTABLE ? [process.env.TEST_EXECUTABLE] : [process.execPath, 'src/main.ts']

const formbox = async (folder: string, words: readonly string[], input = '') => {
  const child = Bun.spawn([...program, ...words], {
    env: { PATH: process.env.PATH, FORMBOX_DATA: folder },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, stdout, stderr }
}

const count = (folder: string, table: string): number => {
  let rows = -1
  writeTo(folder, (db) => {
    rows = db.$client.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ?? -1
  })
  return rows
}

describe('formbox user', () => {
  test('password resets it while the server runs: sessions end, keys stay', async () => {
    const server = await startServer()
    const ada = await signedIn(server)
    await ada.post('/settings/keys', { name: 'Website' })
    const made = await formbox(server.folder, ['user', 'password', 'ADA@example.com'])
    expect(made.exitCode).toBe(0)
    expect(made.stderr).toBe('')
    expect(made.stdout).toMatch(/^\w{24}\n$/)
    expect((await ada.get('/settings/keys')).status).toBe(303)
    expect((await ada.signIn('ada@example.com', made.stdout.trim())).status).toBe(303)
    expect((await ada.get('/settings/keys')).html).toContain('Website')
    const given = await formbox(
      server.folder,
      ['user', 'password', 'ada@example.com', '--password-stdin'],
      'chosen password\n',
    )
    expect(given).toEqual({ exitCode: 0, stderr: '', stdout: '' })
    expect((await visit(server).signIn('ada@example.com', 'chosen password')).status).toBe(303)
  })

  test('password leaves two-step sign-in on; reset-2fa turns it off, while the server runs', async () => {
    const server = await startServer()
    const ada = await signedIn(server)
    const page = '/settings/account/second-factor'
    const secret = secretOn((await ada.get(page)).html)
    const turnedOn = await ada.post(page, { secret, code: codeFor(secret, Date.now()), current: password })
    expect(recoveryCodesOn(turnedOn.html)).toHaveLength(10)
    const words = ['user', 'password', 'ada@example.com', '--password-stdin']
    expect((await formbox(server.folder, words, password)).exitCode).toBe(0)
    const asked = await visit(server).signIn()
    expect(stateOn(asked.html)).not.toBe('')
    const reset = ['user', 'reset-2fa', 'Ada@example.com']
    expect(await formbox(server.folder, reset)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    const late = await visit(server).post('/sign-in/code', { state: stateOn(asked.html), code: '000000' })
    expect(late.html).toContain('Sign in again.')
    expect((await visit(server).signIn()).status).toBe(303)
    expect(await formbox(server.folder, reset)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'formbox: ada@example.com has not turned on two-step sign-in\n',
    })
  })

  test('create --no-password makes an account that no password opens, until the operator sets one', async () => {
    const server = await startServer()
    const words = ['user', 'create', 'ada@example.com', '--no-password']
    expect(await formbox(server.folder, words)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    for (const typed of ['', 'x', 'none']) expect((await visit(server).signIn(undefined, typed)).status).toBe(401)
    const both = await formbox(server.folder, ['user', 'create', 'b@example.com', '--no-password', '--password-stdin'])
    expect(both.exitCode).toBe(2)
    expect(both.stderr).toBe('formbox: use only one of --password-stdin and --no-password\n')
    const row = () => {
      let found: typeof users.$inferSelect | undefined
      writeTo(server.folder, (db) => {
        found = db.select().from(users).get()
      })
      return found
    }
    const made = row()
    expect(made).toMatchObject({ hasPassword: false, passwordUntil: 0 })
    await formbox(server.folder, ['user', 'password', 'ada@example.com', '--password-stdin'], password)
    expect(row()?.hasPassword).toBe(true)
    expect(row()?.passwordUntil).toBeWithin(Date.now() + 59 * 60_000, Date.now() + 60 * 60_000 + 1)
    expect(row()?.passwordHash).not.toBe(made?.passwordHash ?? '')
    expect((await visit(server).signIn()).status).toBe(303)
  })

  describe('for an address that someone else has an account with, by the invitation of a user', () => {
    const squat = async () => {
      const server = await startServer()
      const bob = await server.signUp('bob@example.com')
      const trap = await bob.createForm()
      const { body } = await bob.call('POST', `/forms/${trap}/members`, { email: 'ada@example.com', role: 'reader' })
      const squatter = visit(server)
      await squatter.post(new URL(body.inviteUrl).pathname, { password })
      const [, user] = writeTo(server.folder, (db) => db.select().from(users).orderBy(users.id).all())
      return { server, bob, trap, squatter, api: addKey(server, user?.id as string, 'ada@example.com') }
    }
    type Squatted = Awaited<ReturnType<typeof squat>>

    const expectOut = async ({ server, bob, trap, squatter, api }: Squatted): Promise<void> => {
      expect((await squatter.get('/settings/keys')).status).toBe(303)
      expect((await visit(server).signIn()).status).toBe(401)
      expect((await api.call('GET', '/shared/forms')).status).toBe(401)
      expect((await bob.call('GET', `/forms/${trap}/members`)).body.members).toEqual([])
      const shared = await bob.call('POST', `/forms/${trap}/members`, { email: 'ada@example.com', role: 'reader' })
      expect(shared.body).toMatchObject({ state: 'member', proved: true })
      expectSound(server.folder)
    }

    test('list says that it is not proved, and by whom it was invited', async () => {
      const { server } = await squat()
      expect((await formbox(server.folder, ['user', 'list'])).stdout).toMatch(/ada@example\.com .* no +20\S+\n/)
      const { stdout } = await formbox(server.folder, ['user', 'list', '--json'])
      expect(JSON.parse(stdout)).toMatchObject([
        { email: 'bob@example.com', proved: true, invitedBy: null },
        { email: 'ada@example.com', proved: false, invitedBy: 'bob@example.com' },
      ])
    })

    test('password gives it to whoever gets the password, and shuts the others out', async () => {
      const squatted = await squat()
      const { server } = squatted
      const set = await formbox(server.folder, ['user', 'password', 'ada@example.com'])
      expect(set.stderr).toBe(
        'formbox: the address ada@example.com was not proved: its former user has lost the account, with its keys and memberships\n',
      )
      await expectOut(squatted)
      expect((await visit(server).signIn(undefined, set.stdout.trim())).status).toBe(303)
    })

    test('create makes the account anew', async () => {
      const squatted = await squat()
      const { server } = squatted
      const made = await formbox(server.folder, ['user', 'create', 'ada@example.com'])
      expect(made).toMatchObject({ exitCode: 0, stderr: '' })
      await expectOut(squatted)
      const ada = visit(server)
      expect((await ada.signIn(undefined, made.stdout.trim())).status).toBe(303)
      expect((await ada.post('/forms/new', { title: 'Mine' })).status).toBe(303)
      expect((await formbox(server.folder, ['user', 'create', 'ada@example.com'])).exitCode).toBe(1)
    })

    test('delete hands it no forms of others', async () => {
      const { server, bob } = await squat()
      const words = ['user', 'delete', bob.email, '--yes', '--shared-to', 'ada@example.com']
      expect(await formbox(server.folder, words)).toEqual({
        exitCode: 1,
        stdout: '',
        stderr:
          'formbox: the address ada@example.com is not proved; formbox user password gives the account to its owner\n',
      })
    })
  })

  test('disable refuses keys from the next request on, while forms keep collecting; enable undoes it', async () => {
    const server = await startServer()
    const ada = await server.signUp('ada@example.com')
    const form = await ada.createForm()
    expect((await formbox(server.folder, ['user', 'disable', 'ada@example.com'])).exitCode).toBe(0)
    const refused = await ada.call('GET', '/forms')
    expect(refused.status).toBe(401)
    expect(refused.body.message).toBe('Invalid or expired API key')
    expect((await server.fetch(`/s/${form}`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) })).status).toBe(
      200,
    )
    expect((await formbox(server.folder, ['user', 'list'])).stdout).toMatch(/ada@example\.com +1 +disabled/)
    expect((await formbox(server.folder, ['user', 'enable', 'ada@example.com'])).exitCode).toBe(0)
    expect((await ada.call('GET', `/forms/${form}`)).body.submissionCount).toBe(1)
  })

  test('delete removes the user with everything it owns, and nothing of others', async () => {
    const server = await startServer()
    const ada = await server.signUp('ada@example.com')
    const bob = await server.signUp('bob@example.com')
    const [form, bobs] = [await ada.createForm(), await bob.createForm()]
    for (const id of [form, form, bobs])
      await server.fetch(`/s/${id}`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) })
    const deleted = await formbox(server.folder, ['user', 'delete', 'ada@example.com'], 'Ada@example.com\n')
    expect(deleted.exitCode).toBe(0)
    expect(deleted.stderr).toContain('ada@example.com with 1 form, 2 submissions and 1 key.')
    expect((await ada.call('GET', '/forms')).status).toBe(401)
    expect((await server.fetch(`/s/${form}`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) })).status).toBe(
      404,
    )
    expect((await bob.call('GET', `/forms/${bobs}/submissions`)).body.pagination.total).toBe(1)
    await server.stop()
    const left = ['users', 'keys', 'forms', 'submissions'].map((table) => count(server.folder, table))
    expect(left).toEqual([1, 1, 1, 1])
  })

  test.each([
    ['another answer', 'yes\n'],
    ['no answer', ''],
  ])('delete does nothing after %s', async (_name, input) => {
    const server = await startServer()
    await server.signUp('ada@example.com')
    const { exitCode, stderr } = await formbox(server.folder, ['user', 'delete', 'ada@example.com'], input)
    expect(exitCode).toBe(1)
    expect(stderr).toContain('nothing was deleted')
    expect(count(server.folder, 'users')).toBe(1)
  })

  test('delete --yes does not ask', async () => {
    const server = await startServer()
    await server.signUp('ada@example.com')
    expect(await formbox(server.folder, ['user', 'delete', 'ada@example.com', '--yes'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    })
    expect(count(server.folder, 'users')).toBe(0)
  })

  test.each(['password', 'reset-2fa', 'disable', 'enable', 'delete'])(
    '%s of an unknown user prints one line and exits with 1',
    async (word) => {
      const folder = temporaryFolder()
      prepareDataFolder(folder)
      const { exitCode, stderr, stdout } = await formbox(folder, ['user', word, 'eve@example.com'])
      expect(exitCode).toBe(1)
      expect(stderr).toBe('formbox: there is no user eve@example.com; see formbox user list\n')
      expect(stdout).toBe('')
    },
  )
})
