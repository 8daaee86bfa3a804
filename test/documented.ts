// Checks every answer that a test gets from the API against the server's OpenAPI document.
import { expect } from 'bun:test'
import Ajv from 'ajv'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
type Json = any

/** The document of the first server, used for all. The documents differ only in the public URL. */
let loading: Promise<{ document: Json; ajv: Ajv; headers: readonly string[] }> | undefined

/** Fails unless the document lists the status for the operation, and the headers, and the body matches the document. */
export const expectDocumented = async (
  url: string,
  path: string,
  method: string,
  response: Response,
): Promise<void> => {
  if (path.startsWith('/api/v1/openapi.json')) return
  loading ??= load(url)
  const { document, ajv, headers } = await loading
  const name = operationOf(document, path.replace('/api/v1/', '/'), method)
  // Beside the API there are addresses for browsers.
  if (!name && !path.startsWith('/api/')) return
  const operation = name && document.paths[name][method === 'HEAD' ? 'get' : method.toLowerCase()]
  const text = await response.text()
  expect(response.headers.get('x-request-id'), `X-Request-Id of ${method} ${path}`).toMatch(/\S/)
  if (method === 'HEAD') return
  if (response.status === 304) {
    expect(operation?.responses[304], `304 of ${method} ${name}`).toBeObject()
    return
  }
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  const types = Object.keys(operation?.responses[response.status]?.content ?? { 'application/json': null })
  if (path.startsWith('/api/') || type === 'application/json')
    expect(types, `content types that the document lists for ${method} ${name}`).toContain(type)
  const statuses = operation ? Object.keys(operation.responses).map(Number) : [401, 403, 404, 429]
  expect(statuses, `statuses that the document lists for ${method} ${name ?? path}`).toContain(response.status)
  const listed = Object.keys(operation?.responses[response.status]?.headers ?? {})
  const unlisted = headers.filter((header) => response.headers.has(header) && !listed.includes(header))
  expect(operation ? unlisted : [], `headers that the document does not list for ${method} ${name}`).toEqual([])
  if (type !== 'application/json') return
  const place = `#/paths/${pointer(name ?? '')}/${method.toLowerCase()}/responses/${response.status}/content/application~1json/schema`
  // Most operations share that of errors, which is compiled once.
  const { $ref = place } = operation
    ? operation.responses[response.status].content[type].schema
    : { $ref: '#/components/schemas/Error' }
  const schema = `document${$ref}`
  const validate = ajv.getSchema(schema)
  expect(validate, `schema ${schema}`).toBeDefined()
  validate?.(JSON.parse(text))
  expect(validate?.errors ?? [], `${method} ${path} answered ${response.status} ${text.slice(0, 500)}`).toEqual([])
}

const load = async (url: string) => {
  const document = await readDocument(url)
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
  const strict = toStrict(document)
  // That of an erasure also has what is gone.
  strict.components.schemas.Error.additionalProperties = true
  ajv.addSchema(strict, 'document')
  const responses = operationsOf(document).flatMap((operation) => Object.values<Json>(operation.responses))
  return { document, ajv, headers: [...new Set(responses.flatMap(({ headers = {} }) => Object.keys(headers)))] }
}

/** The document of a server, with the parameters and responses that operations share in each of them. */
export const readDocument = async (url: string): Promise<Json> => {
  const document = await (await fetch(`${url}/api/v1/openapi.json`)).json()
  const found = (part: Json): Json =>
    typeof part.$ref === 'string'
      ? part.$ref
          .slice(2)
          .split('/')
          .reduce((inner: Json, key: string) => inner[key], document)
      : part
  for (const operation of operationsOf(document)) {
    if (operation.parameters) operation.parameters = operation.parameters.map(found)
    for (const [status, response] of Object.entries(operation.responses)) operation.responses[status] = found(response)
  }
  return document
}

const operationsOf = (document: Json): Json[] =>
  Object.values<Json>(document.paths).flatMap((item) => Object.values<Json>(item))

/** OpenAPI 3.0 has `nullable` where JSON Schema has a second type. An object has only the members that are listed. */
const toStrict = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(toStrict)
  if (typeof value !== 'object' || value === null) return value
  const { nullable, ...rest } = value
  const mapped = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, toStrict(inner)]))
  // A client that is made from the document knows nothing of a member that it does not list.
  const closed = 'properties' in mapped && { additionalProperties: false }
  return { ...closed, ...mapped, ...(nullable === true && { type: [mapped.type, 'null'] }) }
}

/** The path in the document that matches a request. A literal segment such as `bulk` wins over a parameter. */
const operationOf = (document: Json, path: string, method: string): string | undefined => {
  const segments =
    path
      .split('?', 1)[0]
      ?.replace(/(.)\/$/, '$1')
      .split('/') ?? []
  const candidates = Object.keys(document.paths).filter((name) => {
    const parts = name.split('/')
    return parts.length === segments.length && parts.every((part, i) => part === segments[i] || part.startsWith('{'))
  })
  const literal = (name: string) => name.split('/').filter((part) => !part.startsWith('{')).length
  const [name] = candidates.sort((a, b) => literal(b) - literal(a))
  return name && document.paths[name][method === 'HEAD' ? 'get' : method.toLowerCase()] ? name : undefined
}

const pointer = (text: string): string => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'))
