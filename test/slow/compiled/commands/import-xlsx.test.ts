import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { formbox } from '../../../commands/formbox.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { type Files, partsOf, workbookFile } from '../../../import/workbooks.ts'
import { program } from '../../../program.ts'
import { openData } from '../../../storage/data.ts'
import { peakBytes } from '../../../torture/process.ts'

const withForm = () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'data'))
  const { formId } = openData(join(folder, 'data'))
  return async (files: Files) => {
    const path = await workbookFile(files)
    const child = Bun.spawn([...program, 'import', formId, path, '--data', 'data', '--no-dates', '--dry-run'], {
      cwd: folder,
      env: {},
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    afterThisTest(() => child.kill('SIGKILL'))
    let memory = 0
    // What the system says at its end is at least the memory of this process.
    const sampling = setInterval(() => {
      memory = Math.max(memory, peakBytes(child) || 0)
    }, 10)
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    clearInterval(sampling)
    await child.exited
    return { said: stdout + stderr, memory, seconds: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6 }
  }
}

const MiB = 1024 * 1024

/** So many bytes, in parts. */
function* many(start: string, repeated: string | ((i: number) => string), bytes: number, end: string) {
  yield Buffer.from(start)
  let part = ''
  for (let [i, made] = [0, 0]; made < bytes; i++) {
    part += typeof repeated === 'string' ? repeated : repeated(i)
    if (part.length < 64 * 1024) continue
    yield Buffer.from(part)
    made += part.length
    part = ''
  }
  yield Buffer.from(part + end)
}

const cell = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`
const header = `<row>${cell('a')}</row>`
const rows = `${header}<row>${cell('1')}</row>`
const sheet = (parts: Iterable<Uint8Array>): Files => ({
  ...partsOf({ rows }),
  'xl/worksheets/sheet1.xml': parts,
})
const start = `<worksheet><sheetData>${header}`
const end = '</sheetData></worksheet>'

const bytes = 20 * MiB
const part = 'xl/worksheets/sheet1.xml'
const tooLong = 'is not valid XML: Max buffer length exceeded: '

/** Made when it is its turn: each has some 20 MiB. */
const hostile: readonly (readonly [what: string, reason: string, make: () => Files])[] = [
  [
    'a long text in a cell',
    'row 2: must have cells of at most 262136 characters',
    () => sheet(many(`${start}<row><c t="str"><v>`, 'x', bytes, `</v></c></row>${end}`)),
  ],
  [
    'a long text as CDATA',
    'row 2: must have cells of at most 262136 characters',
    () => sheet(many(`${start}<row><c t="str"><v><![CDATA[`, 'x', bytes, `]]></v></c></row>${end}`)),
  ],
  [
    'a long row',
    'row 2: must be at most 16777216 characters',
    () => sheet(many(`${start}<row>`, cell('x'.repeat(2000)), bytes, `</row>${end}`)),
  ],
  [
    'millions of cells',
    'row 2: must have at most 16384 cells',
    () => sheet(many(`${start}<row>`, '<c/>', bytes, `</row>${end}`)),
  ],
  ['a long comment', `${part}: ${tooLong}comment`, () => sheet(many(`${start}<!--`, 'x', bytes, `-->${end}`))],
  ['a long name', `${part}: ${tooLong}tagName`, () => sheet(many(`${start}<`, 'x', bytes, ''))],
  [
    'a long attribute',
    `${part}: ${tooLong}attribValue`,
    () => sheet(many(`${start}<row a="`, 'x', bytes, `"/>${end}`)),
  ],
  [
    'millions of attributes',
    `${part}: must have at most 200 attributes in a tag`,
    () => sheet(many(`${start}<row `, (i) => ` a${i}=""`, bytes, `/>${end}`)),
  ],
  ['millions of levels', `${part}: must be at most 64 deep`, () => sheet(many(start, '<a>', bytes, ''))],
  ['millions of instructions', 'Would import 0 submissions', () => sheet(many(start, '<?a b?>', bytes, end))],
  [
    'millions of texts',
    'must have at most 8388608 different texts',
    () => ({ ...partsOf({ rows, texts: '' }), 'xl/sharedStrings.xml': many('<sst>', '<si/>', 42 * MiB, '</sst>') }),
  ],
  [
    'a long text that is shared',
    'xl/sharedStrings.xml: must have texts of at most 262136 characters',
    () => partsOf({ rows, texts: `<si><t>${'x'.repeat(MiB)}</t></si>` }),
  ],
  [
    'rows that share one text of 750 KB',
    'Would import 400 submissions',
    () =>
      partsOf({
        rows: `${header}${'<row><c t="s"><v>0</v></c></row>'.repeat(400)}`,
        texts: `<si><t>${'中'.repeat(250_000)}</t></si>`,
      }),
  ],
]

let usual: Promise<number> | undefined

test.each(hostile)('an XLSX file with %s costs formbox import little memory', async (_what, reason, make) => {
  const imported = withForm()
  usual ??= imported(partsOf({ rows })).then(({ memory }) => memory)
  const memory = await usual
  const refused = await imported(make())
  expect(refused.said).toContain(reason)
  expect(refused.memory).toBeLessThan(memory + 200 * MiB)
})

test('a hundred MiB of different texts cost formbox import little memory', async () => {
  const imported = withForm()
  const { memory } = await imported(partsOf({ rows }))
  const texts = 500_000
  const outcome = await imported({
    ...partsOf({ rows, texts: '' }),
    'xl/sharedStrings.xml': many('<sst>', (i) => `<si><t>${`text ${i} `.repeat(15)}</t></si>`, 110 * MiB, '</sst>'),
    // Backwards, so that no text is near the one before it.
    'xl/worksheets/sheet1.xml': many(start, (i) => `<row><c t="s"><v>${texts - i}</v></c></row>`, 100_000 * 34, end),
  })
  expect(outcome.said).toStartWith('Would import 9')
  expect(outcome.memory).toBeLessThan(memory + 200 * MiB)
})

test('cells far to the right of a wide header cost formbox import no more than others', async () => {
  const imported = withForm()
  const wide = `<row>${Array.from({ length: 16_384 }, (_, i) => cell(`n${i}`)).join('')}</row>`
  const withCellsAt = (column: string) =>
    sheet(many(`<worksheet><sheetData>${wide}`, `<row><c r="${column}1" t="str"><v>x</v></c></row>`, 60_000 * 46, end))
  const near = await imported(withCellsAt('A'))
  const far = await imported(withCellsAt('XFD'))
  expect(far.said).toStartWith('Would import 6')
  expect(far.seconds).toBeLessThan(2 * near.seconds + 1)
})

test('formbox export writes XLSX by the name of its file, which formbox import reads', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'data'))
  const { formId, userId, createForm, submit, db } = openData(join(folder, 'data'))
  submit(formId, [Date.parse('2026-03-04T14:05:06.789Z')])
  const other = createForm(userId)
  const run = (...words: string[]) => formbox([...words, '--data', 'data'], { folder })
  expect(await run('export', formId, '--output', 'out.xlsx', '--zone', 'Europe/Berlin')).toMatchObject({ exitCode: 0 })
  // Its identifiers are taken.
  db.$client.run('DELETE FROM submissions')
  expect((await run('import', other, 'out.xlsx')).stdout).toStartWith(
    'Imported 1 submission, dated 2026-03-04T14:05:06.789Z to 2026-03-04T14:05:06.789Z',
  )
})
