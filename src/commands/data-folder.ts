import { showStep } from '../backups/progress.ts'
import { joinDataFolder } from '../db/data-folder.ts'
import { lookAt } from '../db/files.ts'
import { type Connection, connect, type Db, dataFile } from '../db/open.ts'
import { openSnapshot } from '../export/snapshot.ts'
import { cannot } from '../operator-errors.ts'
import type { Flags } from './command.ts'
import { configFor } from './setting-flags.ts'

/**
 * Opens the data folder for one command. A server may be using it. Everything that `work` writes is one transaction.
 *
 * @throws OperatorError if there is no data, rather than creating an empty folder for a mistyped name
 */
export const withDataFolder = <T>(flags: Flags, work: (db: Db) => T): T =>
  withTransactions(flags, (transact) => transact(work))

/** The same for work in several transactions. A running server can write between them. */
export const withTransactions = <T>(flags: Flags, work: (transact: Transact) => T): T => {
  const folder = folderOf(flags)
  findData(folder, `open the data file ${dataFile(folder)}`)
  return open(folder, work)
}

/**
 * @param what the action that needs the data, such as `back up ./formbox-data/formbox.db`
 * @throws OperatorError if there is no data, or this user may not see it. Usually the command runs in another folder
 *   than the server, or without `sudo`.
 */
export const findData = (folder: string, what: string): void => {
  if (!lookAt(dataFile(folder), what)) throw cannot(what, 'it does not exist; use --data to name another data folder')
}

/** The same for a command that may run first: creates the folder if it is missing. */
export const withNewDataFolder = <T>(flags: Flags, work: (db: Db) => T): T =>
  open(folderOf(flags), (transact) => transact(work))

/** As `withDataFolder`, for work that takes turns with others: it begins its transactions by itself. */
export const withConnection = <T>(flags: Flags, work: (db: Connection, folder: string) => Promise<T>): Promise<T> =>
  whileJoined(flags, async (folder) => {
    const db = connect(folder)
    try {
      return await work(db, folder)
    } finally {
      db.$client.close()
    }
  })

/** Reads one state of the data, however long that takes. It keeps neither a server nor another command from writing. */
export const withSnapshot = <T>(flags: Flags, work: (db: Db) => Promise<T>): Promise<T> =>
  whileJoined(flags, async (folder) => {
    const snapshot = openSnapshot(folder)
    try {
      return await work(snapshot.db)
    } finally {
      snapshot.close()
    }
  })

const whileJoined = async <T>(flags: Flags, work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = folderOf(flags)
  findData(folder, `open the data file ${dataFile(folder)}`)
  const lock = joinDataFolder(folder, showStep)
  try {
    return await work(folder)
  } finally {
    lock.release()
  }
}

type Transact = <R>(step: (db: Db) => R) => R

const folderOf = (flags: Flags): string => configFor(flags).dataFolder

const open = <T>(folder: string, work: (transact: Transact) => T): T => {
  const lock = joinDataFolder(folder, showStep)
  try {
    const db = connect(folder)
    try {
      return work((step) => db.$client.transaction(() => step(db)).immediate())
    } finally {
      db.$client.close()
    }
  } finally {
    lock.release()
  }
}
