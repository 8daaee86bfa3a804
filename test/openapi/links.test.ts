import { expect, test } from 'bun:test'
import { allOperations } from '../../src/api/all-operations.ts'
import { readDocument } from '../documented.ts'
import { serverWithUser } from '../harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
type Json = any

/** Every link from an operation to another. */
const links = allOperations({} as never).flatMap(({ operationId, links = {} }) =>
  Object.keys(links).map((to) => [operationId, to] as const),
)

test('what creates a form or a webhook, and every list of the contract, has links', () => {
  const from = links.map(([operationId]) => operationId)
  for (const id of ['createForm', 'createForms', 'duplicateForm', 'createWebhook', 'listForms', 'listSubmissions'])
    expect(from).toContain(id)
})

test.each(links)('the link from %s to %s leads to an operation that succeeds', async (from, to) => {
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
  expect(link.operationId).toBe(to)
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
})

const operationsOf = (document: Json) =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ path, method, operation })),
  )

const find = (document: Json, operationId: string) =>
  operationsOf(document).find(({ operation }) => operation.operationId === operationId) ??
  expect.unreachable(`no operation ${operationId}`)
