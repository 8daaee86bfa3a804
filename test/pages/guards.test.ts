import { describe, expect, test } from 'bun:test'
import { plannedRows } from '../contract/api-routes.ts'
import { newEmail, sharedServer } from '../harness.ts'
import { fillIn, servedRoutes, siteRoutes, userRoutes } from '../site-routes.ts'
import { submitFiles } from '../stored-files.ts'
import { owner, visit } from '../visitor.ts'

const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`
const named = (routes: typeof siteRoutes) => routes.map((route) => [nameOf(route), route] as const)

/** The routes about a form, which may be someone else's. */
const aboutForms = userRoutes.filter(({ path }) => path.includes(':formId'))

describe('the pages', () => {
  test('are these, and there are no others', () => {
    expect(servedRoutes().map(nameOf).toSorted()).toEqual(siteRoutes.map(nameOf).toSorted())
  })

  test('keep search engines out', async () => {
    const answer = await (await sharedServer()).fetch('/robots.txt')
    expect([answer.status, await answer.text()]).toEqual([200, 'User-agent: *\nDisallow: /\n'])
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400')
  })

  test.each(named(userRoutes))('%s leads somebody who is not signed in to sign-in', async (_name, { method, path }) => {
    const server = await sharedServer()
    const visitor = visit(server)
    const answer = await (method === 'GET' ? visitor.get(fillIn(path)) : visitor.post(fillIn(path)))
    if (method === 'GET') {
      const location = path === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(fillIn(path))}`
      expect(answer).toMatchObject({ status: 303, location })
    } else {
      expect(answer.status).toBe(401)
      expect(answer.heading).toBe('Sign in')
      expect(answer.html).toMatch(/<input type="hidden" name="next" value="\/[\w/-]*">/)
    }
  })

  test('say where there is no page, and of what is not there what it was', async () => {
    const ada = await owner(await sharedServer())
    const nowhere = await ada.get('/nowhere')
    expect([nowhere.status, nowhere.html]).toEqual([404, expect.stringContaining('There is no page at this address.')])
    const noForm = await ada.get('/forms/01kahp5x2r00v7m3k9qd4tznwe8c')
    expect([noForm.status, noForm.html]).toEqual([404, expect.stringContaining('Form not found.')])
  })

  test('lead to sign-in with their query', async () => {
    const visitor = visit(await sharedServer())
    const list = '/forms/01kahp5x2r00v7m3k9qd4tznwe8c?startDate=2026-11-01&page=2'
    expect((await visitor.get(list)).location).toBe(`/sign-in?next=${encodeURIComponent(list)}`)
    expect((await visitor.get('/?page=2')).location).toBe('/sign-in?next=%2F%3Fpage%3D2')
  })

  test.each(named(aboutForms))(
    '%s is 404 without such a form, and 403 for a form of another user, which stays as it is',
    async (_name, { method, path }) => {
      const server = await sharedServer()
      const [ada, eve] = [await owner(server), await owner(server)]
      const formId = await ada.api.createForm({ title: 'Secret plans' })
      // Refused before anything is sent.
      const url = 'http://hook.localhost:1/'
      const webhookId = (await ada.api.call('POST', `/forms/${formId}/webhooks`, { url })).body.id
      const files = [{ name: 'a.txt', type: 'text/plain', bytes: Buffer.from('a') }]
      const isSpam = path.includes('/spam/')
      const { id: submissionId, files: fileIds } = submitFiles(server, formId, files, {
        isSpam,
        fields: { name: 'Grace' },
      })
      const { deliveries } = (await ada.api.call('GET', `/forms/${formId}/deliveries`)).body
      const sheetId = (await ada.api.call('POST', `/forms/${formId}/sheets`, {})).body.id
      const planned = path.includes(':importId')
        ? (await ada.api.call('POST', `/forms/${formId}/imports?dryRun=true`, plannedRows)).body.id
        : ''
      const invited = { email: newEmail(), role: 'reader' }
      const memberId = (await ada.api.call('POST', `/forms/${formId}/members`, invited)).body.id
      const own = { formId, submissionId, webhookId, receiverId: webhookId, sheetId, importId: planned, memberId }
      const ids = { ...own, fileId: fileIds[0] ?? '', deliveryId: deliveries[0]?.id ?? '' }
      const before = await ada.api.call('GET', `/forms/${formId}`)
      // With whatever the form of any page asks for.
      const fields = {
        title: 'Stolen',
        confirm: 'Secret plans',
        name: 'Eve',
        text: 'Called',
        url,
        format: 'standard',
        email: newEmail(),
        role: 'editor',
      }
      const ask = (visitor: typeof ada, of = {}) => {
        if (method === 'GET') return visitor.get(fillIn(path, of))
        return path.endsWith('/imports')
          ? visitor.sendFile(fillIn(path, of), 'a.csv', '_date,a\n2026-01-01,1\n')
          : visitor.post(fillIn(path, of), fields)
      }
      for (const visitor of [ada, eve]) {
        const missing = await ask(visitor)
        expect(missing.status).toBe(404)
        expect(missing.html).toContain('<nav aria-label="Main">')
      }
      const refused = await ask(eve, ids)
      expect(refused.status).toBe(403)
      expect(refused.html).toContain('<nav aria-label="Main">')
      expect(refused.html).not.toMatch(/Secret plans|Grace/)
      expect((await ada.api.call('GET', `/forms/${formId}`)).body).toEqual(before.body)
      expect((await eve.api.call('GET', '/forms')).body.pagination.total).toBe(0)
      // An owner cannot leave.
      expect((await ask(ada, ids)).status).toBeOneOf(path.endsWith('/leave') ? [403] : [200, 303])
    },
  )
})
