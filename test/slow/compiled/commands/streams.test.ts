// `-`, the names that Linux has for standard output, and pipes, in every command that takes a file.
import { describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commands } from '../../../../src/commands/commands.ts'
import { fillFolder } from '../../../backup/data.ts'
import { filesIn, formbox, oneLine, onTerminal } from '../../../commands/formbox.ts'
import { temporaryFolder } from '../../../harness.ts'
import { program } from '../../../program.ts'
import { dataFile, expectSound, rowsOf } from '../../../storage/sound.ts'

/** What the values of the command line are called that are files, and all others. */
const files = ['FILE', 'BACKUP']
const others =
  'EMAIL NEW WORDS NAME DATE ID COUNT DIR HOST PORT FORMAT FORM_ID MACHINE ADDRESS SHELL COLUMN ZONE'.split(' ')

/** `backup FILE`, `backup --from BACKUP` and so on, as the commands declare them. */
const declared = commands.flatMap(({ words, operands = [], flags }) => {
  const values = [
    ...operands.map((name) => [name, name] as const),
    ...flags.flatMap(({ name, value }) => (value === undefined ? [] : [[value, `--${name} ${value}`] as const])),
  ]
  return values.map(([name, shown]) => ({ name, usage: `${words.join(' ')} ${shown}` }))
})

const csv = '_date,name\n2026-01-01,Ada\n'
const s3 = {
  FORMBOX_BACKUP_S3_ENDPOINT: 'http://127.0.0.1:9',
  FORMBOX_BACKUP_S3_KEY_ID: 'id',
  FORMBOX_BACKUP_S3_SECRET: 'secret',
}

type Case = readonly [usage: string, words: readonly string[], exitCode: 0 | 2, input?: () => Uint8Array]

const backedUp = (() => {
  let bytes: Buffer | undefined
  return () => {
    if (!bytes) {
      const folder = temporaryFolder()
      fillFolder(folder, 50_000)
      bytes = readFileSync(dataFile(folder))
    }
    return bytes
  }
})()

const cases: readonly Case[] = [
  ['export --output FILE', ['export', 'f', '--output', '-'], 0],
  ['export --output FILE', ['export', 'f', '--output=-', '--force'], 0],
  ['import FILE', ['import', 'f', '-'], 0, () => Buffer.from(csv)],
  ['import FILE', ['import', 'f', '-', '--format', 'zip'], 2],
  ['apply FILE', ['apply', '-', '--user', 'ada@example.com'], 0, () => Buffer.from('[forms.a]\ntitle = "A"\n')],
  ['backup FILE', ['backup', '-'], 0],
  ['backup FILE', ['backup', '-', '--force'], 0],
  ['backup --from BACKUP', ['backup', 's3://bucket/x.db', '--from', '-'], 2, backedUp],
  ['restore FILE', ['restore', '-'], 0, backedUp],
]

const newFolder = (): { folder: string; data: string } => {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  writeFileSync(dataFile(data), backedUp(), { mode: 0o600 })
  return { folder, data }
}

/** Runs it in a shell, where `"$@"` is the command. Standard output as bytes. */
const inShell = (script: string, words: readonly string[], folder: string) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    ['timeout', '20', 'bash', '-c', script, 'bash', ...program, ...words],
    {
      cwd: folder,
      env: {},
    },
  )
  return { exitCode, stdout, stderr: stderr.toString() }
}

const countIn = (bytes: Uint8Array): unknown => {
  const folder = temporaryFolder()
  writeFileSync(dataFile(folder), bytes)
  expectSound(folder)
  return rowsOf(folder, 'SELECT count(*) AS rows FROM submissions')[0]?.rows
}
const rows = () => countIn(backedUp())

describe('every command that takes a file', () => {
  test('is known here, and has a case', () => {
    expect(declared.filter(({ name }) => ![...files, ...others].includes(name))).toEqual([])
    const usages = declared.filter(({ name }) => files.includes(name)).map(({ usage }) => usage)
    expect([...new Set(cases.map(([usage]) => usage))].toSorted()).toEqual(usages.toSorted())
  })

  test.each(cases)('%s: %j takes - as a stream, or ends with 2: %p', async (_, words, exitCode, input) => {
    const { folder } = newFolder()
    const line = [...words, '--data', 'data']
    const outcome = await formbox(line, { folder, environment: s3, input: input?.() ?? '' })
    expect({ ...outcome, stdout: '' }).toEqual({
      exitCode,
      stdout: '',
      stderr: exitCode === 0 ? '' : expect.stringMatching(oneLine),
    })
    expect(outcome.stdout === '').toBe(exitCode === 2)
    expect(filesIn(folder).filter((name) => name.endsWith('-') || name.includes('partial'))).toEqual([])
  })
})

