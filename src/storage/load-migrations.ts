import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Migration {
  readonly name: string
  readonly sql: string
}

/** A macro: the bundler runs it and puts its result into the executable. */
export const loadMigrations = (): Migration[] => {
  const folder = join(import.meta.dir, '../../drizzle')
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  return files.sort().map((file) => ({ name: file.slice(0, -4), sql: readFileSync(join(folder, file), 'utf8') }))
}
