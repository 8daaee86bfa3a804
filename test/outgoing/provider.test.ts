// A provider of OpenID Connect is bounded as a receiver of webhooks is: by the same request.
import { afterEach, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { parseNetworks } from '../../src/config/networks.ts'
import { providerRequest } from '../../src/remote/oidc/provider-request.ts'
import { flood, type Receiver, receiver } from './receiver.ts'

const open: Receiver[] = []
afterEach(async () => {
  for (const started of open.splice(0)) await started.stop()
})

/** Asks a provider that does this with the connection. */
const ask = async (answer: (socket: Socket) => void) => {
  const started = await receiver(answer)
  open.push(started)
  const issuer = new URL(`http://127.0.0.1:${started.port}`)
  // Longer than a test may take: what ends the request is not its time.
  const send = providerRequest({ issuer, allowed: parseNetworks('networks', ''), maxMilliseconds: 600_000 })
  const outcome = await send(issuer.href, { method: 'GET', headers: {} }).then(
    async (response) => `${response.status} ${await response.text()}`,
    (error: Error) => error.message,
  )
  return { outcome, left: started.left }
}

const noAnswer = 'The response does not fit a GET request'

describe('a request to a provider', () => {
  test.each<[does: string, answer: (socket: Socket) => void, outcome: string]>([
    ['one interim answer', (socket) => socket.end('HTTP/1.1 103 A\r\n\r\nHTTP/1.1 200 OK\r\n\r\nfine'), '200 fine'],
    ['interim answers without end', (socket) => flood(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'), noAnswer],
    ['100 without end', (socket) => flood(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'), noAnswer],
    [
      'another protocol',
      (socket) => socket.write('HTTP/1.1 101 S\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      noAnswer,
    ],
    ['a status that is none', (socket) => socket.end('HTTP/1.1 700 Odd\r\ncontent-length: 0\r\n\r\n'), noAnswer],
    ['a redirect', (socket) => socket.end('HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n'), '302 '],
  ])('is over after %s', async (_, answer, expected) => {
    const { outcome, left } = await ask(answer)
    expect(outcome).toBe(expected)
    await left()
  })

  test.each([
    ['256 KiB', 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(64 * 1024)],
    ['5,000 chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n'.repeat(1000)],
  ])('takes %s of an answer, and then ends the connection', async (_, head, more) => {
    const { outcome, left } = await ask((socket) => flood(socket, head, more))
    expect(outcome).toBe('The response is larger than 262144 bytes, or in too many pieces')
    await left()
  })
})