describe('formbox backup', () => {
  const hasDevFiles = process.platform === 'linux'

  test.each(['-', ...(hasDevFiles ? ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'] : [])])(
    'writes the whole backup and nothing else to standard output as %s, into a pipe or a file',
    async (target) => {
      const { folder, data } = newFolder()
      const words = ['backup', target, '--data', 'data', '--force']
      const piped = inShell('"$@" | cat', words, folder)
      expect([piped.exitCode, piped.stderr, countIn(piped.stdout)]).toEqual([0, '', rows()])
      expect(inShell('"$@" > to.db', words, folder).exitCode).toBe(0)
      expect(countIn(readFileSync(join(folder, 'to.db')))).toBe(rows() as number)
      expect(readdirSync(data).sort()).toEqual(['formbox.commands.lock', 'formbox.db'])
    },
  )

  test('writes into a pipe that has a name, and says when its reader has gone', () => {
    const { folder, data } = newFolder()
    const words = ['backup', 'pipe', '--data', 'data']
    const read = inShell('mkfifo pipe; cat pipe > to.db & "$@"; code=$?; wait; exit $code', words, folder)
    expect([read.exitCode, read.stdout.toString(), read.stderr]).toEqual([0, '', ''])
    expect(countIn(readFileSync(join(folder, 'to.db')))).toBe(rows() as number)
    const left = inShell('head --bytes=1 pipe > one & "$@"', words, folder)
    expect([left.exitCode, left.stderr]).toEqual([1, expect.stringMatching(oneLine)])
    expect(inShell('set -o pipefail; "$@" | head --bytes=1', ['backup', '-', '--data', 'data'], folder)).toMatchObject({
      exitCode: 1,
      stderr: '',
    })
    expect(readdirSync(data).sort()).toEqual(['formbox.commands.lock', 'formbox.db'])
  })

  test('is not printed on a terminal, from which a pipe still gets it', async () => {
    const { folder } = newFolder()
    expect(await onTerminal(['backup', '-', '--data', 'data'], folder)).toBe(
      'formbox: FILE: a terminal cannot show a backup; redirect it\r\n',
    )
    const reader = inShell('mkfifo pipe; timeout 20 cat pipe > to.db 2> errors & disown', [], folder)
    expect([reader.exitCode, await onTerminal(['backup', 'pipe', '--data', 'data'], folder)]).toEqual([0, ''])
  })

  test('makes a file called - where its path says so', async () => {
    const { folder } = newFolder()
    expect(await formbox(['backup', './-', '--data', 'data'], { folder })).toMatchObject({ exitCode: 0, stdout: '' })
    expect(countIn(readFileSync(join(folder, '-')))).toBe(rows() as number)
  })
})

describe('formbox export', () => {
  test.skipIf(process.platform !== 'linux')('writes to /dev/stdout and into a pipe that has a name', async () => {
    const { folder } = newFolder()
    const words = (target: string) => ['export', 'f', '--data', 'data', '--output', target]
    const { stdout } = await formbox(words('-'), { folder })
    const there = inShell('"$@" > to.csv; cat to.csv', words('/dev/stdout'), folder)
    const named = inShell('mkfifo pipe; cat pipe & "$@"; wait', words('pipe'), folder)
    expect([there, named].map((each) => each.stdout.toString() === stdout)).toEqual([true, true])
  })
})

describe('formbox restore', () => {
  test('reads what a backup writes, from standard input and from a pipe', () => {
    const { folder } = newFolder()
    const self = [...program].map((word) => `'${word}'`).join(' ')
    const piped = inShell(
      `set -o pipefail; ${self} backup - --data data | "$@"`,
      ['restore', '-', '--data', 'new'],
      folder,
    )
    expect([piped.exitCode, piped.stderr]).toEqual([0, ''])
    expect(piped.stdout.toString()).toMatch(/^Restored \S+formbox\.db from standard input\n$/)
    copyFileSync(dataFile(join(folder, 'data')), join(folder, 'x.db'))
    const named = inShell('"$@" <(cat x.db) --data other', ['restore'], folder)
    expect([named.exitCode, named.stderr]).toEqual([0, ''])
    for (const name of ['new', 'other']) {
      expectSound(join(folder, name))
      expect(rowsOf(join(folder, name), 'SELECT count(*) AS rows FROM submissions')).toEqual([{ rows: rows() }])
    }
  })

  test.each([
    ['nothing', 0],
    ['half of a backup', 0.5],
    ['a text', 'this is no database'],
  ])('refuses %s on standard input, and leaves the data as it is', async (_, part) => {
    const { folder, data } = newFolder()
    const bytes = backedUp()
    const input = typeof part === 'string' ? part.repeat(100) : bytes.subarray(0, bytes.length * part)
    const outcome = await formbox(['restore', '-', '--data', 'data'], { folder, input })
    expect(outcome).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringMatching(oneLine) })
    expect(outcome.stderr).toStartWith('formbox: cannot restore standard input: ')
    expect(readFileSync(dataFile(data)).equals(bytes)).toBe(true)
    expect(readdirSync(data).sort()).toEqual(['formbox.commands.lock', 'formbox.db', 'formbox.lock'])
  })
})
