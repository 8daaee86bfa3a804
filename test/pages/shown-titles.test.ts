// A title may have any characters. Those that cannot be seen, or turn around the text beside them, are shown as symbols.
import { expect, test } from 'bun:test'
import { readPage } from '../read-page.ts'
import { visit } from '../visitor.ts'
import { siteWorld } from '../world.ts'

const title = 'a\u000bb\u0007c\u0085d\u202ee\u2066f'
const shown = 'a␋b␇c�d�e�f'
const unseen = /[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]/u

/** What is on the page, without what its inputs would send: a title that is not changed stays as it is. */
const unseenOn = (html: string): string | undefined =>
  new RegExp(`[\\s\\S]{0,100}(?:${unseen.source})`, 'u').exec(
    html.replaceAll(/ value="[^"]*"|<textarea[\s\S]*?<\/textarea>/g, ''),
  )?.[0]

const prepare = async () => {
  const field = {
    name: 'email',
    type: 'email',
    label: title,
    help: `${title} https://example.com/ ${title}`,
    required: true,
  }
  const made = await siteWorld({
    form: {
      title,
      fields: [field],
      closedText: title,
      page: { text: title, button: title },
    },
    sent: [{ email: 'ada@example.com' }, { email: 'bob@example.com' }],
  })
  const { ada, path, ids } = made
  await ada.api.call('POST', `${path}/webhooks`, { url: 'https://hooks.example/a' })
  await ada.api.call('POST', `${path}/submissions/${ids[1]}/spam`)
  const invited = await ada.api.call('POST', `${path}/members`, { email: 'eve@example.com', role: 'reader' })
  return { ...made, invitation: new URL(invited.body.inviteUrl).pathname }
}

test('the pages of users show each character of a title', async () => {
  const { ada, invitation } = await prepare()
  const seen = new Set<string>()
  const left = ['/', invitation]
  for (const path of left) {
    const route = path.replace(/\?.*|#.*/, '')
    if (!path.startsWith('/') || seen.has(route) || /export|\.svg|\/assets|docs|openapi/.test(path)) continue
    seen.add(route)
    const { html, headers } = await ada.get(path)
    if (!headers.get('content-type')?.startsWith('text/html')) continue
    expect([path, unseenOn(html)]).toEqual([path, undefined])
    left.push(...readPage(html).links)
  }
  expect(seen.size).toBeGreaterThan(12)
})

test('so do those of visitors, also where the form is given back', async () => {
  const { server, formId, change, post } = await prepare()
  const html = { accept: 'text/html' }
  const page = async () => (await visit(server).get(`/f/${formId}`)).html
  const pages: Record<string, string> = {
    page: await page(),
    again: String((await post('email=x', html)).body),
    thanks: String((await post('email=a@b.co', html)).body),
  }
  await change({ open: false })
  pages.closed = await page()
  pages['not taken'] = String((await post('email=a@b.co', html)).body)
  for (const [name, text] of Object.entries(pages)) {
    expect([name, unseenOn(text)]).toEqual([name, undefined])
    expect(text).toContain(shown)
  }
})

test('a title that is saved again is as it was', async () => {
  const { ada, formId, form } = await prepare()
  const settings = await ada.get(`/forms/${formId}/settings/visitors`)
  expect(settings.field('title')?.value).toBe(title)
  expect((await form()).title).toBe(title)
})
