// Exports are opened by programs that know nothing of us: the ZIP and XML of Python, and LibreOffice.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { existingForm } from '../../../../src/commands/data-folder.ts'
import { timeFlags } from '../../../../src/commands/import.ts'
import { importFile } from '../../../../src/transfer/import/import-file.ts'
import { temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { openData } from '../../../storage/data.ts'
import { world } from '../../../world.ts'

const python = Bun.which('python3')
if (!python) noteSkipped('Skipping the tests with Python: there is no python3 on the PATH.')
const office = Bun.which('soffice')
if (!office) noteSkipped('Skipping the tests with LibreOffice: there is no soffice on the PATH.')

/** Prints the cells of each row as JSON, with their types. */
const program = `
import json, sys, zipfile
from xml.etree import ElementTree
namespace = '{http://schemas.openxmlformats.org/spreadsheetml/2006/main}'
book = zipfile.ZipFile(sys.argv[1])
assert book.testzip() is None
for name in book.namelist():
    ElementTree.fromstring(book.read(name))
sheet = ElementTree.fromstring(book.read('xl/worksheets/sheet1.xml'))
json.dump([[[cell.get('r'), cell.get('t'), ''.join(cell.itertext())] for cell in row] for row in sheet.iter(namespace + 'row')], sys.stdout)
`

const run = async (...line: string[]): Promise<string> => {
  const child = Bun.spawn(line, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect([await child.exited, errors.includes('Traceback') ? errors : '']).toEqual([0, ''])
  return output
}

const texts = [
  '01067',
  '12345678901234567890',
  '=1+1',
  '3/4',
  '1E5',
  '+49 30',
  ' a ',
  'a\nb',
  '"x", \'y\' & <z>',
  'é😀日本',
]

/** A form with one submission, exported as XLSX. */
const exportOne = async () => {
  const { server, ada, formId, submissions } = await world()
  await server.submit(formId, Object.fromEntries(texts.map((text, i) => [`n${i}`, text])))
  const path = join(temporaryFolder(), 'out.xlsx')
  const headers = { authorization: `Bearer ${ada.key}` }
  const query = 'format=xlsx&zone=Asia/Kathmandu'
  await Bun.write(path, await server.fetch(`/api/v1/forms/${formId}/export?${query}`, { headers }))
  return { path, submissions: await submissions() }
}

const convert = async (path: string, to: string): Promise<string> => {
  const folder = temporaryFolder()
  const profile = `-env:UserInstallation=file://${folder}/profile`
  await run(office as string, profile, '--headless', '--convert-to', to, '--outdir', folder, path)
  return join(folder, `out.${to.split(':')[0]}`)
}

describe('an export as XLSX', () => {
  test.skipIf(!python)('has every cell, read by Python', async () => {
    const [header, row] = JSON.parse(await run(python as string, '-c', program, (await exportOne()).path))
    expect(header.map(([, , text]: string[]) => text)).toEqual([
      'id',
      'createdAt',
      ...texts.map((_, i) => `n${i}`),
      'more',
    ])
    expect(row.slice(2).map(([, type, text]: string[]) => [type, text])).toEqual(
      texts.map((text) => ['inlineStr', text]),
    )
    expect(row[1]?.slice(0, 2)).toEqual(['B2', null])
  })

  test.skipIf(!office)('is opened by LibreOffice, which runs nothing and changes nothing', async () => {
    const { path } = await exportOne()
    // CSV in UTF-8 with commas, as the cells are shown.
    const shown = await Bun.file(
      await convert(path, 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false'),
    ).text()
    for (const text of texts) expect(shown).toContain(text.replaceAll('"', '""'))
    expect(shown).toMatch(/\n\w{28},\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,01067,/)
  })
  test.skipIf(!office)('comes back the same after LibreOffice has saved it', async () => {
    const { path, submissions } = await exportOne()
    const saved = await convert(await convert(path, 'ods'), 'xlsx')
    const { db, folder, formId } = openData()
    const time = { timeZone: 'UTC', isOff: false, words: timeFlags }
    const options = { format: 'xlsx', isRaw: false, isDryRun: false, onProgress: () => {}, time } as const
    await importFile({ db, folder, form: existingForm(db, formId), write: null }, saved, options)
    const rows = db.$client.query<{ id: string; data: string }, []>('SELECT id, data FROM submissions').all()
    expect(rows.map(({ id, data }) => ({ id, data: JSON.parse(data) }))).toEqual(
      submissions.map(({ id, data }: { id: string; data: object }) => ({ id, data })),
    )
  })
})
