interface Waiting {
  readonly size: number
  readonly rank: number
  readonly group: string | undefined
  begin(): void
  refuse(reason: unknown): void
}

interface Turn {
  /** How much of the room it takes; 1 by default. */
  readonly size?: number
  /** Lower ones come first; of the same rank, those that came first. */
  readonly rank?: number
  /** Each of those that wait makes the rank of the next one of its group one higher. */
  readonly group?: string | undefined
}

interface Options {
  /** How much may be under way. What is larger runs alone. */
  readonly room: number
  /** If more wait, the last in the order is refused. */
  readonly maxWaiting?: number
  /** Makes the error for a refusal. */
  readonly refusal?: () => Error
}

/** Lets work begin in turn, as much at a time as there is room for. */
export const semaphore = ({ room, maxWaiting = Number.POSITIVE_INFINITY, refusal }: Options) => {
  /** In their order. */
  const waiting: Waiting[] = []
  let taken = 0

  const beginNext = (): void => {
    for (let next = waiting[0]; next && (taken === 0 || taken + next.size <= room); next = waiting[0]) {
      waiting.shift()
      taken += next.size
      next.begin()
    }
  }

  return {
    /** Resolves when there is room. Call the returned function, once, when the work is done. */
    async enter({ size = 1, rank = 0, group }: Turn = {}): Promise<() => void> {
      const neighbours = group === undefined ? 0 : waiting.filter((other) => other.group === group).length
      await new Promise<void>((begin, refuse) => {
        const turn = { size, rank: rank + neighbours, group, begin, refuse }
        const at = waiting.findIndex((other) => other.rank > turn.rank)
        waiting.splice(at === -1 ? waiting.length : at, 0, turn)
        beginNext()
        if (waiting.length > maxWaiting) waiting.pop()?.refuse(refusal?.())
      })
      return () => {
        taken -= size
        beginNext()
      }
    },
  }
}
