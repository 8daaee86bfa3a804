import { expect, test } from 'bun:test'
import { chmodSync, cpSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { dependencies, devDependencies, packageManager } from '../../../package.json'
import { english } from '../../../src/languages/english.ts'
import { foreign } from '../../../src/languages/foreign.ts'
import { blocksOf, rowsOf, unquoted } from '../../guide-parts.ts'
import { type Server, startServer, temporaryFolder } from '../../harness.ts'
import { generatedPages } from '../../readme-parts.ts'
import { noteSkipped } from '../../skips.ts'

const root = join(import.meta.dir, '../../..')
const pageOf = (path: string): Promise<string> => Bun.file(join(root, path)).text()
const [readme, api, contributing] = await Promise.all(['README.md', 'docs/api.md', 'CONTRIBUTING.md'].map(pageOf))

const hasCurl = Bun.which('curl') !== null
if (!hasCurl) noteSkipped("The tests of README.md's commands are skipped: there is no curl here.")

test.each(generatedPages)(
  'what is made from declarations is up to date; otherwise make readme writes it: %p',
  async (made) => {
    const page = await Bun.file(made.path).text()
    expect(page).toBe(made.withGeneratedParts(page))
  },
)

test('README.md fits a screen or two', () => {
  expect(readme?.split('\n').length).toBeLessThanOrEqual(100)
})

test('BENCHMARKS.md is read on two screens', async () => {
  expect((await pageOf('BENCHMARKS.md')).match(/\S+/g)?.length).toBeLessThanOrEqual(1200)
})

test('a version in CHANGELOG.md is read in a minute, at 220 words', async () => {
  const [, ...versions] = (await pageOf('CHANGELOG.md')).split(/^## /m)
  for (const version of versions) {
    const read = version.replace(/\]\([^)]*\)/g, '').match(/[\p{L}\d/][^\s]*/gu) ?? []
    expect(read.length, version).toBeLessThanOrEqual(220)
  }
})

test('the commands for developers are the targets of the Makefile, and the version of Bun the pinned one', async () => {
  const makefile = await Bun.file(join(root, 'Makefile')).text()
  const targets = [...makefile.matchAll(/^([a-z-]+):.* ## /gm)].map(([, name]) => name as string)
  const named = rowsOf(contributing, 'Develop').flatMap(
    ([command]) => /^`make (\S+?)[ `]/.exec(command ?? '')?.[1] ?? [],
  )
  expect(['help', ...named].sort()).toEqual(targets.sort())
  expect(contributing?.match(/bun-\d+\.\d+\.\d+/g)).toEqual([packageManager.replace('@', '-')])
})

test('every check that a page names is a test that there is', async () => {
  const pages = ['README.md', ...new Glob('docs/*.md').scanSync(root)]
  const named = (await Promise.all(pages.map(pageOf))).join().matchAll(/make try CASE=([\w/-]+)/g)
  const cases = [...named].map(([, name]) => name as string)
  expect(cases.length).toBeGreaterThan(6)
  const isThere = (name: string): boolean =>
    ['slow/*/torture/', 'slow/*/', ''].some(
      (folder) => [...new Glob(`test/${folder}${name}.test.ts`).scanSync(root)].length > 0,
    )
  expect(cases.filter((name) => !isThere(name))).toEqual([])
})

test('the checks in README.md start in a fresh clone, with all packages that they need', async () => {
  const rows = rowsOf(readme, 'What it promises')
  const lines = rows.flatMap(([, check]) => /^`([^`]* )?make try [^`]*`/.exec(check ?? '')?.[0] ?? []).map(unquoted)
  expect(lines).toHaveLength(6)
  const clone = temporaryFolder()
  const listed = Bun.spawnSync(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  const files = listed.stdout.toString().split('\0').filter(Boolean)
  for (const file of files) if (existsSync(join(root, file))) cpSync(join(root, file), join(clone, file))
  // It builds nothing and runs no test: to load a test file takes every package.
  const bin = temporaryFolder()
  const bun = process.execPath
  await Bun.write(
    join(bin, 'bun'),
    `#!/bin/sh
case $1 in
build) mkdir -p dist && : > dist/formbox ;;
test) exec '${bun}' "$@" --test-name-pattern 'no test has this name' ;;
*) exec '${bun}' "$@" ;;
esac
`,
  )
  chmodSync(join(bin, 'bun'), 0o755)
  const own = Object.entries(process.env).filter(([name]) => !/^(MAKE|MFLAGS|TEST_|TORTURE|BUN_OPTIONS)/.test(name))
  const env = { ...Object.fromEntries(own), PATH: `${bin}:${process.env.PATH}` }
  for (const line of lines) {
    const tried = Bun.spawnSync(['sh', '-c', line], { cwd: clone, env })
    expect(tried.stderr.toString(), line).toContain('matched 0 tests. Searched 1 file')
    expect(existsSync(join(clone, '.tools'))).toBe(false)
  }
})

const pagesAtTheTop = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'BENCHMARKS.md']

