import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import {
  browserTimeout,
  closeBrowser,
  createKey,
  hasChromium,
  openTab,
  setUp,
  type Tab,
} from '../../../browser/browser.ts'
import { serverWithUser, sharedServer, startServer } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

/** Puts the key into the dialog behind Authorize. */
const authorize = async ({ page }: Tab, key: string): Promise<void> => {
  await page.getByRole('button', { name: 'Authorize', exact: true }).click()
  const dialog = page.locator('.modal-ux')
  await dialog.getByRole('textbox').fill(key)
  await dialog.getByRole('button', { name: 'Apply credentials' }).click()
  await dialog.locator('.btn-done').click()
}

/** Opens an operation for trying out. */
const tryOut = async ({ page }: Tab, operationId: string) => {
  const operation = page.locator(`[id$="-${operationId}"]`)
  await operation.locator('.opblock-summary-control').click()
  await operation.getByRole('button', { name: 'Try it out' }).click()
  return {
    operation,
    /** The server's answer: the status and the body. */
    async execute(): Promise<[string, string]> {
      // The answer before this one would stay until the next one is there.
      const clear = operation.getByRole('button', { name: 'Clear', exact: true })
      if (await clear.isVisible()) await clear.click()
      await operation.getByRole('button', { name: 'Execute' }).click()
      const live = operation.locator('.live-responses-table .response')
      await live.waitFor()
      const status = (await live.locator('.response-col_status').textContent()) ?? ''
      return [status.slice(0, 3), (await live.locator('.response-col_description code').first().textContent()) ?? '']
    },
  }
}

