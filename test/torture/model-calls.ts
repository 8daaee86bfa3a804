// Random calls of the two users of the model, and what each must answer.
import { expect } from 'bun:test'
import fc from 'fast-check'
import type { Answer, User } from '../harness.ts'
import {
  type Changes,
  type Data,
  type Model,
  type ModelForm,
  type ModelWebhook,
  pageOf,
  received,
  type Settings,
  shown,
} from './model.ts'

const title = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.constantFrom('', ' ', 'x'.repeat(256)),
)
const description = fc.option(fc.string({ maxLength: 20 }))
const returnUrl = fc.option(
  fc.constantFrom('https://example.com/a?b=c', 'http://[::1]:80/', 'ftp://example.com', 'nowhere'),
)
const changes = fc.record({ title, description, returnUrl }, { requiredKeys: [] })
const fieldName = fc.constantFrom('name', 'email', '__proto__', 'constructor', '0', 'ü', 'a b', '_gotcha', '_next')
const columns = fc.option(fc.array(fieldName, { maxLength: 9 }))
// Mostly open, or hardly any submission would be taken.
const open = fc.constantFrom(true, true, true, false)
// Of fields that are sent, too. The last two are refused.
const honeypot = fc.constantFrom('_gotcha', '_gotcha', 'name', 'ü', '_next', '')
const origin = fc.constantFrom(undefined, 'https://shop.example', 'https://evil.example')
const acceptFiles = fc.boolean()
const allowedOrigins = fc.constantFrom([], [], ['https://shop.example'], ['https://*.example', 'nowhere'])
// More than is sent here, or nothing would be taken.
const submitLimit = fc.constantFrom(null, 1_000_000, 0)
const settings = fc.record({ open, columns, honeypot, allowedOrigins, acceptFiles, submitLimit }, { requiredKeys: [] })
const data = fc.dictionary(fieldName, fc.oneof(fc.string({ maxLength: 5 }), fc.integer(), fc.constant([{ a: null }])))
/** Refused before anything is sent: a delivery waits for the next attempt, and then for the next. */
const url = 'http://hook.localhost:1/'
const webhookDescription = fc.option(fc.constantFrom('', 'Calendar', 'x'.repeat(201)))
const newWebhook = fc.record({ url: fc.constantFrom(url, url, url, 'nowhere'), description: webhookDescription })
const webhookChanges = fc.record({ description: webhookDescription, enabled: fc.boolean() }, { requiredKeys: [] })
const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 4 })
const page = fc.record({ page: fc.integer({ min: 0, max: 4 }), perPage: fc.constantFrom(0, 1, 2, 3, 100, 101) })

