import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The name of the copy that is made before a migration: `formbox.db.before-0003_tags`. */
export const upgradeCopy = (path: string, migration: string): string => `${path}.before-${migration}`

/**
 * Removes the copies of earlier upgrades, except the one before this: each is as large as the data file, and nobody would
 * look for them. Two are kept, for an operator who upgrades twice before a fault is noticed. The order is that of the
 * names, because a file's time may change when it is copied to another machine.
 */
export const removeOlderCopies = (copy: string): void => {
  const folder = dirname(copy)
  const own = /^formbox\.db\.before-\d{4}_\w+$/
  const others = readdirSync(folder).filter((name) => own.test(name) && name !== basename(copy))
  for (const name of others.sort().slice(0, -1)) rmSync(join(folder, name))
}
