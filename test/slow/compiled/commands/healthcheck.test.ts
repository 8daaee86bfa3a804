import { describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { filesIn, formbox, ownAddress, serve } from '../../../commands/formbox.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'

const portOf = (url: string): string => new URL(url).port

/** A port on which something listens that answers these bytes to whatever it is sent. */
const answering = async (bytes: string): Promise<string> => {
  const server = createServer((socket) => socket.on('error', () => {}).on('data', () => socket.write(bytes)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterThisTest(() => server.close())
  return String((server.address() as { port: number }).port)
}

const unusedPort = async (host: string): Promise<string> => {
  const server = await serve(['--host', host])
  server.kill('SIGTERM')
  await server.end()
  return portOf(server.url)
}

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
if (!hasIpv6) noteSkipped('The checks of servers that listen on ::1 and :: are skipped: this machine has no ::1.')

describe('formbox healthcheck', () => {
  test.each(['127.0.0.1', '0.0.0.0', 'localhost', ...(hasIpv6 ? ['::1', '::'] : [])])(
    'ends with 0 and says nothing while a server listens on %s, and touches no data',
    async (host) => {
      const server = await serve(['--host', host])
      const folder = temporaryFolder()
      const environment = {
        FORMBOX_HOST: host,
        FORMBOX_PORT: portOf(server.url),
        // It would ask a proxy for a host of this machine.
        HTTP_PROXY: 'http://127.0.0.1:1',
        http_proxy: 'http://127.0.0.1:1',
      }
      expect(await formbox(['healthcheck'], { folder, environment })).toEqual({ exitCode: 0, stdout: '', stderr: '' })
      expect(filesIn(folder)).toEqual([])
    },
  )

  test('finds a server on all addresses where there is no IPv6', async () => {
    const server = await serve(['--host', '127.0.0.1'])
    const flags = ['--host', '::', '--port', portOf(server.url)]
    expect(await formbox(['healthcheck', ...flags])).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })

  test('takes the address from flags, too', async () => {
    const server = await serve(['--host', '127.0.0.2'])
    const flags = ['--host', '127.0.0.2', '--port', portOf(server.url)]
    expect(await formbox(['healthcheck', ...flags])).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })

  test('reads no secrets, which its user may not be allowed to read', async () => {
    const server = await serve(['--host', '127.0.0.1'])
    const environment = {
      FORMBOX_PORT: portOf(server.url),
      FORMBOX_MAIL_URL_FILE: '/nonexistent/smtp',
      FORMBOX_METRICS_TOKEN_FILE: '/nonexistent/token',
      FORMBOX_CLUSTER: 'postgres://',
    }
    expect(await formbox(['healthcheck'], { environment })).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })

  test('ends with 1 and one line when nothing listens', async () => {
    const host = ownAddress()
    const port = await unusedPort(host)
    expect(await formbox(['healthcheck', '--host', host, '--port', port])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `formbox: http://${host}:${port}/healthz does not respond: ECONNREFUSED in connect\n`,
    })
  })

  test.each([
    ['that it is not well', 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n', 'responded with 503'],
    ['that it is another one', 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', 'responded with 404'],
    ['nothing that is HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n', 'does not respond'],
    ['nothing within five seconds', '', 'does not respond: no response within 5 seconds'],
  ])('ends with 1 and one line when the server says %s', async (_, bytes, complaint) => {
    const port = await answering(bytes)
    const { exitCode, stdout, stderr } = await formbox(['healthcheck', '--port', port])
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toMatch(/^formbox: [^\n]+\n$/)
    expect(stderr).toStartWith(`formbox: http://127.0.0.1:${port}/healthz ${complaint}`)
  })

  test('ends with 2 where it cannot know the port', async () => {
    const { exitCode, stderr } = await formbox(['healthcheck'], { environment: { FORMBOX_PORT: '0' } })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'formbox: port: must not be 0; use --port to name the port the server listens on\n',
    })
  })
})
