import { type AppError, unavailable } from '../errors.ts'

/** Memory that the bodies of one kind share. */
export interface BodyMemory {
  /**
   * For one body. `giveUp` is called when it has to give way to another: by then it holds nothing.
   *
   * @throws AppError `unavailable` when there is no room to begin with, so that no part of a body is read in vain
   */
  open(owner: string, giveUp: (error: AppError) => void): BodyShare
}

/** What one body holds of it. */
export interface BodyShare {
  /** @throws AppError `unavailable` when there is no room; then nothing more is held */
  hold(bytes: number): void
  /** To be called when the body is all there, and waited for: meanwhile it holds what it has, and gives way no more. */
  finish(): Promise<void> | undefined
  release(): void
}

interface Limits {
  readonly maxBytes: number
  /** Of one owner: a user, or an address. */
  readonly maxBytesOfOwner: number
  /** So long may the bytes of a body be held on average where others need their room. */
  readonly maxSeconds: number
  /** Milliseconds, from any moment on. */
  readonly now?: () => number
}

interface Share {
  readonly owner: string
  readonly giveUp: (error: AppError) => void
  bytes: number
  /** The sum over its bytes of the moment at which each came: with it the time they were held is known at any moment. */
  moments: number
  isFinished: boolean
}

const retryAfterSeconds = 5
/** What has to be free where a body begins. */
const firstBytes = 64 * 1024

/**
 * Bytes are held when they come: what is announced and not sent keeps nobody out.
 *
 * Where they find no room, in the share of their owner or in all, a body gives way and is answered with 503. It is the
 * one that has held most for longest, if its bytes are older than `maxSeconds` on average; otherwise the one that began
 * last, which may be the one that asks. So the first of many that come together get through, where otherwise each would
 * hold a part, and what somebody began and does not go on with is gone as soon as others need its room.
 *
 * Who wants to keep others out needs as many addresses, or users, as there are shares of owners in the whole, and has to
 * send all of it anew every `maxSeconds`. Of 64 MiB with 16 MiB an owner and 8 seconds: 4 addresses, 8 MiB a second.
 */
export const createBodyMemory = (limits: Limits): BodyMemory => {
  const { maxBytes, maxBytesOfOwner, maxSeconds, now = () => performance.now() } = limits
  // In the order in which they began.
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

  /** @param owner of whom it has to be, null for anybody */
  const whoGivesWay = (asking: Share, owner: string | null): Share => {
    const moment = now()
    let last: Share | undefined
    let overdue: Share | undefined
    let most = 0
    for (const share of shares) {
      if (share !== asking && (share.bytes === 0 || share.isFinished || share.owner !== (owner ?? share.owner)))
        continue
      last = share
      const held = share.bytes * moment - share.moments
      if (held <= most || held <= share.bytes * maxSeconds * 1000) continue
      overdue = share
      most = held
    }
    // One that only begins is not among them yet.
    return overdue ?? (shares.has(asking) && last ? last : asking)
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
          // It had to give way, and holds nothing any more.
          if (!shares.has(share)) throw unavailable(retryAfterSeconds)
          makeRoom(share, bytes)
          count(share, bytes)
          share.moments += bytes * now()
        },
        finish() {
          share.isFinished = true
          return undefined
        },
        release: () => release(share),
      }
    },
  }
}
