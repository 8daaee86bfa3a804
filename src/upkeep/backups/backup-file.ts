import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { backupFolder, namesIn, newestBackup } from '../../storage/backup-names.ts'

// A backup is a database in one file, as `copyDatabase` makes it.
export { beginsAsDatabase as beginsAsBackup, isDatabase as isBackup } from '../../storage/examine-database.ts'

/**
 * Reads how far the newest of the server's own backups in a data folder has executed the log of its cluster: the number
 * of the row; 0 if there is no backup. Each backup is opened once.
 */
export const backedUpReader = (folder: string): (() => number) => {
  const backups = backupFolder(folder)
  let newest: string | undefined
  let seq = 0
  return () => {
    const name = newestBackup(namesIn(backups), Date.now())
    if (name === newest) return seq
    seq = name === undefined ? 0 : readSeq(join(backups, name))
    newest = name
    return seq
  }
}

/** Returns 0 for a backup that is damaged: nothing can be restored from it. */
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
