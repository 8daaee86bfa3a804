interface Sized {
  readonly bytes: number
}

/**
 * Remembers values of several owners by a key. If they take more than there is room for, whoever has most of it loses what
 * was used longest ago: the values of one owner push out no one else's.
 */
export const modelMemory = <T extends Sized>(maxBytes: number) => {
  // The one that was used last is the last.
  const known = new Map<string, { readonly owner: string; readonly value: T }>()
  const shares = new Map<string, number>()
  let bytes = 0

  const count = (owner: string, change: number): void => {
    bytes += change
    const share = (shares.get(owner) ?? 0) + change
    if (share > 0) shares.set(owner, share)
    else shares.delete(owner)
  }

  const drop = (key: string): void => {
    const found = known.get(key)
    if (!found) return
    known.delete(key)
    count(found.owner, -found.value.bytes)
  }

  const dropOfGreatest = (): void => {
    const [[greatest] = ['']] = [...shares].sort(([, one], [, other]) => other - one)
    const oldest = known.entries().find(([, { owner }]) => owner === greatest)
    if (oldest) drop(oldest[0])
  }

  return {
    find(key: string): T | undefined {
      const found = known.get(key)
      if (found && known.delete(key)) known.set(key, found)
      return found?.value
    },

    /** @param value at most as large as the room */
    remember(key: string, owner: string, value: T): void {
      drop(key)
      known.set(key, { owner, value })
      count(owner, value.bytes)
      while (bytes > maxBytes) dropOfGreatest()
    },
  }
}
