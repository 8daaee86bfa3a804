import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { Glob } from 'bun'
import * as addresses from '../src/config/addresses.ts'

const root = join(import.meta.dir, '../src')

/**
 * The tree of `src`, in the order of its layers: a file imports from its own folder and from those above it here, never from
 * those below. `docs/architecture.md` begins with it.
 */
const tree = [
  'languages',
  'base',
  'config',
  'remote',
  'storage',
  'html',
  'outbox',
  'forms',
  'submissions',
  'accounts',
  'sending',
  'transfer',
  'upkeep',
  'http',
  'stores',
  'collect',
  'api',
  'guides',
  'site',
  'server',
  'demo',
  'commands',
  'main.ts',
]
/** Rules and rows, which know nothing of HTTP and do nothing by themselves. */
const domain = ['outbox', 'forms', 'submissions', 'accounts', 'transfer']

const files = [...new Glob('**/*').scanSync(root)].sort()
const sourceOf = (file: string): string => readFileSync(join(root, file), 'utf8')
/** The imports that run when the file is loaded: no types, and nothing behind `await import`. */
const withoutDynamic = (file: string): string =>
  sourceOf(file)
    .replace(/^(import|export) type [^'=]*'[^']*'/gm, '')
    .replaceAll(/\bimport\('[^']*'\)/g, '')

/** What a file names in `import`, `export … from`, `import()`, `import('…').T` and `new URL(…, import.meta.url)`. */
const specifiersOf = (file: string, read = sourceOf): string[] =>
  [
    ...read(file).matchAll(
      /(?:^|[^.\w])(?:from|import)\s*\(?\s*['"]([^'"]+)['"]|new URL\(\s*['"](\.[^'"]+)['"],\s*import\.meta/g,
    ),
  ].map(([, imported, url]) => (imported ?? url) as string)

const relativeOf = (file: string, read = sourceOf): string[] =>
  specifiersOf(file, read)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(file), specifier)))

/** These files, and what is loaded with them. */
const loadedBy = (...roots: readonly string[]): ReadonlySet<string> => {
  const loaded = new Set<string>()
  const load = (file: string): void => {
    if (loaded.has(file) || !files.includes(file)) return
    loaded.add(file)
    for (const target of relativeOf(file, withoutDynamic)) load(target)
  }
  for (const root of roots) load(root)
  return loaded
}

/** The files of findings such as `base/id.ts: newId`. */
const filesOf = (found: readonly string[]): string[] =>
  [...new Set(found.map((one) => one.split(': ')[0] as string))].toSorted()

const unitOf = (file: string): string => file.split('/')[0] as string
const layerOf = (file: string): number => tree.indexOf(unitOf(file))

describe('src', () => {
  test('is read as what it is: files that import each other', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(relativeOf('main.ts')).toEqual(['base/node-env.ts', 'commands/run.ts'])
    expect(relativeOf('server/start.ts')).toContain('upkeep/writer-thread.ts')
    expect(relativeOf('commands/commands.ts')).toContain('commands/serve.ts')
  })

  test('has the folders of the tree, with which the architecture page begins, and no others', () => {
    expect([...new Set(files.map(unitOf))].sort()).toEqual([...tree].sort())
    const page = readFileSync(join(root, '../docs/architecture.md'), 'utf8')
    expect([...page.matchAll(/^ {2}([a-z]+)\/|^ {2}(main\.ts)/gm)].map(([, folder, file]) => folder ?? file)).toEqual(
      tree,
    )
  })

  /** Files of Formbox and of packages: 602 when the limit was set. Mail would add 39, the pages and the API 218. */
  const maxLoadedFiles = 630

  test('loads little to start: pages, API, mail and clusters come when they are needed, and Intl, which takes 7 ms', () => {
    const program = `
      const made = []
      for (const name of Object.getOwnPropertyNames(Intl))
        if (typeof Intl[name] === 'function')
          Intl[name] = new Proxy(Intl[name], {
            construct(target, values) {
              made.push(name)
              return Reflect.construct(target, values)
            },
          })
      for (const file of ['commands/serve.ts', 'server/start.ts']) await import('${root}/' + file)
      new Intl.NumberFormat()
      console.log(JSON.stringify({ files: Object.keys(require.cache).length, made }))`
    const { stdout, stderr } = Bun.spawnSync([process.execPath, '-e', program])
    expect(stderr.toString()).toBe('')
    const { files, made } = JSON.parse(stdout.toString())
    expect(files).toBeGreaterThan(300)
    expect(files).toBeLessThanOrEqual(maxLoadedFiles)
    expect(made).toEqual(['NumberFormat'])
  })

  test('has style sheets for both directions of writing: they name no left and no right', () => {
    const sheets = files.filter((file) => file.endsWith('.css'))
    expect(sheets).toContain('html/desk.css')
    const declarations = sheets.flatMap((sheet) =>
      [...sourceOf(sheet).matchAll(/^ *([\w-]+): *([^;{}]+);/gm)].map(([, name = '', value = '']) => ({
        ...{ sheet, name, value },
        sides: value.match(/[a-z]*\((?:[^()]|\([^()]*\))*\)|[^\s()]+/g) ?? [],
      })),
    )
    expect(declarations.length).toBeGreaterThan(1000)
    const ofOneDirection = declarations.filter(
      ({ name, value, sides }) =>
        /(?:^|-)(?:left|right)(?:-|$)/.test(name) ||
        (/^(?:text-align|float|clear)$/.test(name) && /left|right/.test(value)) ||
        (/^(?:margin|padding|inset)$/.test(name) && sides.length === 4 && sides[1] !== sides[3]),
    )
    expect(ofOneDirection.map(({ sheet, name, value }) => `${sheet}: ${name}: ${value}`)).toEqual([])
  })

  test('has no class in a style sheet that no page has', () => {
    const sheets = files.filter((file) => file.startsWith('html/') && file.endsWith('.css')).map(sourceOf)
    const code = files
      .filter((file) => /\.(ts|js)$/.test(file))
      .map(sourceOf)
      .join('\n')
    const words = new Set(code.match(/[a-z][\w-]*/g))
    const selectors = sheets.join('\n').replace(/\/\*.*?\*\/|\{[^{}]*\}/gs, '')
    const classes = new Set([...selectors.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name))
    expect(classes.size).toBeGreaterThan(150)
    // Some are made of a beginning and a value, such as `hue-${i}`.
    const isMade = (name: string): boolean => code.includes(name.replace(/\w+$/, '${'))
    expect([...classes].filter((name) => !words.has(name) && !isMade(name))).toEqual([])
    expect(sheets.concat(sourceOf('api/reference/reference-page.css')).join('').split('\n').length).toBeLessThan(3348)
  })

  test('imports one way', () => {
    const wrong = files.flatMap((file) =>
      relativeOf(file)
        .filter((target) => !target.startsWith('..') && unitOf(target) !== unitOf(file))
        .filter((target) => layerOf(target) >= layerOf(file))
        .map((target) => `${file} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('knows nothing of the product in its base, neither forms nor what visitors read', () => {
    const base = files.filter((file) => unitOf(file) === 'base')
    expect(base.filter((file) => relativeOf(file).some((target) => unitOf(target) !== 'base'))).toEqual([])
  })

  test('reads its input and the file in a command, and nothing else: every machine has to do the same with it', () => {
    const loaded = loadedBy('upkeep/all-writes.ts')
    expect(loaded).toContain('submissions/tally.ts')
    const matches = (pattern: RegExp) =>
      [...loaded].flatMap((file) =>
        [...withoutDynamic(file).matchAll(pattern)].map(([text]) => `${file}: ${text}`).filter(isFirst),
      )
    const isFirst = (text: string, position: number, all: readonly string[]) => all.indexOf(text) === position
    const surroundings =
      /\b(Date\.now|new Date\(\)|Temporal\.\w+|Math\.random|crypto\.\w+|performance\.\w+|process\.\w+|Bun\.(?!CryptoHasher|SHA256|deepEquals)\w+|fetch\(|set(Timeout|Interval|Immediate)\(|Intl\.\w+|toLocale\w+|localeCompare)/g
    expect(matches(surroundings).sort()).toEqual([
      'base/id.ts: crypto.getRandomValues',
      'outbox/webhook-secret.ts: crypto.getRandomValues',
      // What it measures becomes no part of the data.
      'storage/writer/batch.ts: performance.now',
    ])
    // What uses random values in the first two.
    expect(matches(/\{[^}]*\b(newId|idAt|newSecret)\b[^}]*\} from '[^']*\/(id|webhook-secret)\.ts'/g)).toEqual([])
    expect(matches(/'(node|bun):(?!sqlite)\w+'/g).sort()).toEqual([
      // Makes a domain ASCII before there is a command; joins the path of the data file.
      "base/mail-address.ts: 'node:url'",
      "storage/open.ts: 'node:path'",
    ])
    // A machine that restarted has forgotten what the others may remember.
    expect(filesOf(matches(/^(?:export )?let \w+|\bnew (?:Weak)?Map\b/gm))).toEqual([
      // The last identifier and moment, and random characters to come, as `used`.
      'base/id.ts',
      'base/moment.ts',
      'base/parse-once.ts',
      // What depends on its key alone.
      'forms/fields/limited-fields.ts',
      // For the time of one command, and then of one claim.
      'forms/limit-writes.ts',
      'outbox/mail-hours.ts',
      'outbox/slots.ts',
      'storage/open.ts',
      // For the time of one batch, or of one command.
      'submissions/confirm/confirm-writes.ts',
      'submissions/limits/claim-writes.ts',
      'submissions/submission-writes.ts',
    ])
  })

  test('imports files that are there, by their whole name', () => {
    const wrong = files.flatMap((file) =>
      relativeOf(file)
        .filter((target) => !files.includes(target) && target !== '../package.json')
        .map((target) => `${file} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('is TypeScript, but for what a browser gets and the demo sends, in files named after what is in them', () => {
    const names = /^(index|utils?|helpers?|common|shared|misc|lib|services?|managers?|types?|interfaces?|constants?)$/
    const others = files.filter((file) => !file.endsWith('.ts'))
    const known = /^((html|api\/reference)\/[a-z-]+\.(css|js|svg)|demo\/[a-z]+\.(txt|png|pdf))$/
    expect(others.filter((file) => !known.test(file))).toEqual([])
    expect(files.filter((file) => file.split('/').some((part) => names.test(part.split('.')[0] ?? '')))).toEqual([])
    expect(files.filter((file) => !/^[a-z0-9-]+(\/[a-z0-9-]+)*(\.d)?\.[a-z]+$/.test(file))).toEqual([])
  })

  test('names no address but in the list of them, so that one place knows all, and the path below which they are', () => {
    const starts = Object.values(addresses).flatMap((one) =>
      'route' in one ? [one.route.split('/')[1] as string] : [],
    )
    expect(starts.length).toBeGreaterThan(80)
    const start = [...new Set(starts)].filter((part) => part !== '').join('|')
    const ways = [
      // A text or an attribute that begins as one, or that is the root.
      new RegExp(`['"\`=}]/(?:${start.replaceAll('.', '\\.')})(?![\\w.-])`),
      /\b(?:href|src|action|formaction)="\/|redirect\(['"`]\//,
      // What goes on behind one.
      /\b\w+Path(?:\.route|\([^`]*\))\}\/\w/,
    ]
    // An operation declares its path below that of the API, where its document is made from it.
    const isOperation = (file: string, line: string) =>
      unitOf(file) === 'api' && /^(?:path: ['`]\/|document\.paths\[)/.test(line)
    const written = files
      .filter((file) => /\.(?:ts|js)$/.test(file) && file !== 'config/addresses.ts')
      .flatMap((file) =>
        sourceOf(file)
          .split('\n')
          .map((line) => ({ file, line: line.trim() })),
      )
      .filter(({ file, line }) => !/^(?:\*|\/\/|\/\*)/.test(line) && !isOperation(file, line))
      .filter(({ line }) => ways.some((way) => way.test(line.replaceAll(/ from '[^']*'|import\('[^']*'\)/g, ''))))
    expect(filesOf(written.map(({ file, line }) => `${file}: ${line}`))).toEqual([
      // Help for the operator, that names an endpoint.
      'config/variables.ts',
      // Below the forms of the API.
      'demo/fill.ts',
      // A member of JSON.
      'forms/settings/declared.ts',
      // A name.
    ])
  })

  test('has no timers in the domain and the app: what the server does by itself is a job', () => {
    const timed = files.filter((file) => /\bset(Interval|Timeout)\(/.test(sourceOf(file)))
    expect(timed).toContain('upkeep/jobs/job.ts')
    const quiet = timed.filter((file) => [...domain, 'api'].includes(unitOf(file)) || file === 'server/app.ts')
    // End a reader of an export who may read it no more, and a thread that finds nothing in a file.
    expect(quiet).toEqual(['transfer/export/store.ts', 'transfer/import/worker-thread.ts'])
  })

  test('leaves HTTP, cookies and pages out of the storage and the domain', () => {
    // The client of rqlite.
    const known = /^storage\/cluster\/rqlite-/
    const free = files.filter((file) => ['base', 'storage', ...domain].includes(unitOf(file)) && !known.test(file))
    for (const file of ['submissions/submission-writes.ts', 'accounts/sessions/store.ts', 'storage/writer/writer.ts'])
      expect(free).toContain(file)
    expect(free.filter((file) => specifiersOf(file).some((name) => /elysia|node:http/.test(name)))).toEqual([])
    const types = /\b(Request|Response|Headers|FormData|URLSearchParams)\b/
    expect(free.filter((file) => types.test(sourceOf(file)))).toEqual([])
  })

  test('decides nothing by the words of its own errors', () => {
    const decisions =
      /(?<!typeof )\b\w*[mM]essage\b\)? ?(?:[!=]==? ['"`]|\.(?:includes|startsWith|endsWith|match|search)\()|\.(?:test|exec)\([^()]*[mM]essage\)/
    const deciding = files.filter((file) => decisions.test(sourceOf(file)))
    expect(deciding.toSorted()).toEqual(
      [
        // Which server of several an error names already.
        'storage/cluster/postgres-errors.ts',
        // Errors of others, which have no codes: rqlite, yauzl and, in a folder of its own, Bun.
        'storage/cluster/execute.ts',
        'storage/cluster/rqlite-servers.ts',
        'transfer/import/zip.ts',
      ].toSorted(),
    )
  })

  // `===` ends at the first character that differs, and its time tells how far a guess was right.
  test('compares secrets in constant time, or looks them up by their hash', () => {
    const operand = /(\S+) [!=]==? (\S+)/g
    const isSecret = (name: string) => /(token|password|secret|hash(Of)?|digest|key|session)\W*(\(.*)?$/i.test(name)
    const isConstant = (name: string) => /^\(?(undefined|null|true|false|''|'[^']*'|[0-9_]+)[),;]*$/.test(name)
    const compared = files.flatMap((file) =>
      [...sourceOf(file).matchAll(operand)]
        .filter(([, left = '', right = '']) => !isConstant(left) && !isConstant(right))
        .filter(([, left = '', right = '']) => isSecret(left) || isSecret(right))
        .map(([comparison]) => `${file}: ${comparison}`),
    )
    expect(filesOf(compared)).toEqual([
      // The name of a cookie.
      'http/cookies.ts',
      // Hashes of sessions, both out of the database: the guess of someone else is never one of them.
      'site/shown-once.ts',
      // The checksum of a migration.
      'storage/migrations.ts',
    ])
    const inSql = files.flatMap((file) =>
      [...sourceOf(file).matchAll(/eq\(\w+\.(\w*(?:hash|token|password|secret|key)\w*), /gi)].map(
        ([, column]) => `${file}: ${column}`,
      ),
    )
    // That of a password is compared with one that was read before, not with what was typed.
    expect(inSql.filter((found) => !/hash$/i.test(found))).toEqual([])
    expect(inSql.length).toBeGreaterThan(9)
    for (const file of ['accounts/sessions/devices.ts', 'accounts/users/setup-token.ts', 'server/metrics/page.ts'])
      expect(relativeOf(file)).toContain('base/secure-compare.ts')
  })
})

test('the test files that the Makefile names are there', async () => {
  const named = (await Bun.file(join(root, '../Makefile')).text()).match(/\btest\/[\w/.-]*\w/g) ?? []
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((file) => !existsSync(join(root, '..', file)))).toEqual([])
})
