// deploy/release/install.sh in the shells that it is made for, with a release whose executable is a stand-in.
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toTarGz } from '../../../../deploy/release/archive.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'

const script = join(import.meta.dir, '../../../../deploy/release/install.sh')
const kinds = ['linux-x64', 'linux-x64-baseline', 'linux-arm64']

/** The files of a release of this version. */
const release = (version: string, says = `formbox ${version}`): string => {
  const folder = temporaryFolder()
  const executable = new TextEncoder().encode(`#!/bin/sh\necho ${says}\n`)
  const sums = kinds.map((kind) => {
    const stem = `formbox-${version}-${kind}`
    const archive = toTarGz([{ name: `${stem}/formbox`, bytes: executable, isExecutable: true }], 1_763_800_000)
    writeFileSync(join(folder, `${stem}.tar.gz`), archive)
    return `${new Bun.CryptoHasher('sha256').update(archive).digest('hex')}  ${stem}.tar.gz\n`
  })
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
  return folder
}

/** A shell, and the folder with all the programs that the script finds. */
interface Shell {
  readonly name: string
  readonly whyNot: string | null
  readonly command: () => { readonly words: readonly string[]; readonly path: string }
}

const busybox = Bun.which('busybox')
const dash = Bun.which('dash')
/** What the script needs besides curl or wget. */
const tools = 'uname ls grep cp sha256sum cut mktemp rm tar gzip mkdir chmod mv tail id cat sh'.split(' ')
const shells: readonly Shell[] = [
  {
    name: 'dash',
    whyNot: dash ? null : 'dash is not on the PATH',
    command: () => ({ words: ['dash'], path: process.env.PATH ?? '' }),
  },
  {
    name: 'dash with wget',
    whyNot: dash && Bun.which('wget') ? null : 'dash or wget is not on the PATH',
    command() {
      const programs = temporaryFolder()
      for (const tool of [...tools, 'wget']) symlinkSync(Bun.which(tool) ?? '', join(programs, tool))
      return { words: [dash ?? ''], path: programs }
    },
  },
  {
    name: 'BusyBox',
    whyNot: busybox ? null : 'busybox is not on the PATH',
    command() {
      const programs = temporaryFolder()
      Bun.spawnSync([busybox ?? '', '--install', '-s', programs])
      return { words: [join(programs, 'sh')], path: programs }
    },
  },
]

for (const { name, whyNot } of shells)
  if (whyNot !== null) noteSkipped(`install.sh is not tried in ${name}: ${whyNot}.`)
const isLinux = process.platform === 'linux'
if (!isLinux) noteSkipped('install.sh is tried on Linux alone.')

