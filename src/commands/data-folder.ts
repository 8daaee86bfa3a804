import { showStep } from '../backups/progress.ts'
import { lookAt } from '../db/folder.ts'
import { connect, type Db, dataFile, joinDataFolder } from '../db/open.ts'
import { cannot } from '../operator-errors.ts'
import type { Flags } from './command.ts'
import { configFor } from './setting-flags.ts'

/**
 * Opens the data folder for one command; a server may be running on it. What `work` writes is one transaction.
 *
 * @throws OperatorError where there is no data: an empty folder made for a name typed wrong would only mislead
 */
export const withDataFolder = <T>(flags: Flags, work: (db: Db) => T): T =>
  withTransactions(flags, (transact) => transact(work))

/** The same for work in several transactions, between which a running server gets its turn. */
export const withTransactions = <T>(flags: Flags, work: (transact: Transact) => T): T => {
  const folder = folderOf(flags)
  findData(folder, `open the data file ${dataFile(folder)}`)
  return open(folder, work)
}

/**
 * @param what cannot be done without data, such as `back up ./formbox-data/formbox.db`
 * @throws OperatorError where there is none, or none that this user may see: mostly the command runs in another folder
 *   than the server, or without `sudo`
 */
export const findData = (folder: string, what: string): void => {
  if (!lookAt(dataFile(folder), what)) throw cannot(what, 'it does not exist; --data names another data folder')
}

/** As `withDataFolder`, for the command that one may begin with: makes the folder where it is missing. */
export const withNewDataFolder = <T>(flags: Flags, work: (db: Db) => T): T =>
  open(folderOf(flags), (transact) => transact(work))

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