/** One call: who makes it, and what it is about. Numbers pick among the identifiers that there ever were. */
export const step = fc.record({
  user: fc.nat(1),
  operation: fc.oneof(
    fc.record({ name: fc.constant('createForms' as const), forms: fc.array(changes, { maxLength: 3 }) }),
    fc.record({ name: fc.constant('createForm' as const), form: changes }),
    fc.record({ name: fc.constant('updateForm' as const), pick: fc.nat(), form: changes }),
    fc.record({ name: fc.constant('updateForms' as const), picks, form: changes }),
    fc.record({ name: fc.constant('updateFormSettings' as const), pick: fc.nat(), settings }),
    fc.record({ name: fc.constant('getFormSettings' as const), pick: fc.nat() }),
    fc.record({
      name: fc.constantFrom('deleteForm' as const, 'duplicateForm' as const, 'getForm' as const),
      pick: fc.nat(),
    }),
    fc.record({ name: fc.constant('createWebhook' as const), pick: fc.nat(), webhook: newWebhook }),
    fc.record({
      name: fc.constant('updateWebhook' as const),
      pick: fc.nat(),
      other: fc.nat(),
      changes: webhookChanges,
    }),
    fc.record({
      name: fc.constantFrom('deleteWebhook' as const, 'listDeliveries' as const),
      pick: fc.nat(),
      other: fc.nat(),
    }),
    fc.record({ name: fc.constant('deleteForms' as const), picks, isInQuery: fc.boolean() }),
    fc.record({ name: fc.constant('listForms' as const), page }),
    { weight: 4, arbitrary: fc.record({ name: fc.constant('submit' as const), pick: fc.nat(), data, origin }) },
    fc.record({ name: fc.constant('listSubmissions' as const), pick: fc.nat(), page }),
    fc.record({
      name: fc.constantFrom('getSubmission' as const, 'deleteSubmission' as const),
      pick: fc.nat(),
      other: fc.nat(),
    }),
    fc.record({
      name: fc.constantFrom('deleteSubmissions' as const, 'deleteSpamInBulk' as const),
      pick: fc.nat(),
      picks,
    }),
    fc.record({ name: fc.constant('deleteAllSpam' as const), pick: fc.nat() }),
    fc.record({ name: fc.constant('listSpam' as const), pick: fc.nat(), page }),
    {
      weight: 3,
      arbitrary: fc.record({
        name: fc.constantFrom('getSpam' as const, 'deleteSpam' as const, 'acceptSpam' as const, 'markSpam' as const),
        pick: fc.nat(),
        other: fc.nat(),
      }),
    },
  ),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

type Fetch = (path: string, init?: RequestInit) => Promise<Response>

/** Makes one call, and expects of the answer what the model says. */
export const take = async (
  { user: who, operation: o }: Step,
  users: User[],
  model: Model,
  send: Fetch,
): Promise<void> => {
  const user = users[who] as User
  const formAt = (pick: number) => model.formIds[pick % model.formIds.length] as string
  const submissionAt = (pick: number) => model.submissionIds[pick % model.submissionIds.length] as string
  const json = { 'content-type': 'application/json' }

  switch (o.name) {
    case 'createForm': {
      const answer = await user.call('POST', '/forms', o.form)
      if (expectStatus(answer, isNewForm(o.form) ? 200 : 400)) model.add(answer.body.id, who, o.form)
      return
    }
    case 'createForms': {
      const answer = await user.call('POST', '/forms/bulk', { forms: o.forms })
      if (!expectStatus(answer, o.forms.length > 0 && o.forms.every(isNewForm) ? 200 : 400)) return
      expect(answer.body.ids.length).toBe(o.forms.length)
      for (const [position, form] of o.forms.entries()) model.add(answer.body.ids[position], who, form)
      return
    }
    case 'updateForm': {
      const found = model.find(who, formAt(o.pick))
      const answer = await user.call('PATCH', `/forms/${formAt(o.pick)}`, o.form)
      if (!expectStatus(answer, areChanges(o.form) ? found.status : 400) || found.status !== 200) return
      return model.update(found.on, o.form)
    }
    case 'updateForms': {
      const ids = o.picks.map(formAt)
      const found = model.findAll(who, ids)
      const answer = await user.call('PATCH', '/forms/bulk', { forms: ids.map((id) => ({ id, ...o.form })) })
      const isValid = areChanges(o.form) && new Set(ids).size === ids.length
      if (!expectStatus(answer, isValid ? found.status : 400) || found.status !== 200) return
      for (const form of found.on) model.update(form, o.form)
      return
    }
    case 'updateFormSettings': {
      const found = model.find(who, formAt(o.pick))
      const answer = await user.call('PATCH', `/forms/${formAt(o.pick)}/settings`, o.settings)
      if (!expectStatus(answer, areSettings(o.settings) ? found.status : 400) || found.status !== 200) return
      found.on.settings = { ...found.on.settings, ...o.settings }
      return
    }
    case 'getFormSettings': {
      const found = model.find(who, formAt(o.pick))
      const answer = await user.call('GET', `/forms/${formAt(o.pick)}/settings`)
      if (expectStatus(answer, found.status) && found.status === 200) expect(answer.body).toEqual(found.on.settings)
      return
    }
    case 'createWebhook': {
      const found = model.find(who, formAt(o.pick))
      const answer = await user.call('POST', `/forms/${formAt(o.pick)}/webhooks`, o.webhook)
      const isValid = o.webhook.url === url && isWebhookText(o.webhook.description)
      const isFull = found.status === 200 && found.on.webhooks.size === 10
      if (!expectStatus(answer, isValid && !isFull ? found.status : 400) || found.status !== 200) return
      found.on.webhooks.set(answer.body.id, { description: o.webhook.description, enabled: true })
      return
    }
    case 'updateWebhook':
    case 'deleteWebhook': {
      const found = model.find(who, formAt(o.pick))
      const known = found.status === 200 ? [...found.on.webhooks.keys()] : []
      const id = known[o.other % Math.max(1, known.length)] ?? formAt(o.other)
      const path = `/forms/${formAt(o.pick)}/webhooks/${id}`
      const isUpdate = o.name === 'updateWebhook'
      const answer = await (isUpdate ? user.call('PATCH', path, o.changes) : user.call('DELETE', path))
      const isValid = !isUpdate || isWebhookText(o.changes.description ?? null)
      const status = found.status !== 200 || known.length > 0 ? found.status : 404
      if (!expectStatus(answer, isValid ? status : 400) || found.status !== 200) return
      const before = found.on.webhooks.get(id) as ModelWebhook
      const after = { ...before, ...(isUpdate && o.changes) }
      if (isUpdate) found.on.webhooks.set(id, after)
      else found.on.webhooks.delete(id)
      if (!isUpdate || !after.enabled) found.on.hasGivenUp = true
      return
    }
    case 'listDeliveries': {
      const found = model.find(who, formAt(o.pick))
      const answer = await user.call('GET', `/forms/${formAt(o.pick)}/deliveries`)
      if (expectStatus(answer, found.status) && found.status === 200) expectDeliveries(answer.body, found.on)
      return
    }
    case 'getForm': {
      const found = model.find(who, formAt(o.pick))
      const answer = await user.call('GET', `/forms/${formAt(o.pick)}`)
      if (expectStatus(answer, found.status) && found.status === 200) expectForm(answer.body, found.on)
      return
    }
    case 'deleteForm': {
      const found = model.find(who, formAt(o.pick))
      const answer = await user.call('DELETE', `/forms/${formAt(o.pick)}`)
      if (expectStatus(answer, found.status)) model.forms.delete(formAt(o.pick))
      return
    }
    case 'deleteForms': {
      const ids = o.picks.map(formAt)
      const found = model.findAll(who, ids)
      const answer = o.isInQuery
        ? await user.call('DELETE', `/forms/bulk?ids=${ids.join(',')}`)
        : await user.call('DELETE', '/forms/bulk', { ids })
      if (expectStatus(answer, found.status)) for (const id of ids) model.forms.delete(id)
      return
    }
    case 'duplicateForm': {
      const found = model.find(who, formAt(o.pick))
      const answer = await user.call('POST', `/forms/${formAt(o.pick)}/duplicate`)
      if (!expectStatus(answer, found.status) || found.status !== 200) return
      model.add(answer.body.id, who, found.on, found.on)
      const { webhooks } = (await user.call('GET', `/forms/${answer.body.id}/webhooks`)).body
      expect(webhooks.map(textOfWebhook)).toEqual([...found.on.webhooks.values()].map(textOfWebhook))
      const copy = model.forms.get(answer.body.id) as ModelForm
      for (const { id, ...webhook } of webhooks) copy.webhooks.set(id, webhook)
      return
    }
    case 'listForms': {
      const answer = await user.call('GET', `/forms?page=${o.page.page}&perPage=${o.page.perPage}`)
      if (!expectStatus(answer, isPage(o.page) ? 200 : 400)) return
      const { items, pagination } = pageOf(model.list(who), o.page.page, o.page.perPage)
      expect(answer.body.pagination).toEqual(pagination)
      expect(answer.body.forms.length).toBe(items.length)
      for (const [position, form] of items.entries()) expectForm(answer.body.forms[position], form)
      return
    }
    case 'submit': {
      const form = model.forms.get(formAt(o.pick))
      const response = await send(`/s/${formAt(o.pick)}`, {
        method: 'POST',
        headers: { ...json, ...(o.origin !== undefined && { origin: o.origin }) },
        body: JSON.stringify(o.data),
      })
      if (!form) return expect(response.status).toBe(404)
      const { data: kept, isSpam } = received(form, o.data)
      const isTaken = Object.keys(kept).length > 0 || isSpam
      const { open, allowedOrigins } = form.settings
      const isWelcome = open && (allowedOrigins.length === 0 || (o.origin && allowedOrigins.includes(o.origin)))
      expect(response.status).toBe(isWelcome ? (isTaken ? 200 : 400) : 403)
      if (response.status !== 200) return
      return model.submit(form, ((await response.json()) as { id: string }).id, o.data)
    }
    case 'listSubmissions': {
      const found = model.find(who, formAt(o.pick))
      const query = `page=${o.page.page}&perPage=${o.page.perPage}`
      const answer = await user.call('GET', `/forms/${formAt(o.pick)}/submissions?${query}`)
      if (!expectStatus(answer, isPage(o.page) ? found.status : 400) || found.status !== 200) return
      return expectSubmissions(answer.body, found.on, o.page.page, o.page.perPage)
    }
    case 'getSubmission':
    case 'deleteSubmission': {
      const found = model.find(who, formAt(o.pick))
      const id = submissionAt(o.other)
      const answer = await user.call(
        o.name === 'getSubmission' ? 'GET' : 'DELETE',
        `/forms/${formAt(o.pick)}/submissions/${id}`,
      )
      if (found.status !== 200) return void expectStatus(answer, found.status)
      const submission = found.on.submissions.find((candidate) => candidate.id === id)
      if (!expectStatus(answer, submission ? 200 : 404)) return
      if (o.name === 'getSubmission')
        expect(answer.body).toMatchObject({ id, formId: found.on.id, data: submission?.data })
      else {
        found.on.submissions = found.on.submissions.filter((candidate) => candidate.id !== id)
        model.forget(found.on, [id])
      }
      return
    }
    case 'deleteSubmissions':
    case 'deleteSpamInBulk': {
      const list = o.name === 'deleteSubmissions' ? 'submissions' : 'spam'
      const found = model.find(who, formAt(o.pick))
      const own = found.status === 200 ? found.on[list].map(({ id }) => id) : []
      const ids = o.picks.map((pick) => mostlyOwn(own, pick) ?? submissionAt(pick))
      const answer = await user.call('DELETE', `/forms/${formAt(o.pick)}/${list}/bulk`, { ids })
      if (found.status !== 200) return void expectStatus(answer, found.status)
      if (!expectStatus(answer, ids.every((id) => own.includes(id)) ? 200 : 404)) return
      found.on.submissions = found.on.submissions.filter(({ id }) => !(list === 'submissions' && ids.includes(id)))
      found.on.spam = found.on.spam.filter(({ id }) => !(list === 'spam' && ids.includes(id)))
      model.forget(found.on, ids)
      return
    }
    case 'deleteAllSpam': {
      const found = model.find(who, formAt(o.pick))
      const answer = await user.call('DELETE', `/forms/${formAt(o.pick)}/spam/all`)
      if (expectStatus(answer, found.status) && found.status === 200) found.on.spam = []
      return
    }
    case 'listSpam': {
      const found = model.find(who, formAt(o.pick))
      const query = `page=${o.page.page}&perPage=${o.page.perPage}`
      const answer = await user.call('GET', `/forms/${formAt(o.pick)}/spam?${query}`)
      if (!expectStatus(answer, isPage(o.page) ? found.status : 400) || found.status !== 200) return
      return expectSpam(answer.body, found.on, o.page.page, o.page.perPage)
    }
    case 'getSpam':
    case 'deleteSpam':
    case 'acceptSpam':
    case 'markSpam': {
      const found = model.find(who, formAt(o.pick))
      const list = found.status !== 200 ? [] : o.name === 'markSpam' ? found.on.submissions : found.on.spam
      const own = list.map(({ id }) => id)
      const id = mostlyOwn(own, o.other) ?? submissionAt(o.other)
      const calls = {
        getSpam: ['GET', `spam/${id}`],
        deleteSpam: ['DELETE', `spam/${id}`],
        acceptSpam: ['POST', `spam/${id}/accept`],
        markSpam: ['POST', `submissions/${id}/spam`],
      } as const
      const [method, path] = calls[o.name]
      const answer = await user.call(method, `/forms/${formAt(o.pick)}/${path}`)
      if (found.status !== 200) return void expectStatus(answer, found.status)
      const one = list.find((candidate) => candidate.id === id)
      if (!expectStatus(answer, one ? 200 : 404) || !one) return
      if (o.name === 'getSpam') expect(answer.body).toMatchObject({ ...one, formId: found.on.id })
      else if (o.name === 'markSpam') model.markSpam(found.on, one)
      else if (o.name === 'acceptSpam') model.acceptSpam(found.on, one)
      else found.on.spam = found.on.spam.filter((candidate) => candidate.id !== id)
      return
    }
  }
}

/** Everything that a user has, read through the lists. */
export const expectSame = async (user: User, who: number, model: Model, send?: Fetch): Promise<void> => {
  const get = async (path: string) => {
    if (!send) return (await user.call('GET', path)).body
    return (await send(`/api/v1${path}`, { headers: { authorization: `Bearer ${user.key}` } })).json()
  }
  const { forms, pagination } = await get('/forms?perPage=100')
  const expected = model.list(who)
  expect(pagination.total).toBe(expected.length)
  for (const [position, form] of expected.slice(0, 100).entries()) expectForm(forms[position], form)
  for (const form of expected) {
    expectSubmissions(await get(`/forms/${form.id}/submissions?perPage=100`), form, 1, 100)
    expectSpam(await get(`/forms/${form.id}/spam?perPage=100`), form, 1, 100)
    expect(await get(`/forms/${form.id}/settings`)).toEqual(form.settings)
    const { webhooks } = await get(`/forms/${form.id}/webhooks`)
    expect(webhooks.map(({ id }: { id: string }) => id)).toEqual([...form.webhooks.keys()])
    expect(webhooks.map(textOfWebhook)).toEqual([...form.webhooks.values()].map(textOfWebhook))
    expectDeliveries(await get(`/forms/${form.id}/deliveries`), form)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: what the API answered
const expectForm = (body: any, form: ModelForm): void => {
  const { createdAt, updatedAt, ...rest } = body
  expect({ form: rest, isUpdated: updatedAt !== null }).toEqual(shown(form))
  expect(createdAt).toMatch(/^\d{4}-.*Z$/)
}

// biome-ignore lint/suspicious/noExplicitAny: what the API answered
const expectSubmissions = (body: any, form: ModelForm, page: number, perPage: number): void => {
  const newestFirst = form.submissions.toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const { items, pagination } = pageOf(newestFirst, page, perPage)
  expect(body.pagination).toEqual(pagination)
  expect(body.submissions.map(({ id, data }: { id: string; data: Data }) => [id, JSON.stringify(data)])).toEqual(
    items.map(({ id, data }) => [id, JSON.stringify(data)]),
  )
}

// biome-ignore lint/suspicious/noExplicitAny: what the API answered
const expectSpam = (body: any, form: ModelForm, page: number, perPage: number): void => {
  const newestFirst = form.spam.toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const { items, pagination } = pageOf(newestFirst, page, perPage)
  expect(body.pagination).toEqual(pagination)
  const found = body.spam.map((one: ModelForm['spam'][0]) => [one.id, JSON.stringify(one.data), one.reason])
  expect(found).toEqual(items.map(({ id, data, reason }) => [id, JSON.stringify(data), reason]))
}

/** One of the form itself, or hardly any call would succeed; undefined for one of all there ever were. */
const mostlyOwn = (own: readonly string[], pick: number): string | undefined =>
  own.length > 0 && pick % 8 > 0 ? own[pick % own.length] : undefined

// biome-ignore lint/suspicious/noExplicitAny: what the API answered
const expectDeliveries = ({ deliveries, pagination }: any, form: ModelForm): void => {
  // Of what waits for a webhook that was switched off, some may have failed already, and stay when it is marked as spam.
  if (!form.hasGivenUp) expect(pagination.total).toBe(form.deliveries.size)
  for (const { submissionId } of deliveries)
    expect([...form.submissions, ...form.spam].some(({ id }) => id === submissionId)).toBe(true)
}

const textOfWebhook = ({ description, enabled }: ModelWebhook): string => JSON.stringify([description, enabled])

/** Whether the call succeeded, once its status is the one that it must have. */
const expectStatus = (answer: Answer, status: number): boolean => {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  return status === 200
}

const isWebhookText = (text: string | null): boolean => text === null || text.length <= 200
const isTitle = (value: string | undefined): boolean =>
  value === undefined || (value.trim() !== '' && [...value].length <= 255 && !value.includes('\0'))
const areChanges = (form: Changes): boolean =>
  isTitle(form.title) &&
  !form.description?.includes('\0') &&
  (form.returnUrl === undefined || form.returnUrl === null || /^https?:\/\//.test(form.returnUrl))
const isNewForm = (form: Changes): boolean => form.title !== undefined && areChanges(form)
const areSettings = ({ columns, honeypot, allowedOrigins, submitLimit }: Partial<Settings>): boolean =>
  submitLimit !== 0 &&
  !allowedOrigins?.includes('nowhere') &&
  honeypot !== '_next' &&
  honeypot !== '' &&
  (!columns || (columns.length <= 8 && new Set(columns).size === columns.length))
const isPage = ({ page, perPage }: { page: number; perPage: number }): boolean =>
  page >= 1 && perPage >= 1 && perPage <= 100
