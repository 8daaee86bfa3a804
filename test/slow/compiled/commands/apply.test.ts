import { describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addUser, formbox, serve, signUp } from '../../../commands/formbox.ts'
import { expectBelow, millisecondsOf } from '../../../expect-below.ts'
import { blocksOf } from '../../../guide-parts.ts'
import { temporaryFolder } from '../../../harness.ts'
import { program } from '../../../program.ts'
import { rowsOf } from '../../../storage/sound.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const environment = { CRM_SECRET: secret, CRM_TOKEN: 'Bearer topsecret' }

const contact = `# The form of the start page
[forms.contact]
title = "Contact"
retentionDays = 365   # a year

[forms.contact.webhooks.crm]
url = "https://crm.example.com/hooks/formbox"
headers = { Authorization = "env:CRM_TOKEN" }
secret = "env:CRM_SECRET"

[forms.feedback]
title = "Feedback"
`

/** A folder with a user, and a file in it. */
const openFolder = (text: string | Uint8Array = contact) => {
  const folder = temporaryFolder()
  addUser(join(folder, 'formbox-data'), 'ada@example.com')
  const write = (content: string | Uint8Array) => writeFileSync(join(folder, 'forms.toml'), content)
  write(text)
  const apply = (...flags: string[]) =>
    formbox(['apply', 'forms.toml', '--user', 'ada@example.com', ...flags], { folder, environment })
  const rows = () =>
    rowsOf<{ id: string; name: string }>(join(folder, 'formbox-data'), 'SELECT * FROM forms ORDER BY id')
  return { folder, apply, write, rows }
}

