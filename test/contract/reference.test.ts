import { describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { sharedServer } from '../harness.ts'

const libraryFiles = ['swagger-ui-bundle.js', 'swagger-ui.css']

/** The bytes as they came over the wire. */
const fetchRaw = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers, decompress: false })

const filesOf = async (url: string): Promise<string[]> =>
  [...(await (await fetch(`${url}/docs`)).text()).matchAll(/(?:src|href)="(\/(?:docs|assets)\/[^"]+)"/g)].map(
    ([, path]) => path as string,
  )

describe('GET /docs', () => {
  test('is a page for everyone, under the policy of the other pages and leave to ask this server', async () => {
    const { url } = await sharedServer()

    const response = await fetch(`${url}/docs`)

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const page = await response.text()
    // What the policy forbids is not there, and nothing is of another host.
    expect(page).not.toMatch(/<script>|<style|style=|onload|https?:\/\//)
  })

  test('is revalidated each time, and answered with 304 if it is unchanged', async () => {
    const { url } = await sharedServer()
    const first = await fetch(`${url}/docs`)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const etag = first.headers.get('etag') ?? ''

    const again = await fetch(`${url}/docs`, { headers: { 'if-none-match': etag } })
    const other = await fetch(`${url}/docs`, { headers: { 'if-none-match': '"other"' } })

    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    expect(other.status).toBe(200)
  })

  test('leaves the other pages what they were: the page of keys may ask no one', async () => {
    const { url } = await sharedServer()
    const signIn = await fetch(`${url}/sign-in`)
    expect(signIn.headers.get('content-security-policy')).not.toContain('connect-src')
  })
})

describe('the files of /docs', () => {
  test('are compressed for clients that accept that, plain for others, and complete for both', async () => {
    const { url } = await sharedServer()
    const paths = await filesOf(url)
    expect(paths.filter((path) => path.startsWith('/docs/'))).toHaveLength(4)

    for (const path of paths) {
      const plain = await fetchRaw(url + path, { 'accept-encoding': 'br, gzip;q=0' })
      expect([path, plain.status, plain.headers.get('content-encoding')]).toEqual([path, 200, null])
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      if (path.startsWith('/assets/')) continue
      const small = await fetchRaw(url + path, { 'accept-encoding': 'gzip, deflate, br, zstd' })
      expect([path, small.status, small.headers.get('content-encoding')]).toEqual([path, 200, 'gzip'])
      for (const response of [plain, small]) {
        expect(response.headers.get('vary')).toBe('Accept-Encoding')
        expect(response.headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/)
      }
      const [bytes, compressed] = [await plain.bytes(), await small.bytes()]
      expect(Number(small.headers.get('content-length'))).toBe(compressed.byteLength)
      expect(gunzipSync(compressed).equals(bytes), path).toBe(true)
    }
  })

  test('are those of the pinned package, under 0.5 MB on the wire', async () => {
    const { url } = await sharedServer()
    const paths = (await filesOf(url)).filter((path) => path.startsWith('/docs/swagger-ui-')).sort()
    let wire = 0
    for (const file of libraryFiles) {
      const path = paths.find((one) => one.endsWith(file.slice(file.lastIndexOf('.')))) ?? ''
      const expected = await Bun.file(Bun.resolveSync(`swagger-ui-dist/${file}`, import.meta.dir)).bytes()
      const response = await fetchRaw(url + path, { 'accept-encoding': 'gzip' })
      const compressed = await response.bytes()
      wire += compressed.byteLength
      expect(gunzipSync(compressed).equals(expected), file).toBe(true)
    }
    expect(wire).toBeLessThan(500_000)
  })

  test('have a tag for each encoding, by which 304 is answered, and a HEAD without a body', async () => {
    const { url } = await sharedServer()
    const path = (await filesOf(url)).find((one) => one.startsWith('/docs/swagger-ui-')) ?? ''
    const tagOf = async (encoding: string, tag?: string) => {
      const headers = { 'accept-encoding': encoding, ...(tag && { 'if-none-match': tag }) }
      const response = await fetchRaw(url + path, headers)
      await response.bytes()
      return [response.status, response.headers.get('etag') ?? ''] as const
    }
    const [, small] = await tagOf('gzip')
    const [, plain] = await tagOf('identity')

    expect(small).not.toBe(plain)
    expect(await tagOf('gzip', small)).toEqual([304, small])
    expect(await tagOf('gzip', plain)).toEqual([200, small])
    expect(await tagOf('identity', `"x", W/${plain}`)).toEqual([304, plain])

    const head = await fetch(url + path, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('are nowhere else: another hash, a folder above', async () => {
    const { url } = await sharedServer()
    for (const path of ['/docs/swagger-ui-000000000000.js', '/docs/..%2fpackage.json', '/docs/index.html'])
      expect((await fetch(url + path)).status).toBe(404)
  })
})
