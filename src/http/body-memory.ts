import { type AppError, unavailable } from '../base/errors.ts'

/** Memory shared by all bodies of one kind. */
export interface BodyMemory {
  /**
   * Opens a share for one body. `giveUp` is called if the body has to make room for another, after its memory was
   * released.
   *
   * @throws AppError `unavailable` if there is no room to start with, so nothing is read in vain
   */
  open(owner: string, giveUp: (error: AppError) => void): BodyShare
}

/** The memory of one body. */
export interface BodyShare {
  /**
   * Adds bytes that have arrived. A negative number takes those away that were passed on: what is left arrived last.
   *
   * @throws AppError `unavailable` if there is no room; then nothing is added
   */
  hold(bytes: number): void
  /**
   * Call and await this when the body is complete. After that the share need not make room for others, and the body may be
   * parsed: each in a turn of the event loop of its own.
   */
  finish(): Promise<void>
  release(): void
}

interface Limits {
  readonly maxBytes: number
  /** Share of one owner: a user or an address. */
  readonly maxBytesOfOwner: number
  /** Average time for which a body may hold its bytes if others need the room. */
  readonly maxSeconds: number
  /** Milliseconds since any fixed moment. */
  readonly now?: () => number
}

interface Share {
  readonly owner: string
  readonly giveUp: (error: AppError) => void
  bytes: number
  /** Sum of the moments at which its bytes arrived, one for each byte. It gives the total time they have been held. */
  moments: number
  isFinished: boolean
}

/** To parse and store a megabyte of JSON takes up to 70 ms. 16 that were complete at once kept others waiting for a second. */
let lastTurn = Promise.resolve()
const ownTurn = (): Promise<void> => {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)))
  return lastTurn
}

const retryAfterSeconds = 5
/** Must be free before a body is read. */
const firstBytes = 64 * 1024

/**
 * Bytes count when they arrive, so a body that is announced but not sent takes no room from others.
 *
 * If there is no room, in the owner's share or in the whole, one body has to make room and is answered with 503. If the
 * bytes of a body are older than `maxSeconds` on average, it is the one with the most bytes times age. Otherwise it is
 * the one that started last, which may be the one that asks for room. So when many bodies arrive together, the first
 * ones succeed, instead of each holding a part. And a stalled body is dropped as soon as others need its room.
 *
 * An attacker who wants to lock others out needs enough addresses or users to fill the whole, and has to send it all
 * again every `maxSeconds`. With 64 MiB, 16 MiB for an owner and 8 seconds, that is 4 addresses and 8 MiB a second.
 */
export const createBodyMemory = (limits: Limits): BodyMemory => {
  const { maxBytes, maxBytesOfOwner, maxSeconds, now = () => performance.now() } = limits
  // Oldest first.
  const shares = new Set<Share>()
  const bytesOfOwners = new Map<string, number>()
  let heldBytes = 0

  const count = (share: Share, bytes: number): void => {
    share.bytes += bytes
    heldBytes += bytes
    const ofOwner = (bytesOfOwners.get(share.owner) ?? 0) + bytes
    if (ofOwner > 0) bytesOfOwners.set(share.owner, ofOwner)
    else bytesOfOwners.delete(share.owner)
  }

  const release = (share: Share): void => {
    if (shares.delete(share)) count(share, -share.bytes)
  }

  /** @param owner the owner of the body to choose; null for any owner */
  const whoGivesWay = (asking: Share, owner: string | null): Share => {
    const candidates = [...shares].filter(
      (share) =>
        share === asking || (share.bytes > 0 && !share.isFinished && (owner === null || share.owner === owner)),
    )
    const overdue = findMostOverdue(candidates, now(), maxSeconds)
    // A body that is just starting is not in `shares` yet.
    const last = shares.has(asking) ? candidates.at(-1) : undefined
    return overdue ?? last ?? asking
  }

  const makeRoom = (asking: Share, bytes: number): void => {
    while ((bytesOfOwners.get(asking.owner) ?? 0) + bytes > maxBytesOfOwner) endOne(asking, asking.owner)
    while (heldBytes + bytes > maxBytes) endOne(asking, null)
  }

  const endOne = (asking: Share, owner: string | null): void => {
    const share = whoGivesWay(asking, owner)
    if (share === asking) throw unavailable(retryAfterSeconds)
    release(share)
    share.giveUp(unavailable(retryAfterSeconds))
  }

  return {
    open(owner, giveUp) {
      const share: Share = { owner, giveUp, bytes: 0, moments: 0, isFinished: false }
      makeRoom(share, firstBytes)
      shares.add(share)
      return {
        hold(bytes) {
          // It had to make room, and its memory was released.
          if (!shares.has(share)) throw unavailable(retryAfterSeconds)
          makeRoom(share, bytes)
          count(share, bytes)
          share.moments = bytes < 0 ? share.bytes * now() : share.moments + bytes * now()
        },
        finish() {
          share.isFinished = true
          return ownTurn()
        },
        release: () => release(share),
      }
    },
  }
}

/** The body with the most bytes times age, among those whose bytes are too old on average. */
const findMostOverdue = (shares: readonly Share[], moment: number, maxSeconds: number): Share | undefined => {
  let found: Share | undefined
  let most = 0
  for (const share of shares) {
    const held = share.bytes * moment - share.moments
    if (held <= most || held <= share.bytes * maxSeconds * 1000) continue
    found = share
    most = held
  }
  return found
}
