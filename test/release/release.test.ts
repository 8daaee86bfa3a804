// What `make release` has made. TEST_RELEASE names the folder with it.
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Ajv from 'ajv'
import { toPublished } from '../../deploy/release/published.ts'
import { dependencies, version } from '../../package.json'
import { afterThisTest, temporaryFolder } from '../harness.ts'
import { noteSkipped } from '../skips.ts'
import { findRunner, type Runner, run } from './runners.ts'

const named = process.env.TEST_RELEASE
const isMade = named !== undefined
const release = resolve(named ?? '')
if (!isMade) noteSkipped('The tests of a release are skipped: TEST_RELEASE names none (make release).')

const root = join(import.meta.dir, '../..')
const targets = [
  'linux-arm64',
  'linux-arm64-musl',
  'linux-x64',
  'linux-x64-baseline',
  'linux-x64-musl',
  'macos-arm64',
  'macos-x64',
  'windows-x64',
]
const archiveOf = (target: string): string =>
  `formbox-${version}-${target}${target.startsWith('windows') ? '.zip' : '.tar.gz'}`
const packages = ['amd64', 'arm64'].map((architecture) => `formbox_${version}_${architecture}.deb`)
const licenses = `formbox-${version}-licenses.txt`
const sbom = `formbox-${version}-sbom.cdx.json`

const read = (name: string): string => readFileSync(join(release, name), 'utf8')
const git = (...words: string[]): string => run(['git', '-C', root, ...words]).trim()

const unpacked = isMade ? mkdtempSync(join(tmpdir(), 'formbox-release-')) : ''
afterAll(() => unpacked && rmSync(unpacked, { recursive: true, force: true }))

/** Unpacks an archive with the system's own program, once, and returns its folder. */
const unpack = (target: string): string => {
  const folder = join(unpacked, `formbox-${version}-${target}`)
  if (existsSync(folder)) return folder
  const archive = join(release, archiveOf(target))
  // That of Windows, which opens both; a shell of Git puts another one before it.
  const tar = process.platform === 'win32' ? join(process.env.SystemRoot ?? '', 'System32/tar.exe') : 'tar'
  const isZip = archive.endsWith('.zip') && process.platform !== 'win32'
  run(isZip ? ['unzip', '-q', archive, '-d', unpacked] : [tar, '-xpf', archive, '-C', unpacked])
  return folder
}

