/** For what no event tells, such as what another process or thread has done: looks again every 2 ms. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await Bun.sleep(2)
}

/** Whether nobody listens at the address of a server any more: it takes no new connections. */
export const isRefused = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`, { keepalive: false }).then(
    () => false,
    () => true,
  )
