import { Database } from 'bun:sqlite'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { backupTime } from './names.ts'

/**
 * How far the newest of the server's own backups in a data folder has executed the log of its cluster: the number of the
 * row; 0 if there is no backup. Each backup is opened once.
 */
export const backedUpReader = (folder: string): (() => number) => {
  let newest = ''
  let seq = 0
  return () => {
    const name = newestBackup(join(folder, 'backups'))
    if (name === newest) return seq
    seq = name === '' ? 0 : readSeq(join(folder, 'backups', name))
    newest = name
    return seq
  }
}

const newestBackup = (folder: string): string => {
  const names = existsSync(folder) ? readdirSync(folder) : []
  return (
    names
      .filter((name) => backupTime(name) !== undefined)
      .sort()
      .at(-1) ?? ''
  )
}

/** A backup of an earlier version, or one that is damaged, is none to restore from. */
const readSeq = (path: string): number => {
  try {
    const db = new Database(path, { readonly: true })
    try {
      return db.query<{ seq: number }, []>('SELECT seq FROM log_position').get()?.seq ?? 0
    } finally {
      db.close()
    }
  } catch {
    return 0
  }
}
