import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sharedServer } from '../harness.ts'
import { readPage } from '../read-page.ts'
import { siteWorld } from '../world.ts'

/** For those who change Formbox, and figures. */
const others = ['architecture', 'benchmarks-all']
const names = readdirSync(join(import.meta.dir, '../../docs'))
  .map((file) => file.replace(/\.md$/, ''))
  .filter((name) => !others.includes(name))

describe('the guides', () => {
  test('are all there, for everyone, and each of their links leads to a guide and a heading of it', async () => {
    const { fetch } = await sharedServer()
    const paths = ['/guides', ...names.map((name) => `/guides/${name}`)]
    const pages = new Map<string, string>()
    for (const path of paths) {
      const response = await fetch(path)
      expect([path, response.status]).toEqual([path, 200])
      pages.set(path, await response.text())
    }
    let anchors = 0
    for (const [path, page] of pages) {
      const [, article = ''] = page.split(/<\/?article[^>]*>/)
      expect(article, path).toMatch(/^\n<h1 id="[^"]+">[^<]/)
      // Neither what the policy forbids nor pictures that are not in the executable.
      expect(article.replaceAll(/<pre>.*?<\/pre>/gs, ''), path).not.toMatch(/<script|<style|style=|<img|<!--/)
      for (const [, target = ''] of article.matchAll(/href="([^"]*)"/g)) {
        if (target.startsWith('https://')) continue
        const { pathname, hash } = new URL(target, `http://host${path}`)
        expect([path, target, pages.has(pathname)]).toEqual([path, target, true])
        if (hash === '') continue
        anchors++
        expect([path, target, pages.get(pathname)?.includes(` id="${hash.slice(1)}"`)]).toEqual([path, target, true])
      }
    }
    expect(anchors).toBeGreaterThan(100)
    const listed = new Set(readPage(pages.get('/guides') ?? '').links)
    expect(paths.filter((path) => !listed.has(path))).toEqual([])
  })

  test('are answered with 304 if they are unchanged, and with 404 if there is none', async () => {
    const { fetch } = await sharedServer()
    const first = await fetch('/guides/spam')
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const etag = first.headers.get('etag') ?? ''
    const again = await fetch('/guides/spam', { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    for (const name of ['nothing', 'architecture', '__proto__', '%2e%2e%2fREADME'])
      expect([name, (await fetch(`/guides/${name}`)).status]).toEqual([name, 404])
  })

  test('are a click away where one sets something', async () => {
    const { ada, path: form } = await siteWorld({})
    const links = [
      ['/settings/keys', '/guides/api'],
      ['/settings/keys', '/guides'],
      [`${form}/embed`, '/guides/sites'],
      [`${form}/settings`, '/guides/email-notifications'],
      [`${form}/settings/visitors`, '/guides/collecting'],
      [`${form}/settings/spam`, '/guides/spam'],
      [`${form}/settings/people`, '/guides/accounts'],
      [`${form}/settings/danger`, '/guides/deleting'],
    ] as const
    for (const [page, guide] of links) expect((await ada.get(page)).html, page).toContain(` href="${guide}"`)
  })
})
