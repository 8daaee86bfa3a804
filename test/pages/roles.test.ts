// What each role may do on the pages: every route of a form with every role, and what they see.

import { describe, expect, test } from 'bun:test'
import { plannedRows } from '../contract/api-routes.ts'
import { newEmail, sharedServer } from '../harness.ts'
import { fillIn, userRoutes } from '../site-routes.ts'
import { submitFiles } from '../stored-files.ts'
import { owner, visit } from '../visitor.ts'

const roles = ['reader', 'editor', 'manager', 'owner'] as const
type Role = (typeof roles)[number]

/** The least role for each route of a form; `member` for what is only for those who do not own it. */
const leastRole: Readonly<Record<string, Role | 'member'>> = {
  'GET /forms/:formId': 'reader',
  'GET /forms/:formId/events': 'reader',
  'GET /forms/:formId/export': 'reader',
  'POST /forms/:formId/columns': 'reader',
  'POST /forms/:formId/submissions/delete': 'editor',
  'POST /forms/:formId/submissions/spam': 'editor',
  'POST /forms/:formId/submissions/read': 'reader',
  'POST /forms/:formId/submissions/handling': 'editor',
  'POST /forms/:formId/submissions/:submissionId/notes': 'editor',
  'POST /forms/:formId/submissions/:submissionId/notes/remove': 'editor',
  'GET /forms/:formId/spam': 'reader',
  'GET /forms/:formId/spam/export': 'reader',
  'POST /forms/:formId/spam': 'editor',
  'GET /forms/:formId/spam/learned': 'editor',
  'POST /forms/:formId/spam/learned': 'editor',
  'GET /forms/:formId/spam/:submissionId/block': 'manager',
  'POST /forms/:formId/spam/:submissionId/block': 'manager',
  'GET /forms/:formId/answers': 'reader',
  'GET /forms/:formId/answers.csv': 'reader',
  'GET /forms/:formId/submissions/:submissionId': 'reader',
  'GET /forms/:formId/submissions/:submissionId/fields/:field': 'reader',
  'GET /forms/:formId/submissions/:submissionId/files/:fileId': 'reader',
  'GET /forms/:formId/spam/:submissionId/files/:fileId': 'reader',
  'GET /forms/:formId/embed': 'reader',
  'GET /forms/:formId/qr.svg': 'reader',
  'POST /forms/:formId/embed': 'editor',
  'GET /forms/:formId/form': 'manager',
  'POST /forms/:formId/form': 'manager',
  'POST /forms/:formId/embed/delete': 'editor',
  'GET /forms/:formId/settings': 'manager',
  'POST /forms/:formId/settings': 'manager',
  'GET /forms/:formId/settings/visitors': 'manager',
  'POST /forms/:formId/settings/visitors': 'manager',
  'GET /forms/:formId/settings/spam': 'manager',
  'POST /forms/:formId/settings/spam': 'manager',
  'GET /forms/:formId/settings/people': 'manager',
  'POST /forms/:formId/settings/people': 'manager',
  'GET /forms/:formId/settings/danger': 'owner',
  'POST /forms/:formId/reply/test': 'manager',
  'POST /forms/:formId/confirm/test': 'manager',
  'GET /forms/:formId/settings/told/new': 'manager',
  'POST /forms/:formId/settings/told/new': 'manager',
  'GET /forms/:formId/settings/told/:receiverId': 'manager',
  'POST /forms/:formId/settings/told/:receiverId/test': 'manager',
  'POST /forms/:formId/settings/told/:receiverId/remove': 'manager',
  'POST /forms/:formId/settings/told/:receiverId': 'manager',
  'POST /forms/:formId/webhooks/:webhookId/test': 'manager',
  'POST /forms/:formId/webhooks/:webhookId/switch': 'manager',
  'GET /forms/:formId/webhooks/:webhookId/rotate': 'manager',
  'POST /forms/:formId/webhooks/:webhookId/rotate': 'manager',
  'GET /forms/:formId/webhooks/:webhookId/delete': 'manager',
  'POST /forms/:formId/webhooks/:webhookId/delete': 'manager',
  'GET /forms/:formId/deliveries': 'editor',
  'POST /forms/:formId/deliveries/retry': 'editor',
  'POST /forms/:formId/deliveries/stop': 'manager',
  'POST /forms/:formId/deliveries/:deliveryId/retry': 'editor',
  'POST /forms/:formId/deliveries/:deliveryId/dismiss': 'editor',
  'GET /forms/:formId/imports': 'manager',
  'POST /forms/:formId/imports': 'manager',
  'GET /forms/:formId/imports/:importId': 'manager',
  'POST /forms/:formId/imports/:importId': 'manager',
  'POST /forms/:formId/sheets': 'manager',
  'POST /forms/:formId/sheets/:sheetId/delete': 'manager',
  'POST /forms/:formId/members': 'manager',
  'POST /forms/:formId/members/:memberId': 'manager',
  'POST /forms/:formId/owner': 'owner',
  'POST /forms/:formId/leave': 'member',
  'GET /forms/:formId/settings/file': 'manager',
  'POST /forms/:formId/close': 'owner',
  'POST /forms/:formId/duplicate': 'owner',
  'POST /forms/:formId/delete': 'owner',
}

