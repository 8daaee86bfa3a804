import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
