import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const named = [
  ...new Set([...text.matchAll(/`((?:src|test|drizzle)\/[\w./-]+|drizzle)`/g)].map(([, path = '']) => path)),
]

test('docs/architecture.md names files that exist', () => {
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})