describe('formbox apply', () => {
  test('names where the forms are sent to, below the path of FORMBOX_URL', async () => {
    const { folder } = openFolder('[forms.contact]\ntitle = "Contact"\n')
    const words = ['apply', 'forms.toml', '--user', 'ada@example.com']
    const settings = { FORMBOX_URL: 'https://example.com/tools/formbox' }
    const { stdout } = await formbox(words, { folder, environment: settings })
    expect(stdout).toMatch(/^\+ forms\.contact {2}https:\/\/example\.com\/tools\/formbox\/s\/[0-9a-z]{28}\n/)
  })

  test('says with --check what would change, does it, and changes nothing the second time', async () => {
    const { apply, write, rows } = openFolder()
    const made = [
      '    title: "Contact"',
      '    retentionDays: 365',
      '    webhooks.crm: new, at https://crm.example.com/…',
    ]
    expect(await apply('--check')).toEqual({
      exitCode: 3,
      stdout: [
        '+ forms.contact  new',
        ...made,
        '+ forms.feedback  new',
        '    title: "Feedback"',
        '2 to create, 0 to change, 0 unchanged\n',
      ].join('\n'),
      stderr: '',
    })
    expect(rows()).toEqual([])

    const first = await apply()
    const [one, two] = rows()
    expect([one?.name, two?.name]).toEqual(['contact', 'feedback'])
    expect(first).toEqual({
      exitCode: 0,
      stdout: [
        `+ forms.contact  /s/${one?.id}`,
        ...made,
        `+ forms.feedback  /s/${two?.id}`,
        '    title: "Feedback"',
        '2 created, 0 changed, 0 unchanged\n',
      ].join('\n'),
      stderr: '',
    })
    const same = [`= forms.contact  /s/${one?.id}`, `= forms.feedback  /s/${two?.id}`]
    const before = rows()
    expect(await apply()).toEqual({
      exitCode: 0,
      stdout: [...same, '0 created, 0 changed, 2 unchanged\n'].join('\n'),
      stderr: '',
    })
    expect(await apply('--check')).toMatchObject({ exitCode: 0, stderr: '' })
    expect(rows()).toEqual(before)

    write(contact.replace('365', '30').replace('"Feedback"', '"Your\\u001b[31m feedback"'))
    const differences = [
      `~ forms.contact  /s/${one?.id}`,
      '    retentionDays: 365 → 30',
      `~ forms.feedback  /s/${two?.id}`,
      '    title: "Feedback" → "Your\\u001b[31m feedback"',
    ]
    expect(await apply('--check')).toMatchObject({
      exitCode: 3,
      stdout: [...differences, '0 to create, 2 to change, 0 unchanged\n'].join('\n'),
    })
    expect(rows()).toEqual(before)
    expect(await apply()).toMatchObject({
      exitCode: 0,
      stdout: [...differences, '0 created, 2 changed, 0 unchanged\n'].join('\n'),
    })
    // A form that is no longer in the file stays.
    write('[forms.feedback]\ntitle = "Feedback"')
    expect((await apply()).exitCode).toBe(0)
    expect(rows()).toHaveLength(2)
  })

  test('reads standard input, and says with --check what apply would refuse', async () => {
    const { folder, rows } = openFolder()
    const words = ['apply', '-', '--user', 'ada@example.com']
    const never = '[forms.a]\ntitle = "A"\nopensAt = 2030-01-01T00:00:00Z\nclosesAt = 2029-01-01T00:00:00Z'
    const refused = { exitCode: 1, stdout: '', stderr: expect.stringContaining('forms.a.closesAt: must be later than') }
    expect(await formbox([...words, '--check'], { folder, input: never })).toEqual(refused)
    expect(await formbox(words, { folder, input: never })).toEqual(refused)
    expect(rows()).toEqual([])
    expect(await formbox(words, { folder, input: '[forms.a]\ntitle = "A"' })).toMatchObject({ exitCode: 0 })
    expect(rows()).toMatchObject([{ name: 'a' }])
  })

  test.each([
    [
      'a pipe with a name, as from a shell or `sops exec-file`',
      'mkfifo pipe; (cat forms.toml > pipe) >/dev/null 2>&1 & exec "$@"',
      'pipe',
    ],
    ['/dev/stdin', 'cat forms.toml | "$@"', '/dev/stdin'],
  ])('reads %s, up to its limit', async (_, script, file) => {
    const { folder, write, rows } = openFolder()
    const words = ['apply', file, '--user', 'ada@example.com']
    const apply = () => formbox(words, { folder, environment, wrap: ['sh', '-c', script, 'sh'] })
    expect(await apply()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('2 created'), stderr: '' })
    expect(rows()).toHaveLength(2)
    rmSync(join(folder, 'pipe'), { force: true })
    write(Buffer.alloc(10_000_000, '#'))
    expect((await apply()).stderr).toContain('nothing was changed: must be at most 1048576 bytes\n')
  })

  test.each<[string, string | Uint8Array, string]>([
    ['a wrong name', '[forms.a]\ntitel = "x"\ntitle = "A"', ' forms.a.titel: unknown; did you mean title?\n'],
    ['wrong TOML', '[forms.a]\ntitle = \n', ' line 2, column 9: invalid value\n'],
    ['several faults', 'x = 1\n[forms.a]\ntitle = "topsecret\u0007"', ' line 3, column '],
    [
      'two faults',
      '[forms.a]\n[forms.b]',
      '\n  forms.a.title: must be 1 to 255 characters, not only white space\n  forms.b.title: ',
    ],
    ['Latin-1', Buffer.from('[forms.a]\ntitle = "\xe4"', 'latin1'), ' must be UTF-8\n'],
    ['nothing', '', ' describes no form; one begins with a line such as [forms.contact]\n'],
    ['10 MB', Buffer.alloc(10_000_000, '#'), ' must be at most 1048576 bytes\n'],
    ['a million brackets', `a = ${'['.repeat(1_000_000)}`, ' line 1, column '],
    [
      'unknown names alone',
      Array.from({ length: 90_000 }, (_, n) => `n${n}=1`).join('\n'),
      '\n  n0: unknown; known are forms\n',
    ],
    [
      'unknown names of a form',
      `[forms.a]\n${Array.from({ length: 90_000 }, (_, n) => `n${n}=1`).join('\n')}`,
      '\n  and more\n',
    ],
    [
      'a long list of what is none',
      `[forms.a]\ntitle="x"\nnotify=[${'{a=1},'.repeat(160_000)}]`,
      'forms.a.notify.0.a: unknown; known are address, only, digest\n',
    ],
    [
      'a long list of nothing',
      `[forms.a]\ntitle="x"\nblockedTerms=[${'"",'.repeat(300_000)}]`,
      ' must be an array of at most 200 texts\n',
    ],
    ['a long name', `forms.${'a.'.repeat(500_000)}b=1`, '\n'],
    [
      'too many forms',
      Array.from({ length: 1001 }, (_, n) => `[forms.f${n}]`).join('\n'),
      ' forms: must be at most 1000; got 1001\n',
    ],
  ])('refuses a file with %s, and changes nothing', async (_, text, message) => {
    const usual = openFolder().apply
    const { apply, rows } = openFolder(text)
    const { exitCode, stdout, stderr } = await apply()
    await expectBelow(20, async () => (await millisecondsOf(apply)) / (await millisecondsOf(usual)))
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toStartWith('formbox: cannot apply forms.toml, nothing was changed:')
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('topsecret')
    expect(stderr.length).toBeLessThan(100_000)
    expect(rows()).toEqual([])
  })

  test('refuses what is no file, and a user that there is not', async () => {
    const { folder } = openFolder()
    mkdirSync(join(folder, 'folder.toml'))
    symlinkSync('nowhere', join(folder, 'link.toml'))
    const apply = (file: string, ...words: string[]) => formbox(['apply', file, ...words], { folder, environment })
    const user = ['--user', 'ada@example.com']
    const answers = [
      await apply('folder.toml', ...user),
      await apply('missing.toml', ...user),
      await apply('link.toml', ...user),
      await apply('/dev/zero', ...user),
      await apply('forms.toml', '--user', 'bob@example.com'),
      await apply('forms.toml', ...user, '--data', 'elsewhere'),
    ]
    expect(answers.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual(answers.map(() => [1, '']))
    const reasons = ['it is a folder', 'it does not exist', 'it does not exist', 'must be at most 1048576 bytes']
    expect(answers.map(({ stderr }) => stderr.trim().split(': ').at(-1))).toEqual([
      ...reasons,
      'there is no user bob@example.com; see formbox user list',
      'it does not exist; use --data to name another data folder',
    ])
    expect((await apply('forms.toml')).exitCode).toBe(2)
    const unset = await formbox(['apply', 'forms.toml', ...user], { folder })
    expect(unset).toMatchObject({ exitCode: 1, stdout: '' })
    expect(unset.stderr.split('\n').slice(1)).toEqual([
      '  forms.contact.webhooks.crm.headers.Authorization: needs the environment variable CRM_TOKEN, which is not set',
      '  forms.contact.webhooks.crm.secret: needs the environment variable CRM_SECRET, which is not set',
      '',
    ])
  })

  test('needs the settings of the server for what they allow', async () => {
    const { folder } = openFolder('[forms.a]\ntitle = "A"\nnotify = ["ada@example.com"]')
    const apply = (settings: Record<string, string>) =>
      formbox(['apply', 'forms.toml', '--user', 'ada@example.com'], { folder, environment: settings })
    expect(await apply({})).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('forms.a.notify: must be empty: this server sends no email, because FORMBOX_URL'),
    })
    const reply = '[forms.a]\ntitle = "A"\nreply = { field = "email", subject = "Hi", text = "Thanks" }'
    const answering = await formbox(['apply', '-', '--user', 'ada@example.com'], { folder, input: reply })
    expect(answering.stderr).toContain('forms.a.reply: must be left out: this server sends no email')
    const mail = { FORMBOX_MAIL_URL: 'smtp://127.0.0.1:1', FORMBOX_MAIL_FROM: 'forms@example.com' }
    const { exitCode, stdout } = await apply({ ...mail, FORMBOX_URL: 'https://forms.example.com' })
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('+ forms.a  https://forms.example.com/s/')])
  })

  test('changes the forms of a running server, one of two that run at once wins, and no secret is shown', async () => {
    const server = await serve(['--data', 'data'])
    const { folder } = server
    const key = await signUp(folder)
    writeFileSync(join(folder, 'forms.toml'), contact)
    const run = (...words: string[]) => formbox([...words, '--data', join(folder, 'data')], { folder, environment })
    const apply = (...flags: string[]) => run('apply', 'forms.toml', '--user', 'ada@example.com', ...flags)
    const call = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const response = await fetch(`${server.url}/api/v1${path}`, { headers, ...init })
      // biome-ignore lint/suspicious/noExplicitAny: checked below
      return (await response.json()) as any
    }

    const ends = await Promise.all([apply(), apply(), apply()])
    const winners = ends.filter(({ stdout }) => stdout.includes('2 created'))
    expect(winners).toHaveLength(1)
    for (const { exitCode, stdout, stderr } of ends)
      if (exitCode === 1)
        expect(stderr).toBe(
          'formbox: cannot apply forms.toml, nothing was changed: forms.contact: was changed by someone else at the same time; run this again to see what differs now\n',
        )
      else expect(stdout).toMatch(/2 created|2 unchanged/)
    const { forms } = await call('/forms')
    expect(forms.map(({ title }: { title: string }) => title)).toEqual(['Feedback', 'Contact'])
    const { id } = forms[1]
    expect((await call(`/forms/${id}/settings`)).retentionDays).toBe(365)
    expect((await call(`/forms/${id}/webhooks`)).webhooks).toMatchObject([
      { url: 'https://crm.example.com/hooks/formbox', headers: { Authorization: '•••' }, enabled: true },
    ])

    // What is changed on a page, the file says again, and says so.
    await call(`/forms/${id}`, { method: 'PATCH', body: '{"title":"From a page"}' })
    const again = await apply()
    expect(again.stdout).toContain('    title: "From a page" → "Contact"\n')
    expect((await call(`/forms/${id}`)).title).toBe('Contact')

    const described = await run('describe', id)
    expect(described).toMatchObject({ exitCode: 0, stderr: '' })
    const shown = [...ends, again, described].map(({ stdout, stderr }) => stdout + stderr).join('')
    expect(shown).not.toMatch(/topsecret|whsec_\w/)
    server.kill('SIGTERM')
    expect(await server.end()).toMatchObject({ exitCode: 0, stderr: '' })
  })
})