test.each([...pagesAtTheTop, ...new Glob('docs/*.md').scanSync(root)])(
  'every link of %s leads to a file or a heading',
  async (page) => {
    const text = await pageOf(page)
    const links = [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link]) => link as string)
    if (page === 'README.md') expect(links.length).toBeGreaterThan(5)
    // A page beside the files, which GitHub shows below blob/main.
    const releases = `${'../'.repeat(page.split('/').length + 1)}releases/latest`
    for (const link of links.filter((each) => each !== releases)) {
      const [path = '', heading] = link.split('#')
      const target = path === '' ? join(root, page) : join(root, dirname(page), path)
      expect(existsSync(target), link).toBe(true)
      if (heading !== undefined) expect(headingsOf(await Bun.file(target).text()), link).toContain(heading)
    }
  },
)

test('no code to copy has a style of its own: under a strict policy, the trap field would be seen and filled in', async () => {
  for (const path of new Glob('docs/*.md').scanSync(root)) expect(await pageOf(path), path).not.toInclude(' style="')
})

test('the memory that the guides name is what make bench measured', async () => {
  const [benchmarks = '', all = '', ...guides] = await Promise.all(
    ['BENCHMARKS.md', 'docs/benchmarks-all.md', 'docs/install.md', 'docs/limits.md'].map(pageOf),
  )
  const idle = Number(/^\| memory, idle +\| +([\d.]+) MB/m.exec(benchmarks)?.[1])
  // The sixth column of the cases of a server. What other servers need, for comparison, has a slash.
  const cases = [...all.matchAll(/^\| [\w-]+ +(?:\|[^|\n]*){5}\| +([\d.]+) \| +[\d.]+ \|$/gm)]
  expect(cases.length).toBeGreaterThan(50)
  const most = Math.max(...cases.map(([, megabytes]) => Number(megabytes)))
  for (const guide of guides) {
    const [, low, high, underLoad] = (
      /(\d+) to (\d+) MB of memory[\s\S]*?up to (\d+) MB/.exec(guide) ??
      /idle, (\d+) to (\d+) MB[\s\S]*?up to (\d+) MB/.exec(guide) ??
      []
    ).map(Number)
    expect(idle).toBeWithin(low as number, high as number)
    expect(most).toBeWithin((underLoad as number) - 20, underLoad as number)
  }
})

test('what visitors see, by docs/troubleshooting.md, is what Formbox says', async () => {
  const guide = await pageOf('docs/troubleshooting.md')
  const { otherPage, notPosted, otherAddress, tooMany } = english.reasons
  const said = [otherPage(foreign('https://example.com')), notPosted(foreign('')), otherAddress(foreign('')), tooMany()]
  const seen = [...guide.matchAll(/^\| Visitors see `(.*?)…?`/gm)].map(([, text = '']) => text)
  expect(seen).toHaveLength(said.length)
  for (const [i, text] of seen.entries()) expect(said[i]).toStartWith(text)
})

test('docs/contract.md numbers its decisions from 1, and has every one that a test cites', async () => {
  const contract = await pageOf('docs/contract.md')
  const decisions = [...contract.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
  expect(decisions).toEqual(decisions.map((_, position) => position + 1))

  const tests = await Promise.all([...new Glob('test/**/*.ts').scanSync(root)].map(pageOf))
  const cited = tests
    .flatMap((text) => [...text.matchAll(/\bdecisions? (\d+(?:(?:, | and |, and )\d+)*)/gi)])
    .flatMap(([, numbers = '']) => numbers.split(/\D+/).map(Number))
  expect(cited.length).toBeGreaterThan(30)
  expect(cited.filter((number) => !decisions.includes(number))).toEqual([])
})

/** As a link names them. */
const headingsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  )

