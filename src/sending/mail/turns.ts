import { semaphore } from '../../base/semaphore.ts'
import type { OpenWay } from './way.ts'

/**
 * Mails under way at once, and ways whose connections stay open, of all senders of this process and by all ways: each takes
 * up to 0.4 MB with TLS.
 */
export const maxOpen = 12

const all = semaphore({ room: maxOpen })
/** How many mails are under way by each that may have connections. The one that was used last is the last. */
const open = new Map<OpenWay, number>()

/**
 * Lets a way send in turn. Two of its mails are under way at once, so that others go on while it hangs; of those with
 * attachments, which may take long and are in memory three times over, one. Where more ways have connections than may, those
 * that were not used for longest end theirs.
 */
export const inTurn = (way: OpenWay): OpenWay => {
  const usual = semaphore({ room: 2 })
  const withAttachments = semaphore({ room: 1 })

  const count = (by: number): void => {
    const underWay = (open.get(way) ?? 0) + by
    open.delete(way)
    open.set(way, underWay)
  }

  return {
    ...way,
    send(parcel, signal) {
      const own = parcel.attachments.length > 0 ? withAttachments : usual
      const send = async () => {
        count(1)
        endRested()
        try {
          return await way.send(parcel, signal)
        } finally {
          count(-1)
        }
      }
      return entered(own, signal, () => entered(all, signal, send))
    },
    close() {
      open.delete(way)
      way.close()
    },
  }
}

const endRested = (): void => {
  for (const [way, underWay] of open) {
    if (open.size <= maxOpen) return
    if (underWay > 0) continue
    open.delete(way)
    way.rest()
  }
}

/** Does some work when its turn comes, if that is before the signal. */
const entered = async <T>(
  { enter }: ReturnType<typeof semaphore>,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> => {
  const entering = enter()
  try {
    await orAborted(entering, signal)
    return await work()
  } finally {
    // Also of one that no longer waits, when its turn comes.
    entering.then((leave) => leave())
  }
}

/** What it resolves to, if that is before the signal. */
export const orAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
