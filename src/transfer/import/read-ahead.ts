/**
 * Items that were read ahead, and then the others. An `async function*` that yields them would take 0.7 µs for each: 4 % of an
 * import.
 */
export const putBack = <T>(first: readonly T[], rest: AsyncIterator<T>): AsyncIterable<T> => {
  let at = 0
  const next = (): Promise<IteratorResult<T>> =>
    at < first.length ? Promise.resolve({ done: false, value: first[at++] as T }) : rest.next()
  // Without it, what is open for reading would stay so after an error of the reader.
  const end = async (): Promise<IteratorResult<T>> => (await rest.return?.()) ?? { done: true, value: undefined }
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) }
}
