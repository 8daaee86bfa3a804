const turnMilliseconds = 5

/** Does something with each item, and lets others through after each five milliseconds. */
export const inTurns = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item, position: number) => Result,
): Promise<Result[]> => {
  const results: Result[] = []
  let startedAt = performance.now()
  for (const [position, item] of items.entries()) {
    results.push(work(item, position))
    if (performance.now() - startedAt < turnMilliseconds) continue
    await Bun.sleep(0)
    startedAt = performance.now()
  }
  return results
}
