import { describe, expect, test } from 'bun:test'
import { sharedServer, writeTo } from '../harness.ts'
import { readPage } from '../read-page.ts'
import { fillIn, userRoutes } from '../site-routes.ts'
import { owner } from '../visitor.ts'
import { addForm, siteWorld } from '../world.ts'

describe('the frame of a page', () => {
  test('has a menu of the account, and a manifest from which a phone makes an application', async () => {
    const server = await sharedServer()
    const ada = await owner(server)
    const { html } = await ada.get('/settings/account')
    const page = readPage(html)
    expect(page.current).toEqual(['Account'])
    expect([page.link('API keys'), page.link('Data about a person')]).toEqual(['/settings/keys', '/personal-data'])
    expect(page.forms).toContain('post /sign-out')
    const [, path = ''] = /<link rel="manifest" href="([^"]*)">/.exec(html) ?? []
    const manifest = await (await server.fetch(path)).json()
    expect(manifest).toMatchObject({ name: 'Formbox', display: 'standalone', start_url: '../' })
    const icon = await server.fetch(new URL(manifest.icons[0].src, server.url + path).pathname)
    expect(icon.headers.get('content-type')).toStartWith('image/svg+xml')
    expect(html).toContain('<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#1b1f1e">')
  })

  test('leads on from where there is nothing', async () => {
    const { ada } = await siteWorld({})
    const noForm = readPage((await ada.get('/forms/01kahp5x2r00v7m3k9qd4tznwe8c')).html)
    expect(noForm.link('To your forms')).toBe('/forms')
    expect(noForm.link('Formbox')).toBe('/')
    const nowhere = readPage((await ada.get('/nowhere')).html)
    expect(nowhere.link('To the start page')).toBe('/')
  })

  test('leads from each page of a form to the others, and says how many are unread', async () => {
    const { ada, path: form, server } = await siteWorld({ sent: [{ name: 'Ada' }] })
    const other = await addForm(server, ada.api, {
      form: { title: 'Orders' },
      sent: [{ name: 'Bea' }, { name: 'Cleo' }],
    })
    const paths = ['', '/spam', '/embed', '/settings', '/settings/people', '/imports', '/spam/learned']
    for (const path of paths) {
      const { html } = await ada.get(form + path)
      const page = readPage(html)
      expect([path, page.link('Orders2 unread')]).toEqual([path, other.path])
    }
    // The whole bar is on every page of a user, also on one that asks or says what is wrong.
    writeTo(server.folder, (db) => db.$client.run('UPDATE users SET is_operator = 1 WHERE id = ?', [ada.userId]))
    const shown = []
    for (const { method, path } of userRoutes) {
      if (method === 'POST' || path.endsWith('/events')) continue
      const { html } = await ada.get(fillIn(path, { formId: form.slice('/forms/'.length) }))
      if (!html.includes('<header class="top">')) continue
      shown.push(path)
      const page = readPage(html)
      expect([path, page.link('Inbox 3 unread')]).toEqual([path, '/'])
      expect([path, page.text.includes(' to set')]).toEqual([path, true])
    }
    expect(shown.length).toBeGreaterThan(20)
    const refused = await ada.post('/settings/account/address', { address: 'none', current: '' })
    expect(readPage(refused.html).link('Inbox 3 unread')).toBe('/')
    const away = await ada.get('/forms/01kahp5x2r00v7m3k9qd4tznwe8c')
    expect([away.status, readPage(away.html).link('Inbox 3 unread')]).toEqual([404, '/'])
  })
})
