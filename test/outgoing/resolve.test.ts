import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { parseNetworks } from '../../src/config/networks.ts'
import { searchedNames } from '../../src/remote/searched-names.ts'
import { openPoster } from '../../src/sending/webhooks/post.ts'
import { afterThisTest } from '../harness.ts'
import { until } from '../until.ts'
import { resolverFor, startNameServer, type Zone } from './name-server.ts'
import { receiver } from './receiver.ts'

const public4 = '1.1.1.1'
const public6 = '2606:4700:4700::1111'
const notFound = { code: 'DNS_ENOTFOUND' }

describe('a name', () => {
  test('is resolved while forty others wait for a name server that says nothing', async () => {
    const zone: Zone = { 'host.good.example': { A: ['127.0.0.1'] } }
    const names = Array.from({ length: 40 }, (_, i) => `${i}.slow.example`)
    for (const name of names) zone[name] = { A: 'silent', AAAA: 'silent' }
    const { resolver, server, addressesOf } = await resolverFor({ zone })
    const ended = Promise.allSettled(names.map((name) => resolver.resolve(name)))
    await until(() => server.asked.length >= 80, 'all were asked for')
    expect(await addressesOf('host.good.example')).toEqual(['127.0.0.1'])
    for (const name of names) zone[name] = {}
    server.answerLate()
    for (const one of await ended) expect(one).toMatchObject({ reason: notFound })
  })

  test('is looked up in the hosts file first, for all of its addresses, and then nowhere else', async () => {
    const zone = { 'mail.example': { A: [public4], AAAA: [public6] }, 'b.example': { A: [public4] } }
    const hosts =
      '# 10.0.0.9 mail.example\n10.0.0.5\tother Mail.Example # b.example\r\nfd00::5 mail.example\nx b.example\n'
    const { server, addressesOf } = await resolverFor({ zone, hosts })
    expect(await addressesOf('mail.example')).toEqual(['10.0.0.5', 'fd00::5'])
    expect(await addressesOf('MAIL.example.')).toEqual(['10.0.0.5', 'fd00::5'])
    expect(server.asked).toEqual([])
    expect(await addressesOf('b.example')).toEqual([public4])
  })

  test('localhost is this machine, and no name server is asked', async () => {
    const { server, addressesOf } = await resolverFor({})
    for (const name of ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost'])
      expect(await addressesOf(name)).toEqual(['127.0.0.1', '::1'])
    expect(server.asked).toEqual([])
  })

  test.each(['NXDOMAIN', 'SERVFAIL', 'REFUSED', 'NODATA', 'silent'] as const)(
    'is known as soon as one family is, if the other is %s',
    async (AAAA) => {
      const { server, addressesOf } = await resolverFor({
        zone: { 'four.example': { A: [public4], AAAA }, 'six.example': { A: AAAA, AAAA: [public6] } },
      })
      expect(await addressesOf('four.example')).toEqual([public4])
      expect(await addressesOf('six.example')).toEqual([public6])
      expect(server.asked.toSorted()).toEqual([
        'A four.example',
        'A six.example',
        'AAAA four.example',
        'AAAA six.example',
      ])
    },
  )

  test('keeps no process from ending once it is known', async () => {
    const server = await startNameServer({ 'a.example': { A: [public4], AAAA: 'silent' } })
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'resolve-once.ts'), server.at, 'a.example'])
    expect([await child.exited, await new Response(child.stdout).text()]).toEqual([0, `${public4}\n`])
    // A silent server is asked again after a while.
    expect(server.asked).toHaveLength(2)
  })

  test('has the addresses of both families, if the second answer comes with the first', async () => {
    const { addressesOf } = await resolverFor({
      zone: { 'both.example': { AAAA: [public6], A: [public4, '1.0.0.1'] } },
      // As long as a busy machine may need between the two.
      waitMilliseconds: 10_000,
    })
    expect(await addressesOf('both.example')).toEqual([public4, '1.0.0.1', public6])
  })

  test('that has only unusable addresses waits for the other family', async () => {
    const zone: Zone = { 'mixed.example': { A: ['10.0.0.1'], AAAA: 'silent' } }
    const { resolver, server } = await resolverFor({ zone })
    const resolving = resolver.resolve('mixed.example', (address) => address !== '10.0.0.1')
    await until(() => server.asked.length === 2, 'both were asked for')
    zone['mixed.example'] = { AAAA: [public6] }
    server.answerLate()
    expect(await resolving).toMatchObject([{ address: public6, family: 6 }])
    expect(await resolver.resolve('mixed.example', () => false)).toEqual([])
  })

  test.each([
    [{}, 'DNS_ENOTFOUND'],
    [{ A: 'NODATA', AAAA: 'NODATA' }, 'DNS_ENOTFOUND'],
    [{ A: 'SERVFAIL', AAAA: 'NXDOMAIN' }, 'DNS_ESERVFAIL'],
    [{ A: 'REFUSED', AAAA: 'REFUSED' }, 'DNS_EREFUSED'],
  ] as const)('without an address fails: %p %s', async (answers, code) => {
    const zone = { 'a.example': answers } as Zone
    const { resolver } = await resolverFor({ zone })
    await expect(resolver.resolve('a.example')).rejects.toMatchObject({ code })
    // That is not kept.
    zone['a.example'] = { A: [public4] }
    expect(await resolver.resolve('a.example')).toHaveLength(1)
  })

  test('is kept for ten seconds, whatever its record says, and forgotten on request', async () => {
    const zone: Zone = { 'n8n.example': { A: ['172.18.0.2'] } }
    const { resolver, server, clock, addressesOf } = await resolverFor({ zone })
    expect(await addressesOf('n8n.example')).toEqual(['172.18.0.2'])
    zone['n8n.example'] = { A: ['172.18.0.3'] }
    clock.now = 9999
    expect(await addressesOf('N8N.example')).toEqual(['172.18.0.2'])
    expect(server.asked).toHaveLength(2)
    clock.now = 10_000
    expect(await addressesOf('n8n.example')).toEqual(['172.18.0.3'])
    zone['n8n.example'] = { A: ['172.18.0.4'] }
    resolver.forget('n8n.EXAMPLE')
    expect(await addressesOf('n8n.example')).toEqual(['172.18.0.4'])
  })

  test('is asked for once by all who want it at the same time, and 1,000 are kept', async () => {
    const { server, addressesOf } = await resolverFor({
      zone: { 'a.example': { A: [public4] } },
      hosts: Array.from({ length: 1000 }, (_, i) => `10.0.0.1 h${i}.example`).join('\n'),
    })
    await Promise.all(Array.from({ length: 20 }, () => addressesOf('a.example')))
    expect(server.asked).toHaveLength(2)
    for (let i = 0; i < 1000; i++) await addressesOf(`h${i}.example`)
    await addressesOf('a.example')
    expect(server.asked).toHaveLength(4)
  })

  test('is looked for in the domains of the machine, for both families in one of them', async () => {
    const zone: Zone = {
      'relay.svc.cluster.local': { A: ['10.1.0.1'], AAAA: 'NODATA' },
      'relay.cluster.local': { AAAA: ['fd00::1'] },
      'hooks.example.com': { A: [public4] },
    }
    const settings = 'search svc.cluster.local cluster.local\noptions ndots:5'
    const { server, addressesOf } = await resolverFor({ zone, settings })
    expect(await addressesOf('relay')).toEqual(['10.1.0.1'])
    expect(await addressesOf('hooks.example.com')).toEqual([public4])
    const asked = server.asked.length
    expect(await addressesOf('hooks.example.com.')).toEqual([public4])
    expect(server.asked.slice(asked).toSorted()).toEqual(['A hooks.example.com', 'AAAA hooks.example.com'])
  })
})

