// Archives are opened by the programs that people have: Info-ZIP's unzip, and Python.
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { formbox } from '../../../commands/formbox.ts'
import { someBytes, submitFiles } from '../../../export/archived.ts'
import { temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { openData } from '../../../storage/data.ts'

const programs = {
  unzip: (archive: string) => ['unzip', '-t', archive],
  python3: (archive: string) => ['python3', '-m', 'zipfile', '-t', archive],
}

/** Prints the SHA-256 of each entry by its name. */
const digests = `
import hashlib, json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
json.dump({info.filename: hashlib.sha256(archive.read(info)).hexdigest() for info in archive.infolist()}, sys.stdout)
`

const run = async (command: readonly string[]): Promise<string> => {
  const child = Bun.spawn([...command], { stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect([await child.exited, errors], output).toEqual([0, ''])
  return output
}

const sent = ['Größe 日本 😀.png', 'CON', '../../x', 'a'.repeat(5000), '0', 'aux.txt'].map((name, i) => ({
  name,
  bytes: someBytes(i * 70_000),
}))

const exported = async (count = 1): Promise<{ archive: string; ids: string[] }> => {
  const folder = temporaryFolder()
  const data = openData(folder)
  const ids = Array.from({ length: count }, () => submitFiles(data, { name: 'Ada', cv: sent }).id)
  const archive = join(folder, 'contact.zip')
  const { exitCode, stderr } = await formbox(['export', data.formId, '--data', folder, '--output', archive])
  expect([exitCode, stderr]).toEqual([0, ''])
  return { archive, ids }
}

for (const [program, test1] of Object.entries(programs)) {
  if (!Bun.which(program)) noteSkipped(`Skipping archives in ${program}: it is not on the PATH.`)
  describe.skipIf(!Bun.which(program))(`an archive in ${program}`, () => {
    test('is whole', async () => {
      const { archive } = await exported(3)
      expect(await run(test1(archive))).toMatch(/No errors detected|Done testing/)
    })
  })
}

describe.skipIf(!Bun.which('python3'))('an archive in Python', () => {
  test('has every file as it was sent, under a name that Windows takes', async () => {
    const { archive, ids } = await exported()
    const found: Record<string, string> = JSON.parse(await run(['python3', '-c', digests, archive]))
    const [csv, ndjson, ...names] = Object.keys(found)
    expect([csv, ndjson]).toEqual(['submissions.csv', 'submissions.ndjson'])
    expect(names.map((name) => found[name])).toEqual(
      sent.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex')),
    )
    for (const name of names) {
      const [folder, id, file = '', ...rest] = name.split('/')
      expect([folder, id, rest]).toEqual(['files', ids[0], []])
      expect(file).toMatch(/^\d+-[^<>:"\\|?*\p{C}]+$/u)
      expect(file).not.toMatch(/[. ]$/)
      expect(Buffer.byteLength(file)).toBeLessThan(255)
    }
  })
})
