import { type LookupAddress, Resolver, setServers } from 'node:dns'

/**
 * Resolves a name by the hosts file and DNS. Rejects within half a minute if nothing answers.
 *
 * Not with `lookup` of node:dns, which waits in one of a few threads: forty names whose name servers are silent then kept
 * all other names waiting for minutes.
 */
export const resolve = async (host: string): Promise<LookupAddress[]> => {
  followSettings()
  return await Bun.dns.lookup(host, { backend: 'c-ares' })
}

const followMilliseconds = 10_000
let readAt = Number.NEGATIVE_INFINITY
let servers: string | undefined

/** The resolver reads which name servers to ask only once: before the network is up, or the machine moves to another. */
const followSettings = (): void => {
  if (performance.now() - readAt < followMilliseconds) return
  readAt = performance.now()
  const current = new Resolver().getServers()
  const isKnown = servers === undefined || servers === current.join()
  try {
    if (!isKnown) setServers(current)
    servers = current.join()
  } catch {
    // Not while it waits for one of them.
  }
}