const aboutForms = userRoutes.filter(({ path }) => path.includes(':formId'))
const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`

const may = (role: Role | 'nobody', route: string): boolean => {
  const least = leastRole[route] as Role | 'member'
  if (role === 'nobody') return false
  if (least === 'member') return role !== 'owner'
  return roles.indexOf(role) >= roles.indexOf(least)
}

type Person = Awaited<ReturnType<typeof owner>>

/** A form of Ada's with one of everything or, for one route, no more than what its path names. */
const makeForm = async (server: Awaited<ReturnType<typeof sharedServer>>, ada: Person, route?: string) => {
  const formId = await ada.api.createForm({ title: 'Secret plans' })
  const needs = (part: RegExp) => route === undefined || part.test(route)
  const create = async (path: string, body: object): Promise<string> =>
    (await ada.api.call('POST', `/forms/${formId}/${path}`, body)).body.id
  // Refused before anything is sent.
  const hasWebhook = needs(/webhook|deliver|receiver/)
  const webhookId = hasWebhook ? await create('webhooks', { url: 'http://hook.localhost:1/' }) : ''
  const sent = [{ name: 'a.txt', type: 'text/plain', bytes: Buffer.from('a') }]
  const inbox = submitFiles(server, formId, sent, { fields: { name: 'Grace' } })
  const spam = submitFiles(server, formId, sent, { fields: { name: 'Robot' }, isSpam: true })
  const deliveryId: string = hasWebhook
    ? (await ada.api.call('GET', `/forms/${formId}/deliveries`)).body.deliveries[0].id
    : ''
  const sheetId = needs(/:sheetId/) ? await create('sheets', {}) : ''
  const importId = needs(/:importId/) ? await create('imports?dryRun=true', plannedRows) : ''
  const memberId = needs(/:memberId/) ? await create('members', { email: newEmail(), role: 'reader' }) : ''
  return {
    formId,
    idsFor(path: string) {
      const { id: submissionId, files } = path.includes('/spam/') ? spam : inbox
      return {
        formId,
        submissionId,
        webhookId,
        receiverId: webhookId,
        sheetId,
        importId,
        memberId,
        deliveryId,
        fileId: files[0] as string,
      }
    },
  }
}

const share = async (ada: Person, formId: string, email: string, role: string): Promise<string> => {
  const shared = await ada.api.call('POST', `/forms/${formId}/members`, { email, role })
  expect(shared.body.state).toBe('member')
  return shared.body.id
}

/** With whatever the form of any page asks for. */
const fields = {
  title: 'Other plans',
  confirm: 'Secret plans',
  name: 'Eve',
  text: 'Called',
  url: 'http://hook.localhost:1/',
  format: 'standard',
  role: 'editor',
}

test('there is a role for every route of a form, and for nothing else', () => {
  expect(Object.keys(leastRole).toSorted()).toEqual(aboutForms.map(nameOf).toSorted())
})

describe('the pages of a form', () => {
  test.each([...roles, 'removed'] as const)('are as open to %s as the table says', async (role) => {
    const server = await sharedServer()
    const [ada, grace] = [await owner(server), await owner(server)]
    const prepare = async (route?: string) => {
      const form = await makeForm(server, ada, route)
      if (role === 'owner') return form
      const id = await share(ada, form.formId, grace.email, role === 'removed' ? 'manager' : role)
      if (role !== 'removed') return form
      expect((await grace.get(`/forms/${form.formId}`)).status).toBe(200)
      expect((await ada.api.call('DELETE', `/forms/${form.formId}/members/${id}`)).status).toBe(200)
      return form
    }
    const untouched = await prepare()
    const titleOf = async () => (await ada.api.call('GET', `/forms/${untouched.formId}`)).body.title
    for (const route of aboutForms) {
      const name = nameOf(route)
      const isAllowed = may(role === 'removed' ? 'nobody' : role, name)
      const { idsFor } = isAllowed && route.method === 'POST' ? await prepare(route.path) : untouched
      const path = fillIn(route.path, idsFor(route.path))
      const visitor = role === 'owner' ? ada : grace
      const { status, html } = await (route.method === 'GET'
        ? visitor.get(path)
        : path.endsWith('/imports')
          ? visitor.sendFile(path, 'a.csv', '_date,a\n2026-01-01,1\n')
          : visitor.post(path, { ...fields, email: newEmail() }))
      expect([name, isAllowed ? [200, 303].includes(status) : status === 403, status]).toEqual([name, true, status])
      // Someone who has the form reads whose it is, and what their role is.
      if (!isAllowed) expect(html).not.toMatch(role === 'removed' ? /Secret plans|Grace/ : /Grace/)
    }
    expect(await titleOf()).toBe('Secret plans')
  })
})

describe('a form of someone else', () => {
  const prepare = async (role: string) => {
    const server = await sharedServer()
    const [ada, grace] = [await owner(server), await owner(server)]
    const form = await makeForm(server, ada)
    await share(ada, form.formId, grace.email, role)
    return { server, ada, grace, ...form }
  }

  test('is on the list of forms, with its owner and the role, and can be left', async () => {
    const { ada, grace, formId } = await prepare('reader')
    const { html } = await grace.get('/forms')
    expect(html).toContain('Secret plans')
    expect(html).toContain('Reader · ')
    expect(html).toContain(ada.email)
    await grace.api.createForm({ title: 'Her own' })
    const own = (await grace.get('/forms')).html
    expect(own).toContain('Her own')
    expect(own).toContain('Secret plans')
    expect((await grace.get(`/forms/${formId}`)).button('Leave this form')).toBeDefined()
    expect((await ada.get(`/forms/${formId}`)).button('Leave this form')).toBeUndefined()
  })

  test('shows a reader no buttons that would be refused, and no addresses of receivers', async () => {
    const { grace, formId, idsFor } = await prepare('reader')
    const { submissionId } = idsFor('')
    const pages = [`/forms/${formId}`, `/forms/${formId}/submissions/${submissionId}`, `/forms/${formId}/spam`]
    for (const path of pages) {
      const { html } = await grace.get(path)
      expect(html).not.toMatch(
        /class="danger|formaction="[^"]*\/spam|hook\.localhost|\/forms\/\w+\/settings["#/]|\/sheets"|>Not spam</,
      )
    }
    expect((await grace.get(`/forms/${formId}/embed`)).html).not.toContain('action="/forms')
  })

  test.each(['reader', 'editor'] as const)('leads %s to no settings from its snippets', async (role) => {
    const { ada, grace, formId } = await prepare(role)
    for (const settings of [{ fields: [{ name: 'name' }], acceptFiles: true, page: {} }, { open: false }]) {
      expect((await ada.api.call('PATCH', `/forms/${formId}/settings`, settings)).status).toBe(200)
      const [mine, theirs] = [await ada.get(`/forms/${formId}/embed`), await grace.get(`/forms/${formId}/embed`)]
      expect(mine.html).toMatch(/\/forms\/\w+\/settings[#/]/)
      expect(theirs.html).toContain('a page of its own')
      expect(theirs.html).not.toMatch(/\/forms\/\w+\/settings[#/]/)
    }
  })

  test('has read and unread submissions, and columns, for each person', async () => {
    const { server, ada, grace, formId } = await prepare('reader')
    // What came before someone saw the form is read.
    expect((await grace.get(`/forms/${formId}`)).html).toContain('data-unread="0"')
    await server.submit(formId, { name: 'New', place: 'Oslo' })
    for (const person of [ada, grace]) expect((await person.get('/forms')).status).toBe(200)
    expect((await grace.get(`/forms/${formId}`)).html).toContain('data-unread="1"')
    const { submissions } = (await ada.api.call('GET', `/forms/${formId}/submissions`)).body
    await grace.post(`/forms/${formId}/submissions/read`, { ids: submissions[0].id })
    expect((await grace.get(`/forms/${formId}`)).html).toContain('data-unread="0"')
    expect((await ada.get(`/forms/${formId}`)).html).toContain('data-unread="2"')

    await grace.post(`/forms/${formId}/columns`, { columns: 'place' })
    const headings = async (person: typeof ada) =>
      [...(await person.get(`/forms/${formId}`)).html.matchAll(/columnheader" scope="col"[^>]*><bdi>(\w+)/g)].map(
        ([, name]) => name,
      )
    expect(await headings(grace)).toEqual(['place'])
    expect(await headings(ada)).toEqual([])
    expect((await ada.api.call('GET', `/forms/${formId}/settings`)).body.columns).toBe(null)
  })

  test('says on a page that a role does not allow what the role is, whom to ask, and the way back', async () => {
    const { ada, grace, formId } = await prepare('editor')
    const page = await grace.get(`/forms/${formId}/settings`)
    expect([page.status, page.heading]).toEqual([403, 'Your role does not allow this'])
    expect(page.text).toContain(
      `You are an Editor of Secret plans, and may read, write notes, mark and delete. Ask ${ada.email}`,
    )
    expect(page.link('Back to Secret plans')).toBe(`/forms/${formId}`)
    expect(page.link(`Write to ${ada.email}`)).toBe(`mailto:${ada.email}`)
  })

  test('can be left, after a question', async () => {
    const { ada, grace, formId } = await prepare('reader')
    expect((await grace.post(`/forms/${formId}/leave`)).html).toContain('Leave this form?')
    expect((await grace.get(`/forms/${formId}`)).status).toBe(200)
    expect((await grace.post(`/forms/${formId}/leave`, { leave: 'yes' })).location).toBe('/forms?done=left#notice')
    expect((await grace.get(`/forms/${formId}`)).status).toBe(403)
    expect((await grace.get('/forms?done=left')).html).toContain('You have left the form.')
    expect((await ada.api.call('GET', `/forms/${formId}/members`)).body.members).toHaveLength(1)
  })

  test('is shared, changed and taken away on its page, where an invitation is shown once', async () => {
    const { server, ada, grace, formId } = await prepare('reader')
    const page = `/forms/${formId}/members`
    const email = newEmail()
    const shared = await ada.post(page, { email, role: 'editor' })
    expect(shared.location).toMatch(/#created$/)
    const { html } = await ada.get(shared.location as string)
    const link = /http[^"<\s]+\/invite\/[\w-]{32}/.exec(html)?.[0] as string
    expect((await visit(server).get(new URL(link).pathname)).html).toContain(email)
    expect((await ada.get(`/forms/${formId}/settings/people`)).html).not.toContain('/invite/')
    expect((await ada.post(page, { email: 'x', role: 'editor' })).status).toBe(400)
    expect((await ada.post(page, { email: newEmail(), role: 'king' })).status).toBe(400)
    const { members } = (await ada.api.call('GET', `/forms/${formId}/members`)).body
    const hers = members.find((one: { email: string }) => one.email === grace.email)
    await ada.post(`${page}/${hers.id}`, { role: 'editor' })
    expect((await grace.get(`/forms/${formId}/deliveries`)).status).toBe(200)
    await ada.post(`${page}/${hers.id}`, { action: 'remove' })
    expect((await grace.get(`/forms/${formId}`)).status).toBe(403)
  })
})
