/** A write that waits to be sent, or to be committed. */
export interface Waiting {
  readonly name: string
  readonly input: unknown
  readonly bytes: number
  /** By `performance.now()`. */
  readonly queuedAt: number
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
}

export type Queue = ReturnType<typeof createQueue>

interface Limits {
  readonly maxQueued: number
  readonly maxQueuedBytes: number
  /** Bytes in one transaction. A single command may be larger. */
  readonly maxBatchBytes: number
}

/** Keeps a transaction short, and so the wait of the writes behind it. */
const maxBatch = 1000

/** The writes that have not been sent to the Worker yet, oldest first. */
export const createQueue = ({ maxQueued, maxQueuedBytes, maxBatchBytes }: Limits) => {
  let queue: Waiting[] = []
  let queuedBytes = 0

  const take = (count: number): readonly Waiting[] => {
    const taken = count === queue.length ? queue : queue.slice(0, count)
    queue = queue.slice(count)
    for (const { bytes } of taken) queuedBytes -= bytes
    return taken
  }

  return {
    length: (): number => queue.length,
    hasRoom: (bytes: number): boolean => queue.length < maxQueued && queuedBytes + bytes <= maxQueuedBytes,
    add(waiting: Waiting): void {
      queue.push(waiting)
      queuedBytes += waiting.bytes
    },
    /** Takes the writes that were queued before this moment. */
    takeQueuedBefore(moment: number): readonly Waiting[] {
      const end = queue.findIndex(({ queuedAt }) => queuedAt >= moment)
      return take(end === -1 ? queue.length : end)
    },
    /** Takes as many writes as one transaction may have. A single one may be larger than the limit. */
    takeBatch: (): readonly Waiting[] => take(batchLength(queue, maxBatchBytes)),
    takeAll: (): readonly Waiting[] => take(queue.length),
  }
}

const batchLength = (queue: readonly Waiting[], maxBatchBytes: number): number => {
  let bytes = 0
  const end = queue.findIndex((waiting, position) => {
    bytes += waiting.bytes
    return position === maxBatch || (position > 0 && bytes > maxBatchBytes)
  })
  return end === -1 ? queue.length : end
}
