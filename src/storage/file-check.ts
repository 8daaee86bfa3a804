import { type BigIntStats, closeSync, openSync, readlinkSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute } from 'node:path'
import { toStamp } from './backup-names.ts'
import { beginsAsDatabase } from './examine-database.ts'
import { sizeOf, syncToDisk } from './files.ts'
import { dataFile } from './open.ts'
import type { Reader } from './reader.ts'

/** What an operator did to the data file under a server: put another in its place or over it, removed it, or its log. */
type Loss = 'replaced' | 'missing' | 'no log'

export interface FileCheck {
  /**
   * Whether the paths of the data file, its log and the index of that still lead to the files that this process has open.
   * SQLite looks at none of them after it has opened them, and would go on writing to a file that has no name any more.
   */
  isWhole(): boolean
  /**
   * As `isWhole`, but looks at log and index only ten times a second: what is in a removed log is saved when the removal is
   * noticed. It takes 2 µs and no memory. With all paths looked at for each batch, a single connection sent a tenth less.
   */
  isKept(): boolean
  /**
   * Whether the data file is another one or missing. Then no connection may be closed, also not by the end of the process:
   * SQLite would move its log into what was copied over the file, and remove the log of a file that was put in its place.
   */
  isGone(): boolean
  /** To be called after the connections are closed, because the process loses its locks on the file with it. */
  close(): void
}

/**
 * To be called when the file has been opened. If the file was replaced, its log is renamed when that is noticed: SQLite would
 * join it with whatever file is beside it, at the next start or in a command.
 *
 * @param onLoss called once for each loss, with one line that says what happened and what to do. All but a replaced file
 *   may be put back
 */
export const openFileCheck = (
  { folder, hasMoved }: { readonly folder: string } & Pick<Reader, 'hasMoved'>,
  onLoss: (loss: Loss, line: string) => void,
): FileCheck => {
  const path = dataFile(folder)
  const place = followLinks(path)
  const [log, index] = [`${place}-wal`, `${place}-shm`]
  // It stays open: to close it ends all locks of this process on the file (https://www.sqlite.org/howtocorrupt.html, 2.2).
  const descriptor = openSync(path, 'r')
  const opened = new Map([path, log, index].map((each) => [each, lookAt(each)]))
  const isOwnHeader = openHeader(descriptor)
  isOwnHeader()
  let state: Loss | 'whole' = 'whole'
  let lookedAt = Number.NEGATIVE_INFINITY
  let isClosed = false

  const isOwn = (each: string, found = lookAt(each)): boolean => {
    const own = opened.get(each)
    // SQLite makes log and index with the first read or write, which on a machine of a cluster comes later.
    if (!own) opened.set(each, found)
    return own === undefined || (found?.ino === own.ino && found.dev === own.dev)
  }

  const look = (): typeof state => {
    if (state === 'replaced' || isClosed) return state
    lookedAt = performance.now()
    const found = lookAt(path)
    if (!found)
      return turn('missing', () => [path, 'removed or moved', 'put it back, or stop the server and restore a backup'])
    if (!isOwn(path, found) || !isOwnHeader())
      return turn('replaced', () => [
        path,
        'replaced',
        `stop it, then restore a backup, or start with this file${moveLogAway()}`,
      ])
    const lost = [log, index].find((each) => !isOwn(each))
    if (lost !== undefined) return turn('no log', () => [lost, 'removed', 'restart the server'])
    state = 'whole'
    return state
  }

  const turn = (loss: Loss, describe: () => [path: string, event: string, advice: string]): Loss => {
    if (state === loss) return loss
    state = loss
    const [lost, event, advice] = describe()
    onLoss(loss, `${lost} was ${event} while the server was running, so nothing is saved; ${advice}`)
    return loss
  }

  /** Returns the end of the line. */
  const moveLogAway = (): string => {
    const kept = `${place}.replaced-${toStamp(Date.now())}-wal`
    try {
      const own = [log, index].filter((each) => opened.get(each) !== undefined && isOwn(each))
      const isKept = own.includes(log) && sizeOf(log) > 0
      if (isKept) renameSync(log, kept)
      for (const each of own) rmSync(each, { force: true })
      syncToDisk(dirname(place))
      return isKept ? `; the log of the old file is kept in ${kept}` : ''
    } catch {
      return `; remove ${basename(log)} first, which belongs to the old file`
    }
  }

  return {
    isWhole: () => look() === 'whole',
    isKept() {
      const isQuick = state === 'whole' && performance.now() - lookedAt < betweenLooks
      return (isQuick && !hasMoved() && isOwnHeader()) || look() === 'whole'
    },
    isGone: () => ['missing', 'replaced'].includes(look()),
    close() {
      isClosed = true
      closeSync(descriptor)
    },
  }
}

/**
 * The path of a file itself, beside which SQLite keeps its log, if the path is a symbolic link. Not by `realpathSync`: Bun
 * asks `/proc` for that, which a root folder of its own may lack.
 */
const followLinks = (path: string): string => {
  let link: string
  try {
    link = readlinkSync(path)
  } catch {
    return path
  }
  // Not `join`, for which `..` leads out of the link to a folder instead of its target.
  return followLinks(isAbsolute(link) ? link : `${dirname(path)}/${link}`)
}

/** Undefined if there is nothing, or nothing that can be looked at. */
const lookAt = (path: string): BigIntStats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true })
  } catch {
    return undefined
  }
}

/** Milliseconds between two looks at the log. */
const betweenLooks = 100

const headerBytes = 100

/**
 * Notices that another database was copied over the file, which stays the same file for the system. SQLite counts the
 * changes of the first page in the header (https://www.sqlite.org/fileformat2.html, 1.3.7), so the count never falls; in a
 * backup it is 1. The number of the file tells it from those of other servers (see `data-folder.ts`).
 */
const openHeader = (descriptor: number): (() => boolean) => {
  const bytes = Buffer.alloc(headerBytes)
  let [changes, number] = [0, 0]
  return () => {
    const isRead = readSync(descriptor, bytes, 0, headerBytes, 0) === headerBytes
    const [newChanges, newNumber] = [bytes.readUInt32BE(24), bytes.readUInt32BE(68)]
    if (isRead && newChanges === changes && newNumber === number) return true
    const isDatabase = isRead && beginsAsDatabase(bytes)
    if (!isDatabase || newChanges < changes || (number !== 0 && newNumber !== number)) return false
    ;[changes, number] = [newChanges, newNumber]
    return true
  }
}