describe('docs/forms-as-files.md', () => {
  test('has an example that does what it says, and a second one', async () => {
    const guide = await Bun.file(join(import.meta.dir, '../../../../docs/forms-as-files.md')).text()
    const [example = ''] = blocksOf(guide, 'An example', 'toml')
    const [script = ''] = blocksOf(guide, 'An example', 'sh')
    const [course = ''] = blocksOf(guide, 'What a file can have', 'toml')
    const { folder, apply, write } = openFolder(example)
    const env = { ...process.env, FORMBOX: program.join(' ') }
    const shell = Bun.spawn(['sh', '-c', `formbox() { $FORMBOX "$@"; }\n${script}`], {
      cwd: folder,
      env,
      stdout: 'pipe',
    })
    const [checked, applied] = (await new Response(shell.stdout).text()).split(/(?<=unchanged\n)/)
    expect(checked).toBe(`${blocksOf(guide, 'An example', 'text')[0]}\n`)
    expect(applied).toMatch(/^\+ forms\.contact {2}\/s\/\w{28}\n/)
    write(course)
    expect(await apply()).toMatchObject({ exitCode: 0, stderr: '' })
    expect((await apply('--check')).exitCode).toBe(0)
  })
})

describe('formbox describe', () => {
  test('prints a file that makes the same form on another server', async () => {
    const { folder, apply, rows } = openFolder()
    await apply()
    const id = rows()[0]?.id ?? ''
    const { exitCode, stdout, stderr } = await formbox(['describe', id], { folder })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout.split('\n').slice(3)).toEqual([
      '[forms.contact]',
      'title = "Contact"',
      'retentionDays = 365',
      '# Which form this is on its server. Another server makes a new one.',
      `id = "${id}"`,
      '',
      '[forms.contact.webhooks.crm]',
      'url = "https://crm.example.com/hooks/formbox"',
      '# Secrets are read from environment variables.',
      'headers = { Authorization = "env:WEBHOOK_CONTACT_CRM_AUTHORIZATION" }',
      '# What the receiver checks signatures with (whsec_…). Without this line, its server keeps it, and another one makes one.',
      'secret = "env:WEBHOOK_CONTACT_CRM_SECRET"',
      expect.stringMatching(/^id = "\w{28}"$/),
      '',
    ])

    const there = openFolder(stdout)
    const secrets = {
      WEBHOOK_CONTACT_CRM_AUTHORIZATION: environment.CRM_TOKEN,
      WEBHOOK_CONTACT_CRM_SECRET: environment.CRM_SECRET,
    }
    const words = ['apply', 'forms.toml', '--user', 'ada@example.com']
    expect(await formbox(words, { folder: there.folder, environment: secrets })).toMatchObject({ exitCode: 0 })
    const [copy] = there.rows()
    const again = await formbox(['describe', copy?.id ?? ''], { folder: there.folder })
    const withoutIds = (text: string) => text.replaceAll(/^id = .*$/gm, '')
    expect(withoutIds(again.stdout)).toBe(withoutIds(stdout))
    writeFileSync(join(folder, 'described.toml'), stdout)
    const here = ['apply', 'described.toml', '--user', 'ada@example.com', '--check']
    expect(await formbox(here, { folder, environment: secrets })).toMatchObject({ exitCode: 0 })
  })

  test('of no form is an error', async () => {
    const { folder } = openFolder()
    expect(await formbox(['describe', 'none'], { folder })).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('there is no form "none"'),
    })
  })
})
