import type { LookupAddress } from 'node:dns'
import { Resolver as Channel } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { searchedNames } from './searched-names.ts'

/** Finds the addresses of hosts. */
export interface Resolver {
  /**
   * Those of the addresses that are usable, IPv4 first: none, if the name has only others.
   *
   * Rejects within half a minute if nothing answers: `code` is `DNS_ENOTFOUND` if there is no such name, and something
   * else that begins with `DNS_` if it could not be looked up.
   */
  resolve(host: string, isUsable?: (address: string) => boolean): Promise<LookupAddress[]>
  /** Asks anew the next time: nothing answers at these addresses. */
  forget(host: string): void
}

interface Options {
  readonly hostsFile?: string
  /** See resolv.conf(5). */
  readonly settingsFile?: string
  /** Name servers in place of those of the machine. */
  readonly servers?: readonly string[]
  /** How long a usable answer for one family waits for that for the other (RFC 8305 section 3). */
  readonly waitMilliseconds?: number
  /** Monotonic, in milliseconds. */
  readonly now?: () => number
}

/** Names of containers keep their addresses for no longer, whatever their records allow (Docker says ten minutes). */
const keptMilliseconds = 10_000
/** Of a name with more addresses, the first are tried. */
const maxAddresses = 8
/** Names are chosen by owners of forms. */
const maxKept = 1000
/** A server that says nothing is asked twice, for about five seconds in all. */
const patience = { timeout: 1500, tries: 2 }

const usualHostsFile =
  process.platform === 'win32' ? `${process.env.SystemRoot}\\System32\\drivers\\etc\\hosts` : '/etc/hosts'

interface Answers {
  /** Of each family: addresses, or it rejects. At least one of them resolves. */
  readonly families: readonly Promise<LookupAddress[]>[]
  /** Those who wait for one of them. */
  waiting: number
  /** Ends what has no answer yet, which would keep the process from ending. */
  readonly cancel: () => void
}

/**
 * Resolves names by the hosts file, then by DNS, for both families at once: a name server that says nothing about IPv6
 * delays nothing.
 *
 * Not with `lookup` of node:dns, which waits in one of a few threads: forty names whose name servers are silent then kept
 * all other names waiting for minutes. Nor with that of Bun, which waits for both families and keeps addresses for as
 * long as their records allow, up to an hour.
 */
export const openResolver = ({
  hostsFile = usualHostsFile,
  settingsFile = '/etc/resolv.conf',
  servers,
  waitMilliseconds = 50,
  now = () => performance.now(),
}: Options = {}): Resolver => {
  const kept = new Map<string, { readonly at: number; readonly answers: Promise<Answers> }>()

  const ask = async (host: string): Promise<Answers> => {
    const bare = host.replace(/\.$/, '')
    const listed = listedIn(await readText(hostsFile), bare)
    if (listed.length > 0) return known(listed)
    if (/(^|\.)localhost$/.test(bare)) return known(loopback)
    let fault: unknown
    for (const name of searchedNames(await readText(settingsFile), host)) {
      const answers = askBoth(name, servers)
      try {
        await Promise.any(answers.families)
        return answers
      } catch (error) {
        const { errors } = error as AggregateError
        fault = errors.find((one) => !isNotFound(one)) ?? errors[0]
        // A name that is not in one domain may be in the next. If a name server fails, the next domain would be a guess.
        if (!isNotFound(fault)) throw fault
      }
    }
    throw fault
  }

  const askOnce = (host: string): Promise<Answers> => {
    const [at, found] = [now(), kept.get(host)]
    if (found && at - found.at < keptMilliseconds) return found.answers
    const entry = { at, answers: ask(host) }
    kept.delete(host)
    kept.set(host, entry)
    const [oldest = host] = kept.keys()
    if (kept.size > maxKept) kept.delete(oldest)
    entry.answers.catch(() => {
      if (kept.get(host) === entry) kept.delete(host)
    })
    return entry.answers
  }

  return {
    resolve: async (host, isUsable = () => true) =>
      await firstUsable(await askOnce(host.toLowerCase()), isUsable, waitMilliseconds),
    forget: (host) => void kept.delete(host.toLowerCase()),
  }
}

const readText = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

/** What hosts(5) has for a name. */
const listedIn = (hosts: string, name: string): LookupAddress[] => {
  // Files that block advertisements have 100,000 lines.
  if (!hosts.toLowerCase().includes(name)) return []
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/s, '').trim().toLowerCase().split(/\s+/)
    return isIP(address) !== 0 && names.includes(name) ? [toFound(address)] : []
  })
}

const known = (addresses: LookupAddress[]): Answers => ({
  families: [Promise.resolve(addresses)],
  waiting: 0,
  cancel: () => {},
})

const toFound = (address: string): LookupAddress => ({ address, family: isIP(address) })

/** RFC 6761 section 6.3: it is never asked for. */
const loopback = ['127.0.0.1', '::1'].map(toFound)

/** Each rejects if there are no addresses. */
const askBoth = (name: string, servers?: readonly string[]): Answers => {
  // A new one reads which servers to ask as they are now, and has kept no answers.
  const channel = new Channel(patience)
  if (servers) channel.setServers([...servers])
  const families = [channel.resolve4(name), channel.resolve6(name)].map((answer) =>
    answer.then(
      (addresses) => addresses.map(toFound),
      ({ code }) => {
        throw Object.assign(new Error(`${code} of a name server`), { code: notFound.test(code) ? none : `DNS_${code}` })
      },
    ),
  )
  for (const family of families) family.catch(() => {})
  return { families, waiting: 0, cancel: () => channel.cancel() }
}

const none = 'DNS_ENOTFOUND'
const notFound = /^(ENOTFOUND|ENODATA|ENONAME|EBADNAME)$/
const isNotFound = (error: unknown): boolean => (error as { readonly code?: unknown }).code === none

const firstUsable = async (
  answers: Answers,
  isUsable: (address: string) => boolean,
  waitMilliseconds: number,
): Promise<LookupAddress[]> => {
  const usable: LookupAddress[] = []
  const enough = Promise.withResolvers<void>()
  let unanswered = answers.families.length
  let timer: ReturnType<typeof setTimeout> | undefined
  const take = (found: readonly LookupAddress[]): void => {
    usable.push(...found.filter(({ address }) => isUsable(address)))
    if (--unanswered === 0) enough.resolve()
    else if (usable.length > 0) timer ??= setTimeout(enough.resolve, waitMilliseconds)
  }
  for (const family of answers.families) family.then(take, () => take([]))
  answers.waiting++
  await enough.promise
  clearTimeout(timer)
  if (--answers.waiting === 0) answers.cancel()
  return usable.toSorted((a, b) => a.family - b.family).slice(0, maxAddresses)
}