/** The repository that the release is built for, where that is known. */
const [, repository] = isMade
  ? (/FORMBOX_FROM:-https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\/releases\//.exec(read('install.sh')) ?? [])
  : []

const isFileOfDeploy = (name: string): boolean => !['debian', 'release'].includes(name)

const executableOf = (target: string): string =>
  join(unpack(target), target.startsWith('windows') ? 'formbox.exe' : 'formbox')

describe.skipIf(!isMade)('a release', () => {
  test('has an archive for each kind of machine, packages for Debian, what installs it, the licences, the bill of materials and the sums of all', () => {
    const files = [...targets.map(archiveOf), ...packages, 'compose.yaml', 'install.sh', licenses, sbom].sort()
    expect(readdirSync(release).sort()).toEqual(['SHA256SUMS', ...files])
    const lines = files.map((file) => {
      const sum = new Bun.CryptoHasher('sha256').update(readFileSync(join(release, file))).digest('hex')
      return `${sum}  ${file}\n`
    })
    expect(read('SHA256SUMS')).toBe(lines.join(''))
  })

  test.each(targets)(
    '%s holds one folder with the executable, the licences and what installs it, dated as the commit',
    (target) => {
      const folder = unpack(target)
      const executable = target.startsWith('windows') ? 'formbox.exe' : 'formbox'
      const installing = target.startsWith('linux') ? readdirSync(join(root, 'deploy')).filter(isFileOfDeploy) : []
      const files = ['LICENSE', 'THIRD-PARTY-LICENSES.txt', executable, ...installing]
      expect(readdirSync(folder).sort()).toEqual(files.sort())
      for (const file of installing) {
        const source = readFileSync(join(root, 'deploy', file), 'utf8')
        expect(readFileSync(join(folder, file), 'utf8')).toBe(toPublished(file, source, repository))
      }
      expect(readFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8')).toBe(read(licenses))
      const { mode, mtimeMs } = statSync(join(folder, executable))
      if (process.platform !== 'win32') expect((mode & 0o777).toString(8)).toBe('755')
      // A zip archive has no time zone, and steps of two seconds.
      if (!target.startsWith('windows')) expect(mtimeMs / 1000).toBe(Number(git('log', '-1', '--format=%ct')))
    },
  )

  const lintian = Bun.which('lintian')
  if (isMade && lintian === null) noteSkipped('The Debian packages are not examined: lintian is not on the PATH.')
  test.skipIf(lintian === null).each(packages)('%s gives lintian nothing to say', (name) => {
    const words = ['lintian', '--allow-root', '--tag-display-limit=0', '--fail-on=none', join(release, name)]
    expect(run(words)).toBe('')
  })

  const dpkg = Bun.which('dpkg-deb')
  if (isMade && dpkg === null) noteSkipped('The Debian packages are not unpacked: dpkg-deb is not on the PATH.')
  test.skipIf(dpkg === null)('has packages with the executables of the archives', () => {
    const held = ['linux-x64-baseline', 'linux-arm64'].map(executableOf)
    for (const [i, name] of packages.entries()) {
      const folder = temporaryFolder()
      run(['dpkg-deb', '--extract', join(release, name), folder])
      expect(readFileSync(join(folder, 'usr/bin/formbox')).equals(readFileSync(held[i] as string))).toBe(true)
    }
  })

  test.skipIf(process.platform !== 'linux')('is installed by its script', () => {
    const target = temporaryFolder()
    const environment = { PATH: process.env.PATH ?? '', FORMBOX_FROM: release }
    const { exitCode } = Bun.spawnSync(['sh', join(release, 'install.sh'), target], { env: environment })
    expect([exitCode, run([join(target, 'formbox'), '--version']).trim()]).toEqual([0, version])
  })

  test('has executables of the kinds that they are named after, those of macOS with a signature', () => {
    const starts = targets.map((target) => [target, kindOf(readFileSync(executableOf(target)))])
    expect(starts).toEqual([
      ['linux-arm64', 'ELF 183 /lib/ld-linux-aarch64.so.1'],
      ['linux-arm64-musl', 'ELF 183 /lib/ld-musl-aarch64.so.1'],
      ['linux-x64', 'ELF 62 /lib64/ld-linux-x86-64.so.2'],
      ['linux-x64-baseline', 'ELF 62 /lib64/ld-linux-x86-64.so.2'],
      ['linux-x64-musl', 'ELF 62 /lib/ld-musl-x86_64.so.1'],
      ['macos-arm64', 'Mach-O 100000c, signed'],
      ['macos-x64', 'Mach-O 1000007, signed'],
      ['windows-x64', 'PE 8664, console'],
    ])
  })

  test('lists every package of `dependencies`, with the text of its licence, and Bun with what it links', () => {
    const text = read(licenses)
    for (const [name, version] of Object.entries(dependencies)) {
      expect(text).toContain(`  ${name} ${version}: `)
      expect(text).toContain(`${'='.repeat(80)}\n${name} ${version}\n${'='.repeat(80)}\n\n`)
    }
    const named = [...text.matchAll(/^ {2}(\S+ \S+): \S/gm)].map(([, name]) => name as string)
    const titles = [...text.matchAll(/^={80}\n(.+)\n={80}\n\n(?!=)[\s\S]{500,}?/gm)].map(([, title]) => title as string)
    expect(titles).toEqual([...named, `Bun ${Bun.version}`])
    for (const library of ['JavaScriptCore', 'boringssl', 'mimalloc', 'sqlite', 'libicu'])
      expect(text).toContain(library)
    expect(text).not.toContain(root)
  })

  test('names every package in the bill of materials that it names among the licences', () => {
    const { components } = JSON.parse(read(sbom))
    const packages = components.filter((each: { hashes?: unknown }) => each.hashes)
    const [list = ''] = read(licenses).split('====')
    const named = [...list.matchAll(/^ {2}(\S+ \S+): (.+)$/gm)].slice(1).map(([, name, id]) => [name, id])
    expect(packages.map((each: Component) => [`${each.name} ${each.version}`, licenseOf(each)])).toEqual(named)
  })

  test('has a bill of materials that CycloneDX 1.6 allows, with references that lead somewhere', () => {
    const schemas = join(root, 'node_modules/@cyclonedx/cyclonedx-library/res/schema')
    const schema = (name: string) => JSON.parse(readFileSync(join(schemas, `${name}.SNAPSHOT.schema.json`), 'utf8'))
    const ajv = new Ajv({ strict: false, validateFormats: false })
    for (const other of ['spdx', 'jsf-0.82', 'cryptography-defs'])
      ajv.addSchema(schema(other), `http://cyclonedx.org/schema/${other}.SNAPSHOT.schema.json`)
    const document = JSON.parse(read(sbom))
    const validate = ajv.compile(schema('bom-1.6'))
    validate(document)
    expect(validate.errors).toBeNull()
    expect(validate({ ...document, components: [{ type: 'nonsense', name: 'x' }] })).toBe(false)

    const refs = [document.metadata.component, ...document.components].map((each) => each['bom-ref'])
    expect(new Set(refs).size).toBe(refs.length)
    const named = document.dependencies.flatMap(({ ref, dependsOn }: Edge) => [ref, ...dependsOn])
    expect(named.filter((ref: string) => !refs.includes(ref))).toEqual([])
    expect(document.metadata.timestamp).toBe(new Date(Number(git('log', '-1', '--format=%ct')) * 1000).toISOString())
  })
})

interface Component {
  readonly name: string
  readonly version: string
  readonly licenses: readonly [{ readonly license?: { readonly id: string }; readonly expression?: string }]
}
const licenseOf = ({ licenses: [{ license, expression }] }: Component) => license?.id ?? expression

interface Edge {
  readonly ref: string
  readonly dependsOn: readonly string[]
}

describe.skipIf(!isMade)('the executable for', () => {
  test.each(targets)('%s makes a user, a key and a form, takes a submission and reads it back', async (target) => {
    const folder = temporaryFolder()
    const runner = findRunner(target, executableOf(target), folder)
    if (typeof runner === 'string') {
      noteSkipped(`${target} is not run: ${runner}.`)
      return
    }
    expect(await command(runner, ['--version'])).toBe(`${version}\n`)
    expect(await command(runner, ['user', 'create', 'ada@example.com'])).toMatch(/^\S{24}\n$/)
    const key = (await command(runner, ['key', 'create', '--user', 'ada@example.com', '--name', 'Test'])).trim()
    const server = await serve(runner)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const call = async (path: string, init: RequestInit = {}) => (await fetch(server.url + path, init)).json()

    const form = (await call('/api/v1/forms', { method: 'POST', headers, body: '{"title":"Grüße"}' })) as { id: string }
    const sent = await call(`/s/${form.id}`, { method: 'POST', body: new URLSearchParams({ name: 'Ada 🎉' }) })
    const { submissions } = (await call(`/api/v1/forms/${form.id}/submissions`, { headers })) as {
      submissions: object[]
    }

    expect(sent).toEqual({ id: expect.any(String), formId: form.id, ok: true })
    const { ok, ...stored } = sent as { ok: boolean }
    expect(submissions).toEqual([expect.objectContaining({ ...stored, data: { name: 'Ada 🎉' } })])
    await server.stop()
    // The folder of data opens again, and a copy of it takes its place.
    expect(await command(runner, ['user', 'list'])).toMatch(/ada@example\.com +1 /)
    expect(await command(runner, ['backup', 'copy.db'])).toBe('')
    expect(await command(runner, ['restore', 'copy.db'])).toMatch(/^Restored /)
    expect(await command(runner, ['user', 'list'])).toMatch(/ada@example\.com +1 /)
  })
})

const optionsFor = ({ folder, folderInside, environment }: Runner) => ({
  cwd: folder,
  env: {
    PATH: process.env.PATH ?? '',
    SystemRoot: process.env.SystemRoot ?? '',
    ...environment,
    FORMBOX_DATA: `${folderInside}/data`,
  },
  stdin: 'ignore' as const,
})

const command = async (runner: Runner, words: readonly string[]): Promise<string> => {
  const inside = words.map((word) => (word.endsWith('.db') ? `${runner.folderInside}/${word}` : word))
  const child = Bun.spawn([...runner.words, ...inside], { ...optionsFor(runner), stdout: 'pipe', stderr: 'pipe' })
  afterThisTest(() => child.kill('SIGKILL'))
  const [printed, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  expect(await child.exited, complaints).toBe(0)
  return printed.replaceAll('\r\n', '\n')
}

const serve = async (runner: Runner) => {
  const words = [...runner.words, 'serve', '--port', '0']
  const child = Bun.spawn(words, { ...optionsFor(runner), stdout: 'pipe', stderr: 'pipe' })
  afterThisTest(() => child.kill('SIGKILL'))
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  let printed = ''
  while (!printed.includes('\n')) {
    const { value, done } = await lines.read()
    if (done) throw new Error(`it ended: ${await new Response(child.stderr).text()}`)
    printed += value
  }
  return {
    url: /http:\S+/.exec(printed)?.[0] ?? '',
    async stop() {
      child.kill('SIGTERM')
      const exitCode = await child.exited
      // Windows has no signals: a process that is told to end is ended.
      if (process.platform !== 'win32' && !runner.words[0]?.includes('wine')) expect(exitCode).toBe(0)
    },
  }
}

/** What an executable says of itself in its header. */
const kindOf = (file: Buffer): string => {
  if (file.toString('latin1', 1, 4) === 'ELF')
    return `ELF ${file.readUInt16LE(18)} ${/\/lib\w*\/ld-[\w.-]+/.exec(file.toString('latin1', 0, 4096))?.[0]}`
  if (file.toString('latin1', 0, 2) === 'MZ') {
    const at = file.readUInt32LE(0x3c)
    const isConsole = file.readUInt16LE(at + 24 + 68) === 3
    return `PE ${file.readUInt16LE(at + 4).toString(16)}${isConsole ? ', console' : ''}`
  }
  if (file.readUInt32LE(0) !== 0xfeedfacf) return 'unknown'
  return `Mach-O ${file.readUInt32LE(4).toString(16)}${isSigned(file) ? ', signed' : ''}`
}

/** Whether a load command LC_CODE_SIGNATURE leads to a signature with its magic number. */
const isSigned = (file: Buffer): boolean => {
  let at = 32
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    if (file.readUInt32LE(at) === 0x1d) return file.readUInt32BE(file.readUInt32LE(at + 8)) === 0xfade0cc0
    at += file.readUInt32LE(at + 4)
  }
  return false
}
