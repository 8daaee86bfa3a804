const waits = new Set<string>()

/** What the test waits for now. A test whose time is over ends while it waits. */
export const takeWaits = (): string[] => {
  const taken = [...waits]
  waits.clear()
  return taken
}

/**
 * Waits for something without an event, such as the work of another process or thread. Checks every 2 ms.
 *
 * @param expected what is waited for, as a statement: 'the mail has arrived'
 * @throws Error with these words if it is not so after a minute, which is more than a busy machine takes.
 */
export const until = async (
  isSo: () => boolean | Promise<boolean>,
  expected: string,
  { seconds }: { readonly seconds: number } = { seconds: 60 },
): Promise<void> => {
  // Made here, where its stack has the line of the test.
  const error = new Error(`not so within ${seconds} s: ${expected}`)
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(reject, seconds * 1000, error)
  waits.add(expected)
  try {
    // The condition itself may never answer.
    while (!(await Promise.race([isSo(), late]))) await Promise.race([Bun.sleep(2), late])
  } finally {
    clearTimeout(timer)
    waits.delete(expected)
  }
}

/** For the work of an engine, a browser or a flood on a machine that may be busy, or of a machine after another has died. */
export const slowly = { seconds: 90 }

/** Whether the server at the address no longer accepts connections. */
export const isRefused = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`, { keepalive: false }).then(
    () => false,
    () => true,
  )
