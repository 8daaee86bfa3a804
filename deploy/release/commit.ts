import { execFileSync } from 'node:child_process'

/** What is released: everything in a release that tells a time or an identity takes it from here, never from the clock. */
export interface Commit {
  readonly hash: string
  /** When it was committed, Unix time in seconds. */
  readonly time: number
}

/** @throws Error when the files are not those of the commit: such a release could not be built again. */
export const readCommit = (root: string): Commit => {
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain')
  if (changed !== '') throw new Error(`a release is of one commit, commit or remove these first:\n${changed}`)
  const [hash = '', time] = git('log', '-1', '--format=%H %ct').split(' ')
  return { hash, time: Number(time) }
}
