import { readFileSync } from 'node:fs'
import { sha256 } from '../../base/hash.ts'

/** A macro: the bundler writes the hash of the file into the executable, which need not read 2 MB for it. */
export const hashOf = (specifier: string): string => {
  const path = Bun.resolveSync(specifier, import.meta.dir)
  return sha256(readFileSync(path), 'hex').slice(0, 12)
}
