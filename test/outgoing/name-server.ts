import { isIPv4 } from 'node:net'
import { openResolver, type Resolver } from '../../src/remote/resolver.ts'
import { afterThisTest, temporaryFolder } from '../harness.ts'

type Answer = 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' | 'NODATA' | 'silent' | readonly string[]

/** The answers for a name: addresses, or why there are none. What is absent does not exist. */
export interface Zone {
  [name: string]: { A?: Answer; AAAA?: Answer }
}

const codes = { NODATA: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const

/** A name server on this machine, with records that may be kept for ten minutes, as those of Docker. Ends after the test. */
export const startNameServer = async (zone: Zone) => {
  /** The questions that arrived, such as `AAAA n8n.example`. */
  const asked: string[] = []
  const late: { name: string; reply: () => void }[] = []
  const server = await Bun.udpSocket({
    hostname: '127.0.0.1',
    socket: {
      data(socket, query, from, address) {
        const end = query.indexOf(0, 12) + 5
        const type = query.readUInt16BE(end - 4) === 1 ? 'A' : 'AAAA'
        const name = nameIn(query)
        asked.push(`${type} ${name}`)
        const reply = () => {
          const answer = zone[name]?.[type] ?? 'NXDOMAIN'
          if (answer !== 'silent') socket.send(toReply(query.subarray(0, end), answer), from, address)
        }
        if (zone[name]?.[type] === 'silent') late.push({ name, reply })
        reply()
      },
    },
  })
  afterThisTest(() => server.close())
  return {
    at: `127.0.0.1:${server.port}`,
    asked,
    /** Answers what it was silent about, as the zone has it now. */
    answerLate: () => {
      for (const { reply } of late.splice(0)) reply()
    },
  }
}

const nameIn = (query: Buffer): string => {
  const labels: string[] = []
  for (let at = 12; query[at]; at += (query[at] as number) + 1)
    labels.push(query.subarray(at + 1, at + 1 + (query[at] as number)).toString())
  return labels.join('.')
}

/** RFC 1035 section 4.1: the question, and records of its type. */
const toReply = (query: Buffer, answer: Exclude<Answer, 'silent'>): Buffer => {
  const addresses = typeof answer === 'string' ? [] : answer
  const code = typeof answer === 'string' ? codes[answer] : 0
  const records = addresses.map((address) => {
    const bytes = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : toBytes6(address)
    return Buffer.concat([
      Buffer.from([0xc0, 12, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 2, 0x58, 0, bytes.length]),
      bytes,
    ])
  })
  const head = Buffer.from([0x81, 0x80 | code, 0, 1, 0, records.length, 0, 0, 0, 0])
  return Buffer.concat([query.subarray(0, 2), head, query.subarray(12), ...records])
}

/** Of an address such as `::1` or `2606:4700::1111`, with one `::`. */
const toBytes6 = (address: string): Buffer => {
  const [before = [], after = []] = address.split('::').map((half) => half.split(':').filter(Boolean))
  const groups = [...before, ...Array(8 - before.length - after.length).fill('0'), ...after]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

interface Given {
  readonly zone?: Zone
  readonly hosts?: string
  readonly settings?: string
  readonly waitMilliseconds?: number
}

/** A resolver that asks a name server of this test, and reads no file of this machine. */
export const resolverFor = async ({ zone = {}, hosts = '', settings = '', ...options }: Given) => {
  const folder = temporaryFolder()
  const server = await startNameServer(zone)
  const clock = { now: 0 }
  await Bun.write(`${folder}/hosts`, hosts)
  await Bun.write(`${folder}/resolv.conf`, settings)
  const resolver: Resolver = openResolver({
    hostsFile: `${folder}/hosts`,
    settingsFile: `${folder}/resolv.conf`,
    servers: [server.at],
    now: () => clock.now,
    ...options,
  })
  const addressesOf = async (host: string): Promise<string[]> =>
    (await resolver.resolve(host)).map(({ address }) => address)
  return { resolver, server, clock, addressesOf, folder }
}