test('the list of what the executable bundles is what a build takes in, at exact versions', async () => {
  // Not by Bun.build of this process, whose plugins and macros are those of the tests. The Makefile leaves out the same.
  const build = `
    const { metafile } = await Bun.build({ entrypoints: ['src/main.ts', 'src/upkeep/write-worker.ts', 'src/transfer/import/worker.ts'], target: 'bun', external: ['file-type'], metafile: true })
    const inputs = Object.keys(metafile.inputs).flatMap((path) => path.match(/node_modules\\/(@[^/]+\\/[^/]+|[^/]+)/)?.[1] ?? [])
    console.log(JSON.stringify([...new Set(inputs)]))`
  const child = Bun.spawnSync([process.execPath, '-e', build], { cwd: root, env: { PATH: process.env.PATH ?? '' } })
  const bundled: string[] = JSON.parse(child.stdout.toString() || '[]')
  const direct = rowsOf(contributing, 'Develop').filter((row) => row.length === 3)
  const named = direct.flatMap((row) => row.join().match(/`[^`]+`/g) ?? []).map(unquoted)
  expect(bundled.toSorted()).toEqual(named.sort())
  expect(direct.flatMap(([name = '']) => (name.startsWith('`') ? [unquoted(name)] : [])).sort()).toEqual(
    Object.keys(dependencies).sort(),
  )
  const versions = Object.values({ ...dependencies, ...devDependencies })
  expect(versions.filter((version) => !/^(npm:[\w.]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([])
})

test.skipIf(!hasCurl)('every command works against a running server, from top to bottom', async () => {
  const server = await startServer()
  const [makeForm = '', makeVariables = ''] = blocksOf(api, 'Start', 'sh')
  const table = rowsOf(api, 'Start').flatMap(([operation, command]) =>
    command?.startsWith('`curl ') ? [{ operation, command: unquoted(command) }] : [],
  )

  const [created, , ...answers] = await run(server, [makeForm, makeVariables, ...table.map(({ command }) => command)])

  const [password = '', form = ''] = (created ?? '').split('\n')
  expect(password).toMatch(/^\S{24}$/)
  const id = { id: expect.stringMatching(/^[0-9a-z]{28}$/) }
  expect(JSON.parse(form)).toEqual(id)
  const success = { success: true }
  expect(table.map(({ operation }, position) => [operation, JSON.parse(answers[position] ?? '')])).toEqual([
    ['List all forms', { forms: [expect.anything(), expect.anything()], pagination }],
    ['Update the settings of a form', success],
    ['List submissions for a form', { submissions: [sent('Hello')], pagination }],
    ['List the submissions of all forms', { submissions: [sent('Hello')], searched: 1, next: null }],
    ['Search the submissions of a form', { submissions: [], searched: 1, next: null }],
    ['Mark a submission as done or open', expect.objectContaining({ state: 'done' })],
    ['Accept spam as a submission', success],
    ['Export the submissions of a form', [sent('Hello'), sent('Buy')]],
    ['Import submissions', expect.objectContaining({ rows: 1, format: 'json', columns: [{ name: 'message' }] })],
    ['Create a webhook', { ...id, secret: expect.stringMatching(/^whsec_/) }],
    ['Delete multiple submissions', success],
  ])
})

test.skipIf(!hasCurl)('the error is the one that is shown', async () => {
  const server = await startServer()
  const [makeForm = ''] = blocksOf(api, 'Start', 'sh')
  const [provokeError = ''] = blocksOf(api, 'Errors', 'sh')
  const [shownError = ''] = blocksOf(api, 'Errors', 'json')

  const [, error = ''] = await run(server, [makeForm, provokeError.replace('curl', 'command curl -s')])

  expect(JSON.parse(error)).toEqual(JSON.parse(shownError))
})

const pagination = expect.objectContaining({ page: 1, perPage: 20, totalPages: 1 })
const sent = (message: string) => expect.objectContaining({ data: { message } })

/** Runs the commands in one shell, as a reader does who has installed Formbox. Returns what each of them printed. */
const run = async (server: Server, commands: readonly string[]): Promise<string[]> => {
  const folder = temporaryFolder()
  const program = process.env.TEST_EXECUTABLE ?? `${process.execPath}' '${join(root, 'src/main.ts')}`
  await Bun.write(join(folder, 'formbox'), `#!/bin/sh\nexec '${program}' "$@"\n`)
  chmodSync(join(folder, 'formbox'), 0o755)
  // An error status ends the script.
  const script = ['set -e; curl() { command curl -sS --fail-with-body "$@"; }', ...commands]
    .map((command) => command.trim().replaceAll('http://127.0.0.1:8080', server.url))
    .join(`\necho '${separator}'\n`)
  // A file: curl fails when the pipe of a busy reader is full.
  const output = Bun.file(join(folder, 'printed'))
  const shell = Bun.spawn(['sh', '-c', script], {
    cwd: folder,
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, FORMBOX_DATA: server.folder },
    stdout: output,
    stderr: 'pipe',
  })
  const [complaints, exitCode] = await Promise.all([new Response(shell.stderr).text(), shell.exited])
  const printed = await output.text()
  expect(complaints).toBe('')
  expect(exitCode, printed).toBe(0)
  return printed
    .split(separator)
    .slice(1)
    .map((text) => text.trim())
}
const separator = '----- next -----'
