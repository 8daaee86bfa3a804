import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { minuteMilliseconds } from '../../base/durations.ts'
import { FolderLocked, lockOutCommands } from '../../storage/folder-lock.ts'
import { importTarget, removeAbandoned, targetOfPartial } from '../../storage/partial-file.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure'> {
  /** The data folder. */
  readonly folder: string
}

/**
 * Removes what killed commands have left in the data folder, such as the submissions of an import: at the start, and each
 * minute.
 */
export const removePartialFiles = ({ folder, ...options }: Options): Job =>
  createJob({
    ...options,
    task: 'remove partial files',
    async step() {
      const imports = importTarget(folder)
      if (targetsIn(folder).length > 0) removeAbandoned(imports)
      if (targetsIn(folder).includes(basename(imports))) removeOfOtherContainers(folder)
      return options.now() + minuteMilliseconds
    },
  })

const targetsIn = (folder: string): string[] => readdirSync(folder).flatMap((name) => targetOfPartial(name) ?? [])

/** Whether a process in another container is alive is not known. If no command uses the folder, no import does. */
const removeOfOtherContainers = (folder: string): void => {
  try {
    const lock = lockOutCommands(folder, 0)
    try {
      removeAbandoned(importTarget(folder), true)
    } finally {
      lock.release()
    }
  } catch (error) {
    if (!(error instanceof FolderLocked)) throw error
  }
}
