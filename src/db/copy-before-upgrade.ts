import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Where the copy is put that is made before a migration: `formbox.db.before-0003_tags`. */
export const upgradeCopy = (path: string, migration: string): string => `${path}.before-${migration}`

/**
 * Removes the copies of earlier upgrades but the one before this: each is as large as all data, and nobody would look
 * for them. Two stay, for whoever upgrades twice before a fault shows. Names tell the order, as a file's time does not
 * survive being copied to another machine.
 */
export const removeOlderCopies = (copy: string): void => {
  const folder = dirname(copy)
  const own = /^formbox\.db\.before-\d{4}_\w+$/
  const others = readdirSync(folder).filter((name) => own.test(name) && name !== basename(copy))
  for (const name of others.sort().slice(0, -1)) rmSync(join(folder, name))
}
