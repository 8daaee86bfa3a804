import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getServers, setServers } from 'node:dns'
import { resolve } from '../../src/remote/checked-lookup.ts'

/** A name server on which `good.example` is 127.0.0.1 and all else does not exist. Of `slow.example` it says so later. */
const startNameServer = async () => {
  const late: (() => void)[] = []
  let isSlow = true
  const server = await Bun.udpSocket({
    hostname: '127.0.0.1',
    socket: {
      data(socket, query, from, address) {
        const name = query.subarray(12).toString('latin1')
        const reply = () => void socket.send(toReply(query, name.includes('\x04good')), from, address)
        if (isSlow && name.includes('\x04slow')) late.push(reply)
        else reply()
      },
    },
  })
  const answerLate = (): void => {
    isSlow = false
    for (const reply of late) reply()
  }
  return { port: server.port, close: () => server.close(), late, answerLate }
}

/** RFC 1035 section 4.1: the question, with an address if there is one for a question of type A, or NXDOMAIN. */
const toReply = (query: Buffer, isKnown: boolean): Buffer => {
  const end = query.indexOf(0, 12) + 5
  const hasRecord = isKnown && query.readUInt16BE(end - 4) === 1
  const head = Buffer.from([0x81, isKnown ? 0x80 : 0x83, 0, 1, 0, Number(hasRecord), 0, 0, 0, 0])
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1])
  return Buffer.concat([query.subarray(0, 2), head, query.subarray(12, end), ...(hasRecord ? [record] : [])])
}

describe('a name', () => {
  const before = getServers()
  let server: Awaited<ReturnType<typeof startNameServer>>
  beforeAll(async () => {
    server = await startNameServer()
    setServers([`127.0.0.1:${server.port}`])
  })
  afterAll(() => {
    setServers(before)
    server.close()
  })

  test('is resolved while forty others wait for a name server that says nothing', async () => {
    const others = Array.from({ length: 40 }, (_, i) => resolve(`${i}.slow.example`))
    const ended = Promise.allSettled(others)
    expect(await resolve('host.good.example')).toMatchObject([{ address: '127.0.0.1', family: 4 }])
    expect(server.late.length).toBeGreaterThan(0)
    server.answerLate()
    for (const one of await ended) expect(one).toMatchObject({ reason: { code: 'DNS_ENOTFOUND' } })
  })

  test('is looked up in the hosts file too', async () => {
    expect((await resolve('localhost')).map(({ address }) => address)).toContain('127.0.0.1')
  })
})
