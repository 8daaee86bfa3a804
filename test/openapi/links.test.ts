import { expect, test } from 'bun:test'
import { readDocument } from '../documented.ts'
import { serverWithUser } from '../harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
type Json = any

const onForm = ['getForm', 'updateForm', 'deleteForm', 'duplicateForm', 'listSubmissions']

const onWebhook = ['getWebhook', 'updateWebhook', 'deleteWebhook', 'rotateWebhook']

/** Every operation that answers with identifiers, and those that take one. */
const linked: Record<string, string[]> = {
  createForm: onForm,
  createForms: [...onForm, 'deleteForms'],
  duplicateForm: onForm,
  listForms: [...onForm, 'updateForms'],
  listSubmissions: ['getSubmission', 'deleteSubmission'],
  searchSubmissions: ['getSubmission'],
  searchSpam: ['getSpam'],
  listSpam: ['getSpam', 'acceptSpam', 'deleteSpam'],
  listWebhooks: onWebhook,
  createWebhook: onWebhook,
  listDeliveries: ['retryDelivery'],
}

test('the document links what answers with identifiers to what takes them, and nothing else', async () => {
  const { server } = await serverWithUser()
  const document = await readDocument(server.url)

  const found = operationsOf(document)
    .filter(({ operation }) => Object.values<Json>(operation.responses).some(({ links }) => links))
    .map(({ operation }) => [
      operation.operationId,
      Object.values<Json>(operation.responses[200].links).map((link) => link.operationId),
    ])

  expect(Object.fromEntries(found)).toEqual(linked)
})

test.each(Object.entries(linked).flatMap(([from, targets]) => targets.map((to) => [from, to] as const)))(
  'the link from %s to %s leads to an operation that succeeds',
  async (from, to) => {
    const { server, ada } = await serverWithUser()
    const document = await readDocument(server.url)
    const formId = await ada.createForm()
    // Refused before anything is sent.
    await ada.call('POST', `/forms/${formId}/webhooks`, { url: 'http://hook.localhost:1/' })
    await server.submit(formId, { a: 1 })
    await server.submit(formId, { a: 1, _gotcha: 'x' })
    const call = (operationId: string, parameters: Record<string, string>, body?: unknown) => {
      const { path, method, operation } = find(document, operationId)
      const used = operation.requestBody?.content['application/json'].example
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => parameters[name] ?? expect.unreachable(`without ${name}`))
      return ada.call(method.toUpperCase(), filled, body ?? used)
    }
    const first = await call(from, { formId })
    expect(first.status).toBe(200)

    const link = find(document, from).operation.responses[200].links[to]
    const evaluate = (expression: string): Json => {
      if (expression === '$request.path.formId') return formId
      expect(expression).toStartWith('$response.body')
      return (
        expression
          .split('#/')[1]
          ?.split('/')
          .reduce((value, key) => value[key], first.body) ?? first.body
      )
    }
    const parameters = Object.fromEntries(
      Object.entries<string>(link.parameters ?? {}).map(([name, expression]) => [name, evaluate(expression)]),
    )
    const second = await call(to, parameters, link.requestBody && evaluate(link.requestBody))

    expect(second.status).toBe(200)
    expect(link.description).toMatch(/^[A-Z].+\.$/)
  },
)

const operationsOf = (document: Json) =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ path, method, operation })),
  )

const find = (document: Json, operationId: string) =>
  operationsOf(document).find(({ operation }) => operation.operationId === operationId) ??
  expect.unreachable(`no operation ${operationId}`)
