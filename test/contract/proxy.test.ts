// Decision 26: whose submission it is. The tests connect from 127.0.0.1; the limit of one submission an address shows
// which requests the service takes for the same client.
import { describe, expect, test } from 'bun:test'
import { AppError, issueLine } from '../../src/base/errors.ts'
import { parseConfig } from '../../src/config/config.ts'
import { clientAddress } from '../../src/http/client-address.ts'
import { startServer } from '../harness.ts'
import { answerTo, message } from '../raw-http.ts'
import { world } from '../world.ts'

const proxies = '127.0.0.1, 10.0.0.0/8'

const prepare = async (trusted = proxies) => {
  // The limit is the form's own, so that tests with the same addresses can share a server.
  const { server, formId, form, post } = await world({
    environment: trusted === '' ? {} : { FORMBOX_TRUST_PROXY: trusted },
    form: { submitLimit: 1 },
  })
  const submit = async (headers: Record<string, string>): Promise<number> => (await post('a=1', headers)).status
  return { server, formId, form, submit }
}

const from = (...hops: string[]) => ({ 'x-forwarded-for': hops.join(', ') })

describe('without a declared proxy', () => {
  test.each(['', '192.0.2.1, 10.0.0.0/8'])(
    'X-Forwarded-For changes nothing (FORMBOX_TRUST_PROXY %p)',
    async (trusted) => {
      const { form, submit } = await prepare(trusted)

      expect(await submit(from('203.0.113.1'))).toBe(200)
      expect(await submit(from('203.0.113.2'))).toBe(429)

      expect((await form()).submissionCount).toBe(1)
    },
  )

  test.each(['forwarded', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip', 'x-forwarded-host'])(
    '%s changes nothing, behind a proxy either',
    async (name) => {
      const { submit } = await prepare()
      const value = (address: string) => ({ [name]: name === 'forwarded' ? `for=${address}` : address })

      expect(await submit(value('203.0.113.1'))).toBe(200)
      expect(await submit(value('203.0.113.2'))).toBe(429)
    },
  )
})

describe('behind a declared proxy', () => {
  test('each client has a limit of its own', async () => {
    const { form, submit } = await prepare()

    expect(await submit(from('203.0.113.1'))).toBe(200)
    expect(await submit(from('203.0.113.2'))).toBe(200)
    expect(await submit(from('203.0.113.1'))).toBe(429)
    expect(await submit(from('203.0.113.2'))).toBe(429)

    expect((await form()).submissionCount).toBe(2)
  })

  test.each([
    ['what the client put before its address', from('203.0.113.1'), from('198.51.100.7', '203.0.113.1')],
    ['a second proxy that is declared', from('203.0.113.1'), from('203.0.113.1', '10.1.2.3')],
    ['several of them', from('203.0.113.1'), from('203.0.113.1', '10.1.2.3', '10.4.5.6')],
    ['the port', from('203.0.113.1'), from('203.0.113.1:4711')],
    ['the port of an IPv6 client', from('2001:db8::1'), from('[2001:db8::1]:4711')],
    ['the brackets', from('2001:db8::1'), from('[2001:db8::1]')],
    ['that an IPv4 address was mapped into IPv6', from('203.0.113.1'), from('::ffff:203.0.113.1')],
    ['that a proxy was mapped into IPv6', from('203.0.113.1'), from('203.0.113.1', '::ffff:10.1.2.3')],
    ['the spelling of an IPv6 address', from('2001:db8:0:0:1::1'), from('2001:0DB8::1:0:0:1')],
    ['where in its /64 a client is', from('2001:db8:1:2::1'), from('2001:db8:1:2:ffff:ffff:ffff:ffff')],
    ['white space', from('203.0.113.1'), { 'x-forwarded-for': ' \t203.0.113.1 , 10.1.2.3\t' }],
  ])('a client is the same, whatever %s', async (_what, first, second) => {
    const { submit } = await prepare()

    expect(await submit(first)).toBe(200)
    expect(await submit(second)).toBe(429)
  })

  test.each([
    ['the rightmost of two strangers', from('203.0.113.1', '198.51.100.1'), from('203.0.113.1', '198.51.100.2')],
    ['another /64', from('2001:db8:1:2::1'), from('2001:db8:1:3::1')],
    ['the last declared proxy where all are', from('10.0.0.1'), from('10.0.0.2')],
    ['the proxy where what it was told is no address', from('10.0.0.1'), from('203.0.113.1', 'unknown')],
    ['the proxy where it was told nothing', from('203.0.113.1'), from('203.0.113.1', '')],
  ])('a client is %s', async (_what, first, second) => {
    const { submit } = await prepare()

    expect(await submit(first)).toBe(200)
    expect(await submit(second)).toBe(200)
    expect(await submit(first)).toBe(429)
    expect(await submit(second)).toBe(429)
  })

  test('a client that sends no X-Forwarded-For through it is the proxy itself', async () => {
    const { submit } = await prepare()

    expect(await submit({})).toBe(200)
    expect(await submit({})).toBe(429)
    expect(await submit(from('203.0.113.1'))).toBe(200)
  })

  test('several X-Forwarded-For lines count as one list', async () => {
    const { server, formId, submit } = await prepare()
    const lines = (...hops: string[]) =>
      message(
        [
          `POST /s/${formId} HTTP/1.1`,
          'Host: localhost',
          ...hops.map((hop) => `X-Forwarded-For: ${hop}`),
          'Content-Type: application/x-www-form-urlencoded',
          'Content-Length: 3',
          'Connection: close',
        ],
        'a=1',
      )

    expect((await answerTo(server.url, lines('203.0.113.1', '203.0.113.2')))?.status).toBe(200)

    expect(await submit(from('203.0.113.2'))).toBe(429)
    expect(await submit(from('203.0.113.1'))).toBe(200)
  })

  test('a list of a thousand addresses is no trouble', async () => {
    const { submit } = await prepare()

    expect(await submit(from('203.0.113.1', ...Array<string>(1000).fill('10.0.0.1')))).toBe(200)
    expect(await submit(from('203.0.113.1'))).toBe(429)
  })
})

test.each([
  ['', false],
  ['192.0.2.1', false],
  ['127.0.0.2/32, ::1', false],
  ['10.0.0.0/8', false],
  ['127.0.0.1', true],
  ['127.0.0.0/8', true],
  ['::1,127.0.0.1', true],
  ['10.0.0.0/8 127.0.0.1/32', true],
  ['0.0.0.0/1,128.0.0.0/1', true],
  ['1', true],
])('with FORMBOX_TRUST_PROXY %p, what this machine says is trusted or not: %p', (trusted, isTrusted) => {
  const { trustedProxies } = parseConfig({ FORMBOX_TRUST_PROXY: trusted })
  const client = clientAddress('127.0.0.1', '203.0.113.1', trustedProxies)
  expect(client).toBe(isTrusted ? '203.0.113.1' : '127.0.0.1')
})

test.each(['10.0.0.0/33', 'proxy.example', '10.0.0', '127.0.0.1:80', '::/129', '10.0.0.0/8/8'])(
  'the server does not start with FORMBOX_TRUST_PROXY %p',
  async (trusted) => {
    const starting = startServer({ settings: { FORMBOX_TRUST_PROXY: trusted } })

    const reason = await starting.then(
      () => 'it started',
      (error) => (error instanceof AppError ? error.issues.map(issueLine).join() : error.message),
    )
    expect(reason).toContain(
      `FORMBOX_TRUST_PROXY: ${JSON.stringify(trusted)} is neither an IP address nor a CIDR range`,
    )
  },
)