describe.skipIf(!hasChromium)('the API reference in a browser', () => {
  test('is reached from the page of keys, and lists the forms of whom the key belongs to', async () => {
    const server = await startServer()
    const tab = await openTab()
    await setUp(tab, server.url, server.setupPath)
    const key = await createKey(tab, { name: 'Reference' })
    const created = await fetch(`${server.url}/api/v1/forms`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"title":"Seen in Swagger UI"}',
    })
    expect(created.status).toBe(200)

    await tab.page.getByRole('link', { name: 'API reference' }).click()
    await tab.page.getByText('List all forms').waitFor()
    const { execute } = await tryOut(tab, 'listForms')
    const [refused] = await execute()
    await authorize(tab, key)
    const [status, body] = await execute()

    expect(refused).toBe('401')
    expect(status).toBe('200')
    expect(JSON.parse(body).forms).toMatchObject([{ title: 'Seen in Swagger UI' }])
    expect([...tab.hosts]).toEqual([new URL(server.url).host])
    expect(tab.complaints).toEqual([])
    const stored = await tab.page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])
    expect(stored).toEqual([0, 0, ''])
  })

  test('carries out an operation of every kind: a body, identifiers in a body, dates that are left empty', async () => {
    const { server, ada } = await serverWithUser()
    const tab = await openTab()
    await tab.page.goto(`${server.url}/docs`)
    await authorize(tab, ada.key)

    const create = await tryOut(tab, 'createForm')
    const [status, body] = await create.execute()
    expect(status).toBe('200')
    const { id } = JSON.parse(body)
    expect((await ada.call('GET', `/forms/${id}`)).body).toMatchObject({ title: 'Contact', returnUrl: null })
    const sent = await fetch(`${server.url}/s/${id}`, { method: 'POST', body: new URLSearchParams({ a: '1' }) })
    expect(sent.status).toBe(200)

    const list = await tryOut(tab, 'listSubmissions')
    await list.operation.locator('tr[data-param-name="formId"] input').fill(id)
    const [, listed] = await list.execute()
    expect(JSON.parse(listed).submissions).toMatchObject([{ formId: id, data: { a: '1' } }])

    const found = await tryOut(tab, 'searchSubmissions')
    await found.operation.locator('tr[data-param-name="formId"] input').fill(id)
    expect(JSON.parse((await found.execute())[1]).submissions).toMatchObject([{ formId: id }])
    expect(await found.operation.locator('.request-url').textContent()).not.toContain('state=')

    const remove = await tryOut(tab, 'deleteForms')
    await remove.operation.locator('textarea').fill(JSON.stringify({ ids: [id] }))
    expect((await remove.execute())[0]).toBe('200')
    expect((await ada.call('GET', `/forms/${id}`)).status).toBe(404)
    expect([...tab.hosts]).toEqual([new URL(server.url).host])
    expect(tab.complaints).toEqual([])
  })

  test('sends what is tried out to where the page came from, also when the public address is another one', async () => {
    const { server, ada } = await serverWithUser({ FORMBOX_URL: 'https://forms.example.net' })
    const tab = await openTab()
    // An address that names another document is not followed.
    await tab.page.goto(`${server.url}/docs?url=http://evil.example/openapi.json`)
    await authorize(tab, ada.key)
    const { operation, execute } = await tryOut(tab, 'listForms')
    expect((await execute())[0]).toBe('200')
    expect(await operation.locator('.code-samples code').textContent()).toContain('https://forms.example.net/api/v1')
    expect([...tab.hosts]).toEqual([new URL(server.url).host])
    expect(tab.complaints).toEqual([])
  })

  test('shows a sample in three languages, the next one in the language chosen last', async () => {
    const server = await sharedServer()
    const tab = await openTab()
    await tab.page.goto(`${server.url}/docs`)
    const sampleOf = async (operationId: string, language?: string) => {
      const operation = tab.page.locator(`[id$="-${operationId}"]`)
      if (!(await operation.locator('.code-samples').isVisible()))
        await operation.locator('.opblock-summary-control').click()
      await operation.locator('.code-samples').waitFor()
      if (language) await operation.getByRole('button', { name: language }).click()
      expect(await operation.locator('.languages [aria-pressed="true"]').count()).toBe(1)
      return operation.locator('.code-samples code').textContent()
    }
    const api = `${server.url}/api/v1`
    expect(await sampleOf('createForm')).toStartWith(
      `curl -X POST '${api}/forms' \\\n  -H 'Authorization: Bearer YOUR_KEY'`,
    )
    expect(await sampleOf('createForm', 'JavaScript')).toStartWith(`const response = await fetch("${api}/forms", {`)
    expect(await sampleOf('createForm', 'Python')).toStartWith('import json\n')
    expect(await sampleOf('deleteForm')).toStartWith('import json\n')
    expect(await sampleOf('createForm')).toStartWith('import json\n')
    expect(tab.complaints).toEqual([])
  })

  test('shows an operation on one screen: what it takes, beside it what it answers, and errors when asked for', async () => {
    const server = await sharedServer()
    const tab = await openTab({ viewport: { width: 1280, height: 800 } })
    await tab.page.goto(`${server.url}/docs`)
    for (const operationId of ['listSubmissions', 'updateForm', 'createWebhook', 'submit']) {
      const operation = tab.page.locator(`[id$="-${operationId}"]`)
      await operation.locator('.opblock-summary-control').click()
      await operation.getByText('Errors: 400').waitFor()
      const { height = Number.NaN } = (await operation.boundingBox()) ?? {}
      expect(height, `pixels of ${operationId}`).toBeLessThanOrEqual(800)
      expect(await operation.locator('tr[data-param-name="formId"]').isVisible()).toBe(true)
      for (const seen of ['Code samples', 'Responses'])
        expect(await operation.getByText(seen, { exact: true }).first().isVisible(), seen).toBe(true)
      const refused = operation.getByText('FORBIDDEN').first()
      expect(await refused.isVisible()).toBe(false)
      await operation.getByText('Errors: 400').click()
      expect(await refused.isVisible()).toBe(true)
    }
    expect(tab.complaints).toEqual([])
  })

  test('finds operations by a part of their path, and follows a link to one while it is open', async () => {
    const server = await sharedServer()
    const tab = await openTab()
    await tab.page.goto(`${server.url}/docs`)
    await tab.page.getByPlaceholder('Filter by tag or path').fill('/personal-data/er')
    await tab.page.getByText('List all forms').waitFor({ state: 'detached' })
    expect(await tab.page.locator('.opblock').count()).toBe(1)
    await tab.page.getByPlaceholder('Filter by tag or path').fill('')
    await tab.page.getByText('List all forms').waitFor()

    await tab.page.evaluate(() => {
      location.hash = '#/Spam/listSpam'
    })
    await tab.page.locator('[id$="-listSpam"] .responses-wrapper').waitFor()
    expect(tab.complaints).toEqual([])
  })

  test.each([
    ['light', 360],
    ['dark', 360],
    ['light', 1200],
    ['dark', 1200],
  ] as const)('has the %s colours of the system, and scrolls only down, at %i pixels', async (colorScheme, width) => {
    const server = await sharedServer()
    const tab = await openTab({ colorScheme, viewport: { width, height: 800 } })
    await tab.page.goto(`${server.url}/docs`)
    const { operation } = await tryOut(tab, 'deleteForms')
    await operation.getByText('Errors: 400').click()
    await operation.getByText('Temporarily unable to write').first().waitFor()

    const { scrollWidth, colours } = await tab.page.evaluate(() => {
      const selectors = [
        'body',
        '.code-samples .btn:last-child',
        'table.headers td',
        '.brand',
        '.opblock-description p',
      ]
      const colours = selectors.map((selector) => {
        const element = document.querySelector(selector) as Element
        const { color, backgroundColor } = getComputedStyle(element)
        return { selector, color, backgroundColor }
      })
      return { scrollWidth: document.documentElement.scrollWidth, colours }
    })

    expect(scrollWidth).toBe(width)
    expect(await violations(tab)).toEqual([])
    const [body] = colours
    expect(lightness(body?.backgroundColor ?? '') > 0.5).toBe(colorScheme === 'light')
    for (const { selector, color } of colours)
      expect([selector, lightness(color) < 0.5]).toEqual([selector, colorScheme === 'light'])
    expect(tab.complaints).toEqual([])
  })

  test('says so when the description cannot be had', async () => {
    const server = await sharedServer()
    const tab = await openTab()
    await tab.page.route('**/openapi.json', (route) => route.fulfill({ status: 500, body: '' }))
    await tab.page.goto(`${server.url}/docs`)
    await tab.page.getByText('could not be loaded: the server responded with 500').waitFor()
    expect(tab.complaints).toEqual([])
  })
})

/** What axe finds, with the size of targets. */
const violations = async ({ page }: Tab): Promise<string[]> => {
  await page.evaluate(await Bun.file(join(import.meta.dir, '../../../../node_modules/axe-core/axe.min.js')).text())
  const { violations, passes } = await page.evaluate<
    Record<'violations' | 'passes', { id: string; nodes: { html: string }[] }[]>
  >("axe.run({ rules: { 'target-size': { enabled: true } } })")
  const contrast = passes.find(({ id }) => id === 'color-contrast')
  expect(contrast?.nodes.length, 'texts that axe looked at').toBeGreaterThan(50)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** From 0 for black to 1 for white, of `rgb(r, g, b)`. */
const lightness = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = colour.match(/[\d.]+/g)?.map(Number) ?? []
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255
}
