import { setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import { dataFile } from '../../storage/open.ts'
import { partialFile, removePartial } from '../../storage/partial-file.ts'

interface BackupOptions {
  readonly folder: string
  readonly target: string
  readonly isReplacing: boolean
}

/** A command in another process without a terminal, so that this one can go on to answer requests or show the progress. */
interface CopyingChild {
  /** The file that grows while the copy is made. */
  readonly partial: string
  /** Resolves with null when the copy is complete, or with the reason why it failed; then nothing is left of it. */
  readonly ended: Promise<string | null>
  /** Resolves with the output of the process, when it has ended. */
  readonly printed: Promise<string>
  /** Resolves with its standard error, when it has ended: the reason, or a warning if it succeeded. */
  readonly said: Promise<string>
  cancel(): void
}

/** Also used for what `server/cluster-copy` hands to another machine, which restores it. */
export const startBackup = ({ folder, target, isReplacing }: BackupOptions): CopyingChild => {
  const child = startCopying(['backup', resolve(target), ...(isReplacing ? ['--force'] : [])], folder, resolve(target))
  giveWay(child.processId)
  return child
}

interface UploadOptions {
  readonly folder: string
  /** The backup. */
  readonly file: string
  /** Target as an `s3://` URL. The environment has the keys. */
  readonly url: string
  /** Number of backups that stay there; 0 for all. */
  readonly keep: number
}

/** An upload of a backup in another process. It is not started again if it ends early. */
export const startUpload = ({ folder, file, url, keep }: UploadOptions): Omit<CopyingChild, 'partial'> => {
  const child = startCopying(['backup', url, '--from', resolve(file), '--keep', String(keep), '--force'], folder, file)
  giveWay(child.processId)
  return child
}

export const startRestore = ({ folder, backup }: { folder: string; backup: string }): CopyingChild =>
  startCopying(['restore', resolve(backup)], folder, dataFile(folder))

const startCopying = (words: readonly string[], folder: string, target: string) => {
  const child = Bun.spawn([...ownCommand(), ...words, '--data', folder], {
    env: process.env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const partial = partialFile(target, child.pid)
  const printed = new Response(child.stdout).text()
  const said = new Response(child.stderr).text().then((text) => text.trim().replace(/^formbox: /, ''))
  const end = async (): Promise<string | null> => {
    await said
    if ((await child.exited) === 0) return null
    removePartial(partial)
    return (await said) || `its process ended with ${child.signalCode ?? child.exitCode}`
  }
  return { partial, ended: end(), printed, said, processId: child.pid, cancel: () => child.kill('SIGKILL') }
}

/** Words that start this program: the executable, or Bun with the sources. */
const ownCommand = (): string[] =>
  Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, join(import.meta.dir, '../../main.ts')]

/** Gives the server's requests priority on a machine without a free core. */
const giveWay = (processId: number): void => {
  try {
    setPriority(processId, 10)
  } catch {
    // The process has ended already, or the system does not allow it.
  }
}