test.each([
  ['', 'n8n', ['n8n']],
  ['search lan. office.example\n', 'n8n', ['n8n.lan', 'n8n.office.example', 'n8n']],
  ['search lan', 'a.b', ['a.b', 'a.b.lan']],
  ['domain x\n# search y\nsearch lan # z\noptions timeout:1 ndots:2', 'a.b', ['a.b.lan', 'a.b']],
  ['search lan\r\noptions ndots:0', 'n8n', ['n8n', 'n8n.lan']],
  ['search .', 'n8n', ['n8n']],
  ['search lan', 'n8n.', ['n8n']],
])('with %p, the names for %s are %p', (settings, name, expected) => {
  expect(searchedNames(settings, name)).toEqual(expected)
})

describe('a webhook', () => {
  const post = { headers: {}, body: Buffer.from('x') }
  const start = async (host = '127.0.0.1') => {
    const started = await receiver((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'), { host })
    afterThisTest(() => started.stop())
    return started
  }

  test('finds a receiver that has moved, although its record would still hold', async () => {
    const { port, stop } = await start()
    const zone: Zone = { 'n8n.example': { A: ['127.0.0.2'] } }
    const { resolver, server } = await resolverFor({ zone })
    const send = openPoster({ allowed: parseNetworks('', '127.0.0.0/8'), resolver })
    expect(await send(`http://n8n.example:${port}`, post)).toMatchObject({ error: 'The connection was refused' })
    zone['n8n.example'] = { A: ['127.0.0.1'] }
    expect(await send(`http://n8n.example:${port}`, post)).toMatchObject({ status: 204 })
    expect(await send(`http://n8n.example:${port}`, post)).toMatchObject({ status: 204 })
    expect(server.asked).toHaveLength(4)
    await stop()
  })

  test('is not refused while IPv6 is not answered, and goes by the hosts file', async () => {
    const { port } = await start()
    const zone: Zone = { 'a.example': { A: ['127.0.0.1'], AAAA: 'silent' }, 'b.example': { A: [public4] } }
    const { resolver } = await resolverFor({ zone, hosts: '127.0.0.1 b.example' })
    const send = openPoster({ allowed: parseNetworks('', '127.0.0.0/8'), resolver })
    for (const name of ['a', 'b'])
      expect(await send(`http://${name}.example:${port}`, post)).toMatchObject({ status: 204 })
  })

  test('goes to no private address, also if another one with the same name may', async () => {
    const { port, connections } = await start()
    const zone: Zone = {
      'a.example': { A: ['127.0.0.1'] },
      'late.example': { A: ['127.0.0.1'], AAAA: 'silent' },
      'six.example': { A: 'NODATA', AAAA: ['::1'] },
    }
    const { resolver, server } = await resolverFor({ zone, hosts: '127.0.0.1 listed.example' })
    const toLoopback = openPoster({ allowed: parseNetworks('', '127.0.0.0/8'), resolver })
    const toPublic = openPoster({ allowed: parseNetworks('', ''), resolver })
    for (const name of ['a.example', 'listed.example', 'localhost'])
      expect(await toLoopback(`http://${name}:${port}`, post)).toMatchObject({ status: 204 })
    const before = connections()
    const refused = { status: null, error: 'The address is not public. FORMBOX_WEBHOOK_ALLOW can allow it' }
    for (const name of ['a.example', 'listed.example', 'localhost', 'six.example'])
      expect(await toPublic(`http://${name}:${port}`, post)).toMatchObject(refused)
    const late = toPublic(`http://late.example:${port}`, post)
    await until(() => server.asked.includes('AAAA late.example'), 'it was asked for')
    zone['late.example'] = { AAAA: ['fd00::1'] }
    server.answerLate()
    expect(await late).toMatchObject(refused)
    expect(connections()).toBe(before)
  })
})
