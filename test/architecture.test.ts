import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Glob } from 'bun'

const root = join(import.meta.dir, '..')
const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const named = [
  ...new Set([...text.matchAll(/`((?:src|test|drizzle)\/[\w./-]+|drizzle)`/g)].map(([, path = '']) => path)),
]

test('docs/architecture.md names files that exist', () => {
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('docs/architecture.md names a file of every folder of src', () => {
  const foldersOf = (files: Iterable<string>) =>
    [...new Set([...files].map(dirname))].filter((folder) => folder !== 'src')
  const folders = foldersOf(new Glob('src/**/*.*').scanSync(root))
  expect(folders.length).toBeGreaterThan(30)
  const leadsTo = new Set(foldersOf(named))
  expect(folders.filter((folder) => !leadsTo.has(folder))).toEqual([])
})

test('docs/architecture.md names each file of src, or says by a rule what is in it', () => {
  const lines = text.split('\n')
  const codeIn = (line: string) => [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
  // A row may name a folder, or a file of it, and then others there without their folder.
  const isNamed = (file: string) =>
    lines.some((line) => {
      const codes = codeIn(line)
      const isOfFolder = codes.some((code) => code === dirname(file) || dirname(code) === dirname(file))
      return codes.includes(file) || (isOfFolder && codes.includes(basename(file)))
    })
  const start = lines.indexOf('| Name | What is in it |')
  expect(start).toBeGreaterThan(0)
  const rules = lines
    .slice(start + 2, lines.indexOf('', start))
    .flatMap((row) => codeIn(row.split('|')[1] ?? ''))
    .map((code) => (file: string) => {
      if (code.startsWith('src/')) return dirname(file) === code
      return code.startsWith('…') ? file.endsWith(code.slice(1)) : basename(file) === code
    })
  expect(rules.length).toBeGreaterThan(5)
  const files = [...new Glob('src/*/**/*.*').scanSync(root)]
  expect(files.filter((file) => !isNamed(file) && !rules.some((isCovered) => isCovered(file)))).toEqual([])
})
