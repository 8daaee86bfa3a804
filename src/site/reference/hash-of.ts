import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** A macro: the bundler writes the hash of the file into the executable, which need not read 2 MB for it. */
export const hashOf = (specifier: string): string => {
  const path = Bun.resolveSync(specifier, import.meta.dir)
  return createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 12)
}
