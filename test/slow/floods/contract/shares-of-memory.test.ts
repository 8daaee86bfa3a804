// Bodies over 32 KiB share memory while they arrive, and no address has all of it. That of bulk operations is apart.
import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { afterThisTest, startServer } from '../../../harness.ts'
import { world } from '../../../world.ts'

const mebibyte = 1024 * 1024

/** Visitors of a form, each with the address that a trusted proxy tells. */
const prepare = async () => {
  const { server, ada, formId } = await world({
    server: await startServer({ settings: { FORMBOX_TRUST_PROXY: '127.0.0.1, ::1' } }),
  })
  const { hostname, port } = new URL(server.url)

  const submit = async (address: string, length: number): Promise<number> => {
    const headers = { 'x-forwarded-for': address, 'content-type': 'application/x-www-form-urlencoded' }
    const body = `a=${'x'.repeat(length)}`
    return (await server.fetch(`/s/${formId}`, { method: 'POST', headers, body })).status
  }
  /** Sends all of 1 MiB but the last byte, and holds the connection. */
  const holdAlmostAll = async (address: string): Promise<void> => {
    const socket = connect(Number(port), hostname)
    afterThisTest(() => socket.destroy())
    socket.on('error', () => {})
    const head = `POST /s/${formId} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nContent-Length: ${mebibyte}\r\n\r\n`
    await new Promise<void>((resolve) => socket.write(head + 'x'.repeat(mebibyte - 1), () => resolve()))
  }
  /** Sends as many, and more until the address has no room: while one is stored, one that still arrives may have to give way. */
  const fill = async (address: string, count: number): Promise<void> => {
    await Promise.all(Array.from({ length: count }, () => holdAlmostAll(address)))
    while ((await submit(address, mebibyte / 2)) !== 503) await holdAlmostAll(address)
  }
  return { ada, submit, fill }
}

test('half-sent bodies from two addresses keep no one else from sending', async () => {
  const { ada, submit, fill } = await prepare()
  await fill('192.0.2.1', 40)
  await fill('192.0.2.2', 40)

  expect(await submit('192.0.2.3', mebibyte / 2)).toBe(200)
  expect((await ada.call('POST', '/forms', { title: 'T', padding: 'x'.repeat(mebibyte / 2) })).status).toBe(200)
  // Small ones need no share.
  expect(await submit('192.0.2.1', 1000)).toBe(200)
})

test('an IPv6 network of 64 bits is one address', async () => {
  const { submit, fill } = await prepare()
  await fill('2001:db8::1', 20)

  expect(await submit('2001:db8::2', mebibyte / 2)).toBe(503)
  expect(await submit('2001:db8:0:1::1', mebibyte / 2)).toBe(200)
})

test('unfinished bodies from many addresses give way after some seconds', async () => {
  const { submit, fill } = await prepare()
  for (let i = 1; i <= 4; i++) await fill(`192.0.2.${i}`, 17)

  const waitsFrom = performance.now()
  while ((await submit('192.0.2.5', mebibyte / 2)) !== 200) await Bun.sleep(100)
  // Their time to arrive would be minutes.
  expect(performance.now() - waitsFrom).toBeLessThan(100_000)
}, 150_000)
