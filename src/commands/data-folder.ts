import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { userReads } from '../accounts/users/user-reads.ts'
import { lazily } from '../base/lazily.ts'
import { cannot, failureOfMachine, OperatorError } from '../base/operator-errors.ts'
import type { ClusterConfig } from '../config/cluster.ts'
import { asOwner, type FormTo } from '../forms/access.ts'
import { formReader } from '../forms/form.ts'
import { addressReader } from '../forms/remembered-forms.ts'
import { refuseIfClustered } from '../storage/cluster/position.ts'
import { joinDataFolder } from '../storage/data-folder.ts'
import { lookAt } from '../storage/files.ts'
import type { FolderLock } from '../storage/folder-lock.ts'
import { type Connection, connect, connectToRead, type Db, dataFile } from '../storage/open.ts'
import { openSnapshot } from '../storage/snapshot.ts'
import { type InputOf, type ResultOf, runCommand } from '../storage/writer/batch.ts'
import type { Writes } from '../upkeep/all-writes.ts'
import { showStep } from '../upkeep/backups/progress.ts'
import type { Flags } from './command.ts'
import { configFor } from './flags.ts'

/**
 * Opens the data folder for a command that reads. A server may be using it. `work` sees one state of the file.
 *
 * @throws OperatorError if there is no data, rather than creating an empty folder for a mistyped name
 */
export const withDataFolder = <T>(flags: Flags, work: (db: Db) => T): Promise<T> =>
  whileJoined(folderWithData(flags), (folder) =>
    whileOpen(connectToRead(folder), async (db) => db.$client.transaction(() => work(db))()),
  )

/** Reads one state of the data, however long that takes. It keeps neither a server nor another command from writing. */
export const withSnapshot = <T>(flags: Flags, work: (db: Db) => Promise<T>): Promise<T> =>
  whileJoined(folderWithData(flags), async (folder) => {
    const snapshot = openSnapshot(folder)
    try {
      return await work(snapshot.db)
    } finally {
      snapshot.close(true)
    }
  })

/** Executes one of the service's writes, in its own transaction. In a cluster, all machines execute it. */
type Write = <Name extends keyof Writes>(name: Name, input: InputOf<Writes[Name]>) => Promise<ResultOf<Writes[Name]>>

interface Writable {
  readonly db: Connection
  readonly write: Write
}

/** Opens the folder for a command that writes. A running server can write between two of its writes. */
export const withWrites = async <T>(flags: Flags, work: (data: Writable) => Promise<T>): Promise<T> => {
  folderWithData(flags)
  return await withNewWrites(flags, work)
}

/**
 * Opens the folder for a command that writes and may run first: creates the folder if it is missing, and says so, because
 * it is often another one than that of the server.
 */
export const withNewWrites = async <T>(flags: Flags, work: (data: Writable) => Promise<T>): Promise<T> => {
  const { dataFolder, cluster } = configFor(flags)
  const hadData = existsSync(dataFile(dataFolder))
  const result = await whileJoined(dataFolder, (folder) =>
    whileOpen(connect(folder), async (db) =>
      cluster
        ? withClusterWrites(cluster, folder, (write) => work({ db, write }))
        : work({ db, write: await writeAlone(db) }),
    ),
  )
  if (!hadData) process.stderr.write(`formbox: there was no data yet in ${resolve(dataFolder)}\n`)
  return result
}

interface Open {
  readonly db: Connection
  readonly folder: string
  /** Null on a standalone machine, where `work` begins its own transactions. */
  readonly write: Write | null
  /** On a standalone machine, executes one of the service's writes in its own transaction. */
  readonly writeHere: Write
}

/** Opens the folder for long work, which takes turns with other writers. */
export const withConnection = <T>(flags: Flags, work: (data: Open) => Promise<T>): Promise<T> => {
  const { cluster } = configFor(flags)
  return whileJoined(folderWithData(flags), (folder) =>
    whileOpen(connect(folder), (db) => {
      if (cluster) return withClusterWrites(cluster, folder, (write) => work({ db, folder, write, writeHere: write }))
      refuseIfClustered(db)
      // Hardly any import needs what is loaded with it.
      const alone = lazily(() => writeAlone(db))
      return work({ db, folder, write: null, writeHere: async (name, input) => (await alone())(name, input) })
    }),
  )
}

const folderWithData = (flags: Flags): string => {
  const { dataFolder } = configFor(flags)
  findData(dataFolder, `open the data file ${dataFile(dataFolder)}`)
  return dataFolder
}

/**
 * @param what the action that needs the data, such as `back up ./formbox-data/formbox.db`
 * @throws OperatorError if there is no data, or this user may not see it. Usually the command runs in another folder
 *   than the server, or without `sudo`.
 */
export const findData = (folder: string, what: string): void => {
  if (!lookAt(dataFile(folder), what)) throw cannot(what, 'it does not exist; use --data to name another data folder')
}

const whileJoined = async <T>(folder: string, work: (folder: string) => Promise<T>): Promise<T> => {
  let lock: FolderLock | undefined
  try {
    lock = joinDataFolder(folder, showStep)
    return await work(folder)
  } catch (error) {
    const failure = failureOfMachine(error)
    throw failure ? cannot(`use the data file ${dataFile(folder)}`, failure) : error
  } finally {
    lock?.release()
  }
}

const whileOpen = async <T>(db: Connection, work: (db: Connection) => Promise<T>): Promise<T> => {
  try {
    return await work(db)
  } finally {
    db.$client.close()
  }
}

const writeAlone = async (db: Connection): Promise<Write> => {
  refuseIfClustered(db)
  const { joinWrites } = await import('../upkeep/all-writes.ts')
  const writes = joinWrites(db)
  return async (name, input) =>
    db.$client.transaction(() => runCommand(writes, name, input)).immediate() as ResultOf<Writes[typeof name]>
}

const withClusterWrites = async <T>(
  cluster: ClusterConfig,
  folder: string,
  work: (write: Write) => Promise<T>,
): Promise<T> => {
  const { openCommandWrites } = await import('../storage/cluster/command-writes.ts')
  const { joinWrites } = await import('../upkeep/all-writes.ts')
  const writes = await openCommandWrites({ cluster, folder, joinCommands: joinWrites })
  return await work(writes.run as Write).finally(writes.close)
}

/** @throws OperatorError if no user has this address */
export const existingUser = (db: Db, email: string) => {
  const user = userReads(db).findUser(email)
  if (!user) throw new OperatorError(`there is no user ${email}; see formbox user list`)
  return user
}

/**
 * @param name its identifier or its address
 * @throws OperatorError if there is no such form
 */
export const existingForm = (db: Db, name: string): FormTo<'delete'> => {
  const read = formReader(db)
  const form = read(name) ?? read(addressReader(db)(name) ?? '')
  if (!form) throw new OperatorError(`there is no form ${JSON.stringify(name)}; see formbox form list`)
  return asOwner(form)
}
