import { describe, expect, test } from 'bun:test'
import { receivers } from '../../src/storage/tables.ts'
import { afterThisTest } from '../harness.ts'
import { readPage } from '../read-page.ts'
import { rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { owner } from '../visitor.ts'
import { siteWorld } from '../world.ts'

const url = 'https://example.com/formbox'
const local = { FORMBOX_WEBHOOK_ALLOW: '127.0.0.1' }

const ownerWithForm = async () => {
  const { server, ada, formId: id } = await siteWorld({ environment: local })
  const path = `/forms/${id}`
  const webhooks = async () => (await ada.api.call('GET', `${path}/webhooks`)).body.webhooks
  /** Returns the path of the page that shows the secret. */
  const add = async (fields: Record<string, string> = {}): Promise<string> => {
    const added = await ada.post(`${path}/webhooks/new`, { url, format: 'standard', description: '', ...fields })
    expect(added.status).toBe(303)
    return added.location ?? ''
  }
  const secretOf = (webhook: string) =>
    rowsOf(server.folder, 'SELECT secret FROM receivers WHERE id = ?', webhook)[0]?.secret as string
  return { server, ada, id, path, settings: `${path}/settings`, webhooks, add, secretOf }
}

describe('/forms/:formId/webhooks/new', () => {
  test('adds a webhook, and shows its secret once, to this session', async () => {
    const { server, ada, settings, webhooks, add, secretOf } = await ownerWithForm()
    const location = await add({ format: 'slack', description: ' <b>Team ' })
    const [webhook] = await webhooks()
    expect(webhook).toMatchObject({ url, format: 'slack', description: '<b>Team', enabled: true })
    expect(location).toBe(`${settings}?secret=${webhook.id}#new-secret`)

    const other = await owner(server)
    const page = location.split('#')[0] as string
    expect((await other.get(page)).html).not.toContain('whsec_')
    const { html, texts, text, button } = await ada.get(page)
    expect(texts).toContain(secretOf(webhook.id))
    expect(button('Copy secret')).toBeDefined()
    expect(text).toContain('<b>Team')
    expect(html).not.toContain('<b>Team')
    expect((await ada.get(page)).html).not.toContain('whsec_')
  })

  test.each([
    ['url', { url: 'example.com' }, 'Must be an absolute http or https URL of 1 to 2048 characters'],
    ['url', { url: 'https://ada:secret@example.com' }, 'Must be an absolute http or https URL of 1 to 2048 characters'],
    ['url', { url: '' }, 'Must be an absolute http or https URL of 1 to 2048 characters'],
    [
      'url',
      { url: 'http://10.0.0.1/x' },
      'Must be at a public address, or at one that FORMBOX_WEBHOOK_ALLOW names; 10.0',
    ],
    ['format', { format: 'json' }, `Must be one of ${receivers.format.enumValues.join(', ')}.`],
    ['only', { onlyField: 'a', onlyEquals: ' ' }, 'Must have a field and its value, each of 1 to 255 characters'],
    ['only', { onlyField: '', onlyEquals: 'a' }, 'Must have a field and its value, each of 1 to 255 characters'],
    ['description', { description: '🦊'.repeat(201) }, 'Must be at most 200 characters; got 201.'],
  ])('says what is wrong with the %s, and keeps what was typed', async (name, wrong, message) => {
    const { ada, path, webhooks } = await ownerWithForm()
    const typed = { url: 'https://typed.example', format: 'ntfy', description: 'Typed', ...wrong }
    const { status, html } = await ada.post(`${path}/webhooks/new`, typed)
    expect(status).toBe(400)
    expect(html).toContain(`id="${name}-error">${message}`)
    expect(html).toContain(`value="${typed.description}"`)
    if (name !== 'format') expect(html).toContain('value="ntfy" checked')
    expect(await webhooks()).toEqual([])
  })

  test.each([
    ['https://discord.com/api/webhooks/1/a-b_c', 'slack', 'https://discord.com/api/webhooks/1/•••/slack'],
    ['https://discord.com/api/webhooks/1/a/?wait=1', 'slack', 'https://discord.com/api/webhooks/1/•••/slack?wait=1'],
  ])('makes of %s, as %s, what Discord takes', async (typed, format, stored) => {
    const { ada, path, webhooks, add } = await ownerWithForm()
    await add({ url: typed, format })
    const [{ id }] = await webhooks()
    expect(await webhooks()).toMatchObject([{ url: stored, format: 'slack' }])
    expect((await ada.post(`${path}/webhooks/${id}`, { url: typed, format, description: '' })).status).toBe(303)
    expect(await webhooks()).toMatchObject([{ url: stored, format: 'slack' }])
  })

  test('is not offered for the eleventh, and refuses it', async () => {
    const { ada, path, settings, webhooks, add } = await ownerWithForm()
    for (let n = 0; n < 10; n++) await add()
    const { html } = await ada.get(settings)
    expect(html).toContain('A form has at most 10 webhooks.')
    expect(html).not.toContain('Add a webhook')
    expect((await ada.post(`${path}/webhooks/new`, { url, format: 'standard' })).status).toBe(400)
    expect(await webhooks()).toHaveLength(10)
  })
})

describe('/forms/:formId/webhooks/:webhookId', () => {
  test('shows and saves what it has', async () => {
    const { ada, path, settings, webhooks, add } = await ownerWithForm()
    await add({ description: 'One', format: 'ntfy', onlyField: ' topic', onlyEquals: '<b> ' })
    expect((await ada.get(settings)).html).toContain('Only if “topic” is “&lt;b&gt;”')
    const [{ id }] = await webhooks()
    expect(await webhooks()).toMatchObject([{ only: { field: 'topic', equals: '<b>' } }])
    const page = `${path}/webhooks/${id}`
    const { html } = await ada.get(page)
    const shown = 'value="https://example.com/•••"'
    for (const part of [shown, 'value="ntfy" checked', 'value="One"', 'value="topic"', 'value="&lt;b&gt;"'])
      expect(html).toContain(part)
    const typed = { url: 'http://n8n.lan:5678/x', format: 'standard', description: '' }
    expect(await ada.post(page, typed)).toMatchObject({
      status: 303,
      location: `${settings}?done=webhook-saved#notice`,
    })
    expect(await webhooks()).toMatchObject([{ ...typed, id, description: null, only: null }])
    expect((await ada.post(page, { ...typed, url: 'x' })).status).toBe(400)
    expect(await webhooks()).toMatchObject([{ url: typed.url }])
  })

  test('switches it off and on, and says why Formbox switched it off', async () => {
    const { server, ada, path, settings, webhooks, add } = await ownerWithForm()
    const gone = Bun.serve({ port: 0, fetch: () => new Response('moved away', { status: 410 }) })
    afterThisTest(() => gone.stop(true))
    await add({ url: `http://127.0.0.1:${gone.port}/` })
    const [{ id }] = await webhooks()
    const page = `${path}/webhooks/${id}/switch`
    await ada.post(page, { enabled: 'off' })
    expect((await ada.get(settings)).texts).toContain('Off')
    expect((await ada.get(settings)).html).not.toContain('Formbox switched it off')
    await ada.post(page, { enabled: 'on' })
    await server.submit(path.slice('/forms/'.length), { a: 1 })
    await until(async () => !(await webhooks())[0].enabled, 'the webhook is switched off')
    const { html } = await ada.get(settings)
    expect(html).toContain('Formbox switched it off. It responded with 410, which means that it is gone for good.')
    expect(readPage(html).texts).toContain('moved away')
    expect((await ada.post(page, { enabled: 'on' })).location).toBe(`${settings}?done=webhook-on#notice`)
    expect(await webhooks()).toMatchObject([{ enabled: true, disabledReason: null }])
  })

  test('sends a test, and shows once what came back, as text', async () => {
    const { ada, path, settings, webhooks, add } = await ownerWithForm()
    const received: string[] = []
    const receiver = Bun.serve({
      port: 0,
      async fetch(request) {
        received.push(await request.text())
        return new Response('<script>alert(1)</script>', { status: received.length === 1 ? 200 : 500 })
      },
    })
    afterThisTest(() => receiver.stop(true))
    await add({ url: `http://127.0.0.1:${receiver.port}/` })
    const [{ id }] = await webhooks()
    const sent = await ada.post(`${path}/webhooks/${id}/test`)
    expect(sent).toMatchObject({ status: 303, location: `${settings}?tested=${id}#test-result` })
    expect(received.map((body) => JSON.parse(body).type)).toEqual(['webhook.test'])
    const page = `${settings}?tested=${id}`
    const { html } = await ada.get(page)
    expect(html).toMatch(/The test arrived: accepted with 200 \(\d+ ms\)\./)
    expect(readPage(html).texts).toContain('<script>alert(1)</script>')
    expect((await ada.get(page)).html).not.toContain('The test')
    await ada.post(`${path}/webhooks/${id}/test`)
    expect((await ada.get(page)).html).toMatch(/The test failed: The receiver responded with 500 \(\d+ ms\)\./)
  })

  test('gets a new secret after a question, and shows it once', async () => {
    const { ada, path, settings, webhooks, add, secretOf } = await ownerWithForm()
    await add()
    const [{ id }] = await webhooks()
    const before = secretOf(id)
    const page = `${path}/webhooks/${id}/rotate`
    expect((await ada.get(page)).html).toContain('For 24 hours, requests are signed with both the new secret')
    expect(secretOf(id)).toBe(before)
    const rotated = await ada.post(page)
    expect(rotated.location).toBe(`${settings}?secret=${id}#new-secret`)
    expect(secretOf(id)).not.toBe(before)
    const shown = `${settings}?secret=${id}`
    expect((await ada.get(shown)).html).toContain(secretOf(id))
    for (const again of [shown, settings, `${path}/webhooks/${id}`])
      expect((await ada.get(again)).html).not.toContain('whsec_')
  })

  test('is deleted after a question', async () => {
    const { ada, path, settings, webhooks, add } = await ownerWithForm()
    await add({ description: 'Calendar' })
    const [{ id }] = await webhooks()
    const page = `${path}/webhooks/${id}/delete`
    expect((await ada.get(page)).isolated).toContain('Calendar')
    expect(await webhooks()).toHaveLength(1)
    expect((await ada.post(page)).location).toBe(`${settings}?done=webhook-deleted#notice`)
    expect(await webhooks()).toEqual([])
    expect((await ada.get(page)).status).toBe(404)
  })
})

test('a copy of a form says that its webhooks have secrets that no one has seen', async () => {
  const { ada, path, add } = await ownerWithForm()
  const copied = async () => (await ada.get((await ada.post(`${path}/duplicate`)).location?.split('#')[0] ?? '')).html
  expect(await copied()).not.toContain('Its webhooks have new secrets')
  await add()
  expect(await copied()).toContain('Its webhooks have new secrets, which have not been shown')
  expect(await copied()).not.toContain('whsec_')
})
