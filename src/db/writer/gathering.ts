interface Options {
  readonly queued: () => number
  readonly send: () => void
}

/**
 * If commits take long, because the disk is slow or the machine is busy, the next batch waits for more commands: as long
 * as they keep coming, but at most a quarter of the time that the last commit took. Clients that are answered together
 * send their next requests together, but not at the same instant. With an fsync of 20 ms, they fell into two halves, and
 * each half waited for the commit of the other.
 */
const gatherShare = 0.25
const maxGatherMilliseconds = 10

/** Decides when the queued commands are sent as one batch. */
export const createGathering = ({ queued, send }: Options) => {
  let isGathering = false
  let commitMilliseconds = 0

  const longestWait = (): number => Math.min(commitMilliseconds * gatherShare, maxGatherMilliseconds)
  const waitsForMore = (): boolean => longestWait() >= 1

  /** Sends the queued commands when no more of them come: on a fast disk, in this turn of the event loop. */
  const begin = (): void => {
    if (isGathering) return
    isGathering = true
    if (waitsForMore()) setTimeout(lookAgain, 1, performance.now() + longestWait(), queued())
    else setImmediate(end)
  }

  const lookAgain = (endAt: number, seen: number): void => {
    if (queued() === seen || performance.now() >= endAt) end()
    else setTimeout(lookAgain, 1, endAt, queued())
  }

  const end = (): void => {
    isGathering = false
    send()
  }

  return {
    begin,
    /** The same after a commit, for the commands that were queued in the meantime. */
    beginNext(milliseconds: number): void {
      commitMilliseconds = milliseconds
      if (!waitsForMore()) send()
      else if (queued() > 0) begin()
    },
  }
}
