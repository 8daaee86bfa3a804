/** Starts work in order of arrival, as much at a time as fits a total size. */
export interface WorkQueue {
  /** Resolves when there is room, or nothing else is running. Call the returned function when the work is done. */
  begin(size: number): Promise<() => void>
}

export const createWorkQueue = (maxSize: number): WorkQueue => {
  const waiting: { readonly size: number; readonly start: () => void }[] = []
  let taken = 0

  const startNext = (): void => {
    for (let first = waiting[0]; first && (taken === 0 || taken + first.size <= maxSize); first = waiting[0]) {
      waiting.shift()
      taken += first.size
      first.start()
    }
  }

  return {
    async begin(size) {
      await new Promise<void>((start) => {
        waiting.push({ size, start })
        startNext()
      })
      return () => {
        taken -= size
        startNext()
      }
    },
  }
}
