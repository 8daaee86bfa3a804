import { parseConfig } from '../config.ts'
import { connect, type Db, prepareDataFolder } from '../db/open.ts'
import type { Flags } from './flags.ts'
import { settingFlags } from './setting-flags.ts'

/** Opens the data folder for one command; a server may be running on it. What `work` writes is one transaction. */
export const withDataFolder = <T>(flags: Flags, work: (db: Db) => T): T =>
  withTransactions(flags, (transact) => transact(work))

/** The same for work in several transactions, between which a running server gets its turn. */
export const withTransactions = <T>(flags: Flags, work: (transact: <R>(step: (db: Db) => R) => R) => T): T => {
  const { dataFolder } = parseConfig(process.env, settingFlags(flags))
  prepareDataFolder(dataFolder)
  const db = connect(dataFolder)
  try {
    return work((step) => db.$client.transaction(() => step(db)).immediate())
  } finally {
    db.$client.close()
  }
}
