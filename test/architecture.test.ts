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

test('docs/architecture.md names every folder of src in its tree', () => {
  const folders = [...new Set([...new Glob('*/*/**').scanSync(join(root, 'src'))].map(dirname))]
  expect(folders.length).toBeGreaterThan(20)
  const rows = text.match(/^ {2}[a-z-]+\/ .*/gm) ?? []
  const isNamed = (folder: string) =>
    rows.some((row) => row.trim().startsWith(`${dirname(folder)}/`) && row.includes(` ${basename(folder)}/`))
  expect(folders.filter((folder) => !isNamed(folder))).toEqual([])
})

test('docs/architecture.md is read in twenty minutes, at 4,000 words', () => {
  expect(text.match(/\S+/g)?.length).toBeLessThanOrEqual(4000)
})
