import { setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import { partialFile, removePartial } from '../db/copy.ts'

interface BackupOptions {
  readonly folder: string
  readonly target: string
  readonly isReplacing: boolean
}

/** A backup that another process makes, so that this one goes on answering. */
export interface BackupChild {
  /** What grows while it is made. */
  readonly partial: string
  /** Resolves with null when the backup stands, else with the reason why not; then nothing is left of it. */
  readonly ended: Promise<string | null>
  cancel(): void
}

export const startBackup = ({ folder, target, isReplacing }: BackupOptions): BackupChild => {
  const force = isReplacing ? ['--force'] : []
  const child = Bun.spawn([...ownCommand(), 'backup', resolve(target), '--data', folder, ...force], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  giveWay(child.pid)
  const partial = partialFile(resolve(target), child.pid)
  const end = async (): Promise<string | null> => {
    const said = await new Response(child.stderr).text()
    if ((await child.exited) === 0) return null
    removePartial(partial)
    return said.trim().replace(/^formbox: /, '') || `its process ended with ${child.signalCode ?? child.exitCode}`
  }
  return { partial, ended: end(), cancel: () => child.kill('SIGKILL') }
}

/** How this program is started again: the executable, or Bun with the sources. */
const ownCommand = (): string[] =>
  Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, join(import.meta.dir, '../main.ts')]

/** Requests come first on a machine that has no core to spare. */
const giveWay = (processId: number): void => {
  try {
    setPriority(processId, 10)
  } catch {
    // It has ended already, or the system does not allow it.
  }
}