describe.each(shells.filter(({ whyNot }) => whyNot === null && isLinux))('install.sh in $name', ({ command }) => {
  /** Runs it without a terminal: the file, or what comes through a pipe. */
  const run = async (from: string, flags: readonly string[], piped?: string) => {
    const { words, path } = command()
    const child = Bun.spawn([...words, ...(piped === undefined ? [script] : ['-s', '--']), ...flags], {
      env: { PATH: path, HOME: temporaryFolder(), FORMBOX_FROM: from },
      stdin: piped === undefined ? 'ignore' : new Blob([piped]),
      stdout: 'pipe',
      stderr: 'pipe',
      detached: true,
    })
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { exitCode: await child.exited, output, errors }
  }
  const install = (from: string, target: string, ...flags: string[]) => run(from, [...flags, target])
  const installed = (target: string): string => readFileSync(join(target, 'formbox'), 'utf8')

  test('installs the executable for this machine from an address or a folder', async () => {
    const folder = release('1.2.3')
    const server = Bun.serve({
      port: 0,
      fetch: ({ url }) => new Response(Bun.file(join(folder, new URL(url).pathname))),
    })
    afterThisTest(() => server.stop(true))
    for (const from of [folder, server.url.origin]) {
      const target = join(temporaryFolder(), 'bin')
      const { exitCode, output, errors } = await install(from, target)
      expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
      expect(output).toMatch(/^Fetching Formbox 1\.2\.3 for linux-/)
      expect(output).toContain('For a service, take the archive or the Debian package instead')
      expect(output).toEndWith(
        `The data will be in formbox-data, in the folder where you start it.\nStart it: ${target}/formbox\n`,
      )
      expect((statSync(join(target, 'formbox')).mode & 0o777).toString(8)).toBe('755')
      expect(readdirSync(target)).toEqual(['formbox'])
    }
  })

  test('replaces what is there only when it is told to', async () => {
    const target = temporaryFolder()
    expect((await install(release('1.2.3'), target)).exitCode).toBe(0)
    const refused = await install(release('1.2.4'), target)
    expect(refused).toMatchObject({
      exitCode: 1,
      errors: 'install.sh: nothing was changed; --yes replaces it without a question\n',
    })
    expect(installed(target)).toContain('1.2.3')
    const replaced = await install(release('1.2.4'), target, '--yes')
    expect(replaced.exitCode).toBe(0)
    expect(replaced.output).not.toContain('service')
    expect(replaced.output).toContain('A server that is running keeps the old version until you restart it.\n')
    expect(installed(target)).toContain('1.2.4')
  })

  test('writes nothing where the archive has another checksum, is missing, or does not run', async () => {
    const damaged = release('1.2.3')
    for (const kind of kinds) writeFileSync(join(damaged, `formbox-1.2.3-${kind}.tar.gz`), 'other')
    const missing = release('1.2.3')
    writeFileSync(join(missing, 'SHA256SUMS'), '')
    const broken = release('1.2.3', 'no; exit 3')
    const said: readonly [string, string][] = [
      [damaged, 'has another checksum than SHA256SUMS says; nothing was changed'],
      [missing, 'SHA256SUMS has no archive for linux-'],
      [broken, 'the executable does not run here; nothing was changed'],
      [join(missing, 'nowhere'), 'cannot read'],
    ]
    for (const [from, reason] of said) {
      const target = join(temporaryFolder(), 'bin')
      const { exitCode, errors } = await install(from, target)
      expect([exitCode, errors]).toEqual([1, expect.stringContaining(reason)])
      expect(existsSync(target) ? readdirSync(target) : []).toEqual([])
    }
  })

  test('gives up when the connection breaks each time', async () => {
    let tries = 0
    const server = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket) {
          tries++
          socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n0123')
        },
      },
    })
    afterThisTest(() => server.stop(true))
    const target = join(temporaryFolder(), 'bin')
    const { exitCode, errors } = await install(`http://127.0.0.1:${server.port}`, target)
    expect([exitCode, errors]).toEqual([1, expect.stringContaining('cannot fetch')])
    expect([tries <= 3, existsSync(target)]).toEqual([true, false])
  })

  test('does all of it through a pipe, and nothing when the pipe is cut off', async () => {
    const from = release('1.2.3')
    const text = readFileSync(script, 'utf8')
    const target = join(temporaryFolder(), 'bin')
    expect(await run(from, ['--help'], text)).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('install.sh [--yes] [FOLDER]'),
    })
    const lines = text.split('\n')
    for (const count of [10, lines.length - 20, lines.length - 4, lines.length - 2]) {
      const { output } = await run(from, [target], lines.slice(0, count).join('\n'))
      expect([output, existsSync(target)]).toEqual(['', false])
    }
    expect(await run(from, [target], text)).toMatchObject({ exitCode: 0, errors: '' })
    expect(readdirSync(target)).toEqual(['formbox'])
  })

  test('names the guide where it can be read, from a release on GitHub too', async () => {
    const here = await run(release('1.2.3'), ['--help'])
    const published = await run('https://github.com/acme/formbox/releases/download/v1.2.3', ['--help'])
    expect(here.output).toContain('(docs/install.md)')
    expect(published.output).toContain('(https://github.com/acme/formbox/blob/HEAD/docs/install.md)')
  })

  test('says that it cannot write', async () => {
    const target = join(temporaryFolder(), 'file')
    writeFileSync(target, '')
    expect((await install(release('1.2.3'), join(target, 'bin'))).errors).toContain(`cannot write to ${target}`)
  })

  test('refuses an option that it does not know', async () => {
    const { exitCode, errors } = await install(release('1.2.3'), temporaryFolder(), '--force')
    expect([exitCode, errors]).toEqual([1, 'install.sh: unknown option --force; there are --yes and --help\n'])
  })
})
