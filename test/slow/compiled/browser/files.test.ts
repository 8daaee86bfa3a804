import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp, type Tab } from '../../../browser/browser.ts'
import { addKey, newEmail, sharedServer } from '../../../harness.ts'
import { png, submitFiles } from '../../../stored-files.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

/** Shows in the title of the tab, and asks the server for a path, that a script of a visitor ran. */
const evil = `document.title='ran';fetch('/ran');`
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${evil}"><script>${evil}</script></svg>`
const page = `<!doctype html><title>x</title><script>${evil}</script><img src=x onerror="${evil}">`

const file = (name: string, type: string, content: string | Uint8Array) => ({
  name,
  type,
  bytes: typeof content === 'string' ? Buffer.from(content) : content,
})

const prepare = async () => {
  const server = await sharedServer()
  const tab = await openTab()
  const userId = await signUp(tab, server)
  const formId = await addKey(server, userId, newEmail()).createForm()
  return { server, tab, formId, form: `${server.url}/forms/${formId}` }
}

/** Follows each link that saves a file, and returns the names under which the browser saves them. */
const save = async ({ page: tabPage }: Tab): Promise<[name: string, content: Buffer][]> => {
  const saved: [string, Buffer][] = []
  for (const link of await tabPage.locator('.files a').all()) {
    const [download] = await Promise.all([tabPage.waitForEvent('download'), link.click()])
    saved.push([download.suggestedFilename(), readFileSync(await download.path())])
  }
  return saved
}

const requested = (tab: Tab): Set<string> => {
  const paths = new Set<string>()
  tab.context.on('request', (request) => paths.add(new URL(request.url()).pathname))
  return paths
}

describe.skipIf(!hasChromium)('what a visitor sent as a file', () => {
  const sent = [
    file('drawing.svg', 'image/svg+xml', svg),
    file('page.html', 'text/html', page),
    file('photo.png', 'image/png', Buffer.concat([png, Buffer.from(page)])),
    file('page.png', 'image/png', page),
    file('drawing.gif', 'image/gif', svg),
    file('script.js', 'text/javascript', evil),
    file(`"><img src=x onerror="${evil}">.html`, 'text/html\r\nContent-Type: text/html\r\n\r\n<script>', page),
    file('cv\u202efdp.html', 'text/html', page),
  ]

  test('never runs: not on its page, and not if its address is opened', async () => {
    const { server, tab, formId, form } = await prepare()
    const { id, files } = submitFiles(server, formId, sent)
    const paths = requested(tab)
    await tab.page.goto(`${form}/submissions/${id}`)
    const title = await tab.page.title()

    const saved = await save(tab)

    expect(saved.map(([, content]) => content)).toEqual(sent.map(({ bytes }) => Buffer.from(bytes)))
    expect(saved.map(([name]) => name)).toEqual([
      'drawing.svg',
      'page.html',
      'photo.png',
      'page.png',
      'drawing.gif',
      'script.js',
      expect.stringMatching(/^--\s?-?img src=x onerror=.+\.html$/),
      'cv fdp.html',
    ])
    // Opened as an address, each is saved, too: the page stays.
    for (const fileId of files) {
      const download = tab.page.waitForEvent('download')
      await tab.page.goto(`${form}/submissions/${id}/files/${fileId}`).catch(() => {})
      await download
    }
    expect(await tab.page.title()).toBe(title)
    expect([...paths].filter((path) => path.endsWith('/ran'))).toEqual([])
    expect(tab.complaints).toEqual([])
  })

  // No policy of a page of ours is in the way there.
  test('never runs in a frame, as a script or as a picture of a page without a policy', async () => {
    const { server, tab, formId, form } = await prepare()
    const { id, files } = submitFiles(server, formId, sent)
    const paths = requested(tab)
    await tab.page.goto(`${server.url}/healthz`)
    for (const fileId of files) {
      const address = `${form}/submissions/${id}/files/${fileId}`
      const saved = tab.page.waitForEvent('download')
      await tab.page.evaluate((source) => {
        document.body.append(Object.assign(document.createElement('iframe'), { src: source }))
      }, address)
      await saved
      const outcomes = await tab.page.evaluate(async (source) => {
        const events: string[] = []
        for (const tag of ['script', 'img'] as const) {
          const element = Object.assign(document.createElement(tag), { src: source })
          const settled = new Promise<string>((resolve) => {
            for (const event of ['load', 'error']) element.addEventListener(event, () => resolve(event))
          })
          document.body.append(element)
          events.push(await settled)
        }
        return events
      }, address)
      const isPicture = sent[files.indexOf(fileId)]?.name === 'photo.png'
      expect([fileId, ...outcomes]).toEqual([fileId, 'error', isPicture ? 'load' : 'error'])
    }
    expect(await tab.page.title()).not.toBe('ran')
    expect([...paths].filter((path) => path.endsWith('/ran'))).toEqual([])
  })

  test('is a small picture if it is one, on the page of spam only when it is looked at, and nothing moves', async () => {
    const { server, tab, formId, form } = await prepare()
    const pictures = [file('a.png', 'image/png', png), file('b.svg', 'image/svg+xml', svg)]
    const { id } = submitFiles(server, formId, pictures)
    const held = submitFiles(server, formId, pictures, { isSpam: true })
    // Holds the picture up, so that the page is there before it is.
    const { promise: seen, resolve: goOn } = Promise.withResolvers<void>()
    await tab.context.route('**/files/*', async (route) => {
      await seen
      await route.continue()
    })
    await tab.page.goto(`${form}/submissions/${id}`, { waitUntil: 'domcontentloaded' })
    const picture = tab.page.locator('.files img')
    expect(await picture.count()).toBe(1)
    const before = await tab.page.locator('.files').boundingBox()
    expect((await picture.boundingBox())?.width).toBe(48)

    goOn()
    await tab.page.waitForFunction(() => document.querySelector<HTMLImageElement>('.files img')?.naturalWidth === 1)

    expect(await tab.page.locator('.files').boundingBox()).toEqual(before)
    await tab.context.unroute('**/files/*')
    const paths = requested(tab)
    await tab.page.goto(`${form}/spam`, { waitUntil: 'networkidle' })
    expect([...paths].filter((path) => path.includes('/files/'))).toEqual([])
    await tab.page.locator('summary').last().click()
    await tab.page.waitForFunction(() => document.querySelector<HTMLImageElement>('.files img')?.naturalWidth === 1)
    expect([...paths].filter((path) => path.includes('/files/'))).toEqual([
      `/forms/${formId}/spam/${held.id}/files/${held.files[0]}`,
    ])
    expect(tab.complaints).toEqual([])
  })
})
