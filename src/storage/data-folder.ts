import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { cannot } from '../base/operator-errors.ts'
import { copyDatabase } from './copy-database.ts'
import { type Depth, type Examined, examine, refuseLoneLog } from './examine-database.ts'
import { createFile, makeFolder } from './files.ts'
import { type FolderLock, joinFolder, lockFolder, wasLocked } from './folder-lock.ts'
import { requireFreeForUpgrade, requireFreeToGrow } from './free-disk.ts'
import type { Migration } from './load-migrations.ts'
import { lockFault } from './lock-fault.ts'
import { migrate } from './migrations.ts'
import { connect, dataFile } from './open.ts'
import { removeAbandoned } from './partial-file.ts'

/** How long a command waits for another one to upgrade the file. */
const upgradeTimeoutMilliseconds = 1000

/**
 * Prepares the data folder for a server: makes it if it is missing, locks it against other servers and upgrades its file.
 *
 * @param waitMilliseconds as of `lockFolder`
 * @throws OperatorError with one line for the operator; the file is then unchanged, to the byte.
 */
export const openDataFolder = (folder: string, onStep?: OnStep, waitMilliseconds?: number): FolderLock => {
  makeAndRecognise(folder)
  const lock = lockFolder(folder, waitMilliseconds)
  try {
    // Left by a restore that was killed.
    removeAbandoned(dataFile(folder), true)
    prepareDataFolder(folder, { lock, onStep })
    return lock
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Prepares the data folder for a command, which may run beside a server: makes it if it is missing, keeps restores out
 * and upgrades its file.
 *
 * @throws OperatorError as above.
 */
export const joinDataFolder = (folder: string, onStep?: OnStep): FolderLock => {
  makeAndRecognise(folder)
  const lock = joinFolder(folder)
  try {
    prepareDataFolder(folder, { onStep })
    return lock
  } catch (error) {
    lock.release()
    throw error
  }
}

interface PrepareOptions {
  /** The server's, if the caller holds it. Without it, the folder is locked here while data is upgraded. */
  readonly lock?: FolderLock
  readonly list?: readonly Migration[]
  readonly onStep?: OnStep | undefined
}

/** Called before each step that may take minutes, as copying takes 2.6 s a GB, and with null when it is done. */
type OnStep = (step: string | null) => void

/**
 * Makes the data folder and its file if they are missing, both for their owner only, and upgrades the schema. Before
 * data is migrated, a copy of the file is put beside it: `formbox.db.before-` and the first migration's name.
 *
 * @throws OperatorError as above.
 */
export const prepareDataFolder = (folder: string, { lock, list, onStep }: PrepareOptions = {}): void => {
  const { missing, hasTables } = makeAndExamine(folder, lock ? 'small' : 'none', list)
  if (missing.length === 0) return
  // A server of another version must not find the schema changed while it runs. A new file has no server.
  const ownLock = lock || !hasTables ? undefined : lockFolder(folder, upgradeTimeoutMilliseconds)
  try {
    upgrade(folder, list, hasTables ? onStep : undefined)
  } finally {
    ownLock?.release()
  }
}

/**
 * Before the lock, which is a file: nothing is put into a folder that turns out to belong to something else. Where there
 * is a lock, one look at the file under it is enough.
 */
const makeAndRecognise = (folder: string): void => {
  makeFolder(folder)
  if (!wasLocked(folder)) makeAndExamine(folder, 'none')
}

/** Makes the folder and its file if they are missing, and checks what is in the file. */
const makeAndExamine = (folder: string, depth: Depth, list?: readonly Migration[]): Examined => {
  makeFolder(folder)
  const path = dataFile(folder)
  try {
    refuseLoneLog(path)
    createFile(path)
    return examine(path, depth, list)
  } catch (error) {
    throw lockFault(folder, error) ?? cannot(`open the data file ${path}`, error)
  }
}

const upgrade = (folder: string, list: readonly Migration[] | undefined, onStep: OnStep = () => {}): void => {
  const path = dataFile(folder)
  // Checked again: another process may have been faster.
  const { missing, hasTables } = makeAndExamine(folder, 'none', list)
  const [first] = missing
  if (!first) return
  const db = connect(folder)
  try {
    if (hasTables) requireFreeForUpgrade(db.$client, missing)
    // Replaces the copy of an earlier attempt, so that a start that is tried again and again does not fill the disk.
    onStep(`copying ${path} before it is upgraded`)
    const copy = upgradeCopy(path, first.name)
    if (hasTables) copyDatabase(db.$client, copy, { isReplacing: true })
    onStep(`upgrading ${path}`)
    migrate(db.$client, list, requireFreeToGrow)
    // Tells the file from those of other servers (see `file-check.ts`). Its backups have the same number.
    if (!hasTables) db.$client.run(`PRAGMA application_id = ${crypto.getRandomValues(new Int32Array(1))[0]}`)
    // It is as large as all that was rewritten, and writes that come now would wait until it is moved.
    db.$client.run('PRAGMA wal_checkpoint(TRUNCATE)')
    if (hasTables) removeOlderCopies(copy)
  } catch (error) {
    throw cannot(`upgrade the data file ${path}`, error)
  } finally {
    onStep(null)
    db.$client.close()
  }
}

/** The name of the copy that is made before a migration: `formbox.db.before-0003_tags`. */
const upgradeCopy = (path: string, migration: string): string => `${path}.before-${migration}`

/**
 * Removes the copies of earlier upgrades, except the one before this: each is as large as the data file, and no one would
 * look for them. Two are kept, for an operator who upgrades twice before a fault is noticed. The order is that of the
 * names, because a file's time may change when it is copied to another machine.
 */
const removeOlderCopies = (copy: string): void => {
  const folder = dirname(copy)
  const own = /^formbox\.db\.before-\d{4}_\w+$/
  const others = readdirSync(folder).filter((name) => own.test(name) && name !== basename(copy))
  for (const name of others.sort().slice(0, -1)) rmSync(join(folder, name))
}
