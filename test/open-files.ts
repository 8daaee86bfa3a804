import { readdirSync, readlinkSync } from 'node:fs'

/** The paths below the folder that this process has open, on Linux. Removed files have ` (deleted)` behind theirs. */
export const openFiles = (folder: string): string[] =>
  readdirSync('/proc/self/fd')
    .flatMap((number) => {
      try {
        return [readlinkSync(`/proc/self/fd/${number}`)]
      } catch {
        return []
      }
    })
    .filter((path) => path.startsWith(folder))
