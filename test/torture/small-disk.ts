// Disks that are soon full.
import { spawnSync } from 'node:child_process'
import { statfsSync, writeFileSync } from 'node:fs'
import { afterThisTest, temporaryFolder } from '../harness.ts'

/** A disk of so many megabytes, or null where this user may not make one. */
export const smallDisk = (megabytes: number): string | null => {
  const folder = temporaryFolder()
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]).status !== 0) return null
  afterThisTest(() => spawnSync('umount', ['--lazy', folder]))
  return folder
}

/** Gives a small disk another size, which may be less than before if its files fit. */
export const resizeDisk = (disk: string, megabytes: number): void => {
  const { status, stderr } = spawnSync('mount', ['-o', `remount,size=${megabytes}m`, disk])
  if (status !== 0) throw new Error(String(stderr))
}

/** @param file the file that takes the room @param leftBytes what stays free */
export const fillDisk = (disk: string, file: string, leftBytes = 50_000): void => {
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)))
}
