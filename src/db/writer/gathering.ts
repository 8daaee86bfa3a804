interface Options {
  readonly queued: () => number
  readonly send: () => void
}

/**
 * Where a commit takes long, because of the disk or of all else that there is to do, the next batch waits for more: for
 * as long as commands keep coming, but at most a quarter of the time that the last commit took. Clients that were
 * answered together ask again together, but not in the same instant. Where an fsync took 20 ms, they fell into two
 * halves, and each waited for the commit of the other.
 */
const gatherShare = 0.25
const maxGatherMilliseconds = 10

/** Decides when the commands that are queued are sent as one batch. */
export const createGathering = ({ queued, send }: Options) => {
  let isGathering = false
  let commitMilliseconds = 0

  const longestWait = (): number => Math.min(commitMilliseconds * gatherShare, maxGatherMilliseconds)
  const waitsForMore = (): boolean => longestWait() >= 1

  /** Sends what is queued when no more of it comes: on a fast disk, in this turn of the event loop. */
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
    /** After a commit that took so long: for the commands that were queued meanwhile. */
    beginNext(milliseconds: number): void {
      commitMilliseconds = milliseconds
      if (!waitsForMore()) send()
      else if (queued() > 0) begin()
    },
  }
}
