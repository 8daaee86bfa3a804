/** Waits for something without an event, such as the work of another process or thread. Checks every 2 ms. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await Bun.sleep(2)
}

/** Whether the server at the address no longer accepts connections. */
export const isRefused = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`, { keepalive: false }).then(
    () => false,
    () => true,
  )
