import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Posted } from '../../src/sending/webhooks/post.ts'
import { noteSkipped } from '../skips.ts'
import { type Receiver, receiver } from './receiver.ts'

const hasOpenssl = Bun.which('openssl') !== null
if (!hasOpenssl) noteSkipped('The tests of certificates are skipped: there is no openssl here.')

const folder = mkdtempSync(join(tmpdir(), 'formbox-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const openssl = (...words: string[]): void => {
  const { exitCode, stderr } = Bun.spawnSync(['openssl', ...words], { cwd: folder })
  if (exitCode !== 0) throw new Error(stderr.toString())
}

const request = ['req', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-subj', '/CN=formbox']
const read = (name: string) => readFileSync(join(folder, name))

/** A certificate that signs itself. */
const certificateFor = (names: string) => {
  openssl(...request, '-x509', '-addext', `subjectAltName=${names}`, '-keyout', 'server.key', '-out', 'server.pem')
  return { key: read('server.key'), cert: read('server.pem') }
}

/** The same, of a day in 2020. Only `openssl ca` makes one of the past. */
const oldCertificate = () => {
  const sections = ['[ca]\ndefault_ca=c\n[c]\ndatabase=index', 'serial=serial', 'new_certs_dir=.', 'default_md=sha256']
  writeFileSync(join(folder, 'ca.cnf'), [...sections, 'policy=p\n[p]\ncommonName=supplied\n'].join('\n'))
  writeFileSync(join(folder, 'index'), '')
  openssl(...request, '-keyout', 'server.key', '-out', 'server.csr')
  const day = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z']
  const files = ['-keyfile', 'server.key', '-in', 'server.csr', '-out', 'server.pem']
  openssl('ca', '-batch', '-selfsign', '-create_serial', '-config', 'ca.cnf', ...day, ...files)
  return { key: read('server.key'), cert: read('server.pem') }
}

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** What a process of its own posts. */
const postOnce = async (url: string, environment: Record<string, string>): Promise<Posted> => {
  const script = join(import.meta.dir, 'post-once.ts')
  const { PATH = '' } = process.env
  const child = Bun.spawn([process.execPath, script, url], { env: { PATH, ...environment }, stderr: 'inherit' })
  return JSON.parse(await new Response(child.stdout).text())
}

const stopped = async <T>(started: Receiver, work: (started: Receiver) => Promise<T>): Promise<T> => {
  try {
    return await work(started)
  } finally {
    await started.stop()
  }
}

const unknown = 'The certificate of the host is not signed by a known authority'

describe.skipIf(!hasOpenssl)('the certificate of a receiver', () => {
  test.each([
    ['is trusted', 'localhost', 'DNS:localhost', true, {}, null],
    ['is trusted for an address', '127.0.0.1', 'IP:127.0.0.1', true, {}, null],
    ['is that of another host', 'localhost', 'DNS:example.com', true, {}, 'The certificate is for another host'],
    ['is that of another address', '127.0.0.1', 'IP:127.0.0.2', true, {}, 'The certificate is for another host'],
    ['is not trusted', 'localhost', 'DNS:localhost', false, {}, unknown],
    [
      'is not trusted, whatever Node is told',
      'localhost',
      'DNS:localhost',
      false,
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      unknown,
    ],
  ])('%s', async (_, host, names, isKnown, environment, error) => {
    const tls = certificateFor(names)
    await stopped(await receiver((socket) => socket.end(ok), { tls }), async ({ port, requests }) => {
      const known = isKnown ? { NODE_EXTRA_CA_CERTS: join(folder, 'server.pem') } : {}
      const posted = await postOnce(`https://${host}:${port}/`, { ...known, ...environment })
      expect(posted).toMatchObject({ status: error === null ? 200 : null, error, answer: error === null ? 'ok' : '' })
      expect(requests).toHaveLength(error === null ? 1 : 0)
    })
  })

  test('has expired', async () => {
    const tls = oldCertificate()
    await stopped(await receiver((socket) => socket.end(ok), { tls }), async ({ port, requests }) => {
      const posted = await postOnce(`https://localhost:${port}/`, { NODE_EXTRA_CA_CERTS: join(folder, 'server.pem') })
      expect(posted).toMatchObject({ status: null, error: 'The certificate of the host is not valid today' })
      expect(requests).toHaveLength(0)
    })
  })

  test('is asked for in vain where there is no TLS', async () => {
    await stopped(await receiver((socket) => socket.end(ok), { isHasty: true }), async ({ port }) => {
      const posted = await postOnce(`https://localhost:${port}/`, {})
      expect(posted).toMatchObject({ status: null, error: 'TLS with the host failed' })
    })
  })
})

test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])('%s is ignored', async (name) => {
  const proxy = await receiver((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nproxy'))
  await stopped(proxy, async () => {
    await stopped(await receiver((socket) => socket.end(ok)), async ({ port }) => {
      const posted = await postOnce(`http://localhost:${port}/`, { [name]: `http://127.0.0.1:${proxy.port}` })
      expect(posted).toMatchObject({ status: 200, answer: 'ok' })
      expect(proxy.connections()).toBe(0)
    })
  })
})
