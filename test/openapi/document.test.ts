import { describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { allOperations } from '../../src/api/all-operations.ts'
import { schemasIn, toSchema } from '../../src/api/document/to-schema.ts'
import { NamedObject, Text } from '../../src/api/kind-schema.ts'
import type { Operation } from '../../src/api/operation.ts'
import { fileFormats } from '../../src/transfer/formats.ts'
import { readDocument } from '../documented.ts'
import { sharedServer, startServer } from '../harness.ts'
import { world } from '../world.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
type Json = any

/** A machine of a cluster also answers with 503 for a form that it does not know yet. */
const usual = ['200', '400', '401', '403', '404', '429', '500', '503']
/** A query with identifiers may be too long for Bun, which answers before Formbox sees the request. */
const forLongQuery = [...usual, '431'].sort()
/** The contract lists no 404 where there is nothing to be found yet. */
const forCreate = usual.filter((status) => status !== '404')

const forFile = [...usual, '206', '304', '416'].sort()

const all = allOperations({} as never)

const statusesOf = ({ method, path, operationId, answer }: Operation): readonly string[] => {
  // It names no form.
  if (operationId === 'listSharedForms') return ['200', '400', '401', '429', '500', '503']
  if (answer === 'file') return forFile
  if (method === 'DELETE' && path.endsWith('/bulk')) return forLongQuery
  if (method === 'GET') return /\/(search|inbox|answers)$/.test(path) ? forLongQuery : usual
  return method === 'POST' && !path.includes(':') ? forCreate : usual
}

const operations = all.map((operation) => {
  const { method, path, operationId, tags } = operation
  const documented = path.replaceAll(/:(\w+)/g, '{$1}')
  return [method.toLowerCase(), documented, operationId, tags[0], statusesOf(operation), operation] as const
})

/** Operations that create something, whose calls can be named. */
const repeatable = new Set(all.filter((operation) => 'isIdempotent' in operation).map(({ operationId }) => operationId))

const documentOf = async (settings: Record<string, string> = {}): Promise<Json> =>
  readDocument((await sharedServer(settings)).url)

describe('GET /api/v1/openapi.json', () => {
  test('describes version 1.0.0 of the API in OpenAPI 3.0.3', async () => {
    const document = await documentOf()
    expect(document.openapi).toBe('3.0.3')
    expect(document.info.version).toBe('1.0.0')
    expect(document.servers.map((server: Json) => server.url)).toEqual(['/api/v1'])
  })

  test('lists everything that is said of a field that is wrong, and every rule', async () => {
    const { Issue } = (await documentOf()).components.schemas
    const fields = [{ name: 'a', type: 'email' }]
    const { post } = await world({ form: { fields, otherFields: 'refuse' } })
    const { issues } = (await post('a=b&c=d')).body
    for (const issue of issues) expect(Object.keys(issue)).toEqual(Object.keys(Issue.properties))
    expect(Issue.properties.rule.enum).toEqual(expect.arrayContaining(issues.map(({ rule }: Json) => rule)))
  })

  test('names the public address where one is configured', async () => {
    const document = await documentOf({ FORMBOX_URL: 'https://forms.example.net' })
    expect(document.servers.map((server: Json) => server.url)).toEqual(['https://forms.example.net/api/v1'])
  })

  test('names no address of the operator where none is configured', async () => {
    expect((await documentOf()).info.contact).not.toHaveProperty('url')
    const { info } = await documentOf({ FORMBOX_URL: 'https://forms.example.net' })
    expect(info.contact.url).toBe('https://forms.example.net')
  })

  test('names bytes first for an export, then the default: generated clients read all answers as what is first', async () => {
    const { paths } = await documentOf()
    const { parameters, responses } = paths['/forms/{formId}/export'].get
    const types = [
      'application/zip',
      fileFormats.xlsx.mediaType,
      'text/csv',
      'application/x-ndjson',
      'application/json',
    ]
    expect(Object.keys(responses[200].content)).toEqual(types)
    expect(parameters.find(({ name }: Json) => name === 'format').schema.default).toBe('csv')
  })

  test('is the same for all clients, machines and starts, whatever host they ask', async () => {
    const servers = [await startServer(), await startServer()]
    const answers = await Promise.all(
      servers.flatMap(({ url }) =>
        ['one.example.com', 'another.example.com:8080'].map((host) =>
          fetch(`${url}/api/v1/openapi.json`, { headers: { host } }),
        ),
      ),
    )
    const [text = '', ...others] = await Promise.all(answers.map((answer) => answer.text()))
    expect(new Set(others)).toEqual(new Set([text]))
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(1)
    expect(text).toContain("'https://YOUR_SERVER/api/v1/forms'")
  })

  test('has the public URL in its samples if one is configured, and then another tag', async () => {
    const tags = await Promise.all(
      [{}, { FORMBOX_URL: 'https://forms.example.net' }].map(async (settings) => {
        const { url } = await sharedServer(settings)
        const answer = await fetch(`${url}/api/v1/openapi.json`)
        const origins = (await answer.text()).match(/https:\/\/[\w.]+(?=\/api\/v1\/forms')/g)
        expect([...new Set(origins)]).toEqual([settings.FORMBOX_URL ?? 'https://YOUR_SERVER'])
        return answer.headers.get('etag')
      }),
    )
    expect(new Set(tags).size).toBe(2)
  })

  test('is compressed for clients that take gzip, and is 304 without a body for those that have it', async () => {
    const { url } = await sharedServer()
    const ask = async (encoding: string, tag = '"none"') => {
      const headers = { 'accept-encoding': encoding, 'if-none-match': tag }
      const response = await fetch(`${url}/api/v1/openapi.json`, { headers, decompress: false })
      return { status: response.status, headers: response.headers, bytes: await response.bytes() }
    }
    const plain = await ask('identity')
    const small = await ask('gzip, br')

    expect(gunzipSync(small.bytes).equals(plain.bytes)).toBe(true)
    expect(small.bytes.length).toBeLessThan(plain.bytes.length / 7)
    expect([plain, small].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip'])
    for (const { headers, bytes } of [plain, small]) {
      expect(headers.get('content-type')).toBe('application/json')
      expect(headers.get('content-length')).toBe(String(bytes.length))
      expect(headers.get('vary')).toBe('Accept-Encoding')
      expect(headers.get('cache-control')).toBe('no-cache')
    }
    for (const [encoding, { headers }] of [
      ['identity', plain],
      ['gzip', small],
    ] as const) {
      const tag = headers.get('etag') ?? ''
      const again = await ask(encoding, `W/${tag}`)
      expect([again.status, again.bytes.length, again.headers.get('etag')]).toEqual([304, 0, tag])
    }
    expect((await ask('gzip', plain.headers.get('etag') ?? '')).status).toBe(200)
    const head = await fetch(`${url}/api/v1/openapi.json`, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(small.bytes.length)])
  })

  test('describes every operation, with paths relative to the server', async () => {
    const { paths } = await documentOf()
    const described = Object.entries<Json>(paths).flatMap(([path, item]) =>
      Object.entries<Json>(item).map(([method, operation]) => `${method} ${path} ${operation.operationId}`),
    )
    const names = operations.map(([method, path, id]) => `${method} ${path} ${id}`)
    const collecting = ['post /s/{formId} submit', 'get /s/{formId}/challenge getChallenge']
    expect(described.sort()).toEqual([...names, ...collecting].sort())
  })

  test('describes where forms send to: beside the API, without a key', async () => {
    for (const [settings, url] of [
      [{}, '/'],
      [{ FORMBOX_URL: 'https://forms.example.net' }, 'https://forms.example.net'],
    ] as const) {
      const { paths } = await documentOf(settings)
      for (const operation of [paths['/s/{formId}'].post, paths['/s/{formId}/challenge'].get]) {
        expect(operation.servers.map((server: Json) => server.url)).toEqual([url])
        expect(operation.security).toEqual([])
      }
    }
    const { requestBody } = (await documentOf()).paths['/s/{formId}'].post
    expect(Object.keys(requestBody.content)).toEqual([
      ...['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
    ])
  })

  test('has the header that names a call where something is created, and nowhere else', async () => {
    const { paths } = await documentOf()
    const named = operations.filter(([method, path]) => {
      const { parameters = [], responses } = paths[path][method]
      const header = parameters.find((parameter: Json) => parameter.in === 'header')
      expect(header?.name).toBe(responses[200].headers['Idempotency-Replayed'] && 'Idempotency-Key')
      return header !== undefined
    })
    expect(new Set(named.map(([, , id]): string => id))).toEqual(repeatable)
  })

  test('gives no defaults to an update: a generated client would send them, and change what it does not name', async () => {
    const { paths, components } = await documentOf()
    const updates = operations.filter(([method]) => method === 'patch')
    for (const [method, path] of updates) {
      const { $ref } = paths[path][method].requestBody.content['application/json'].schema
      expect(JSON.stringify(components.schemas[$ref.split('/').at(-1)]), path).not.toContain('"default":')
    }
    expect(components.schemas.FormSettings.properties.spamDays.default).toBe(30)
  })

  test('says once what several operations have: errors, parameters, enums', async () => {
    const { url } = await sharedServer()
    const { paths } = await (await fetch(`${url}/api/v1/openapi.json`)).json()
    const described = Object.values<Json>(paths).flatMap((item) => Object.values<Json>(item))
    const ofApi = described.filter(({ security }) => security === undefined)
    for (const { operationId, responses } of ofApi)
      for (const [status, response] of Object.entries<Json>(responses))
        if (Number(status) >= 400) expect(Object.keys(response), `${status} of ${operationId}`).toEqual(['$ref'])
    const parameters = described.flatMap(({ parameters = [] }) => parameters).filter(({ $ref }) => $ref === undefined)
    expectDifferent(parameters.map((parameter) => JSON.stringify(parameter)))
    const { components } = await documentOf()
    const enums = Object.values<Json>(components.schemas).flatMap((schema) => inlineEnums(schema.properties ?? {}))
    expectDifferent(enums)
  })

  test('refers to a schema by its name, which no other schema has', () => {
    const named = (maxLength: number) => NamedObject('NameOfThisTest', { text: Text({ maxLength }) })
    const reference = { $ref: '#/components/schemas/NameOfThisTest' }
    const document = [toSchema(named(1)), toSchema([named(1)])]
    expect(JSON.parse(JSON.stringify(document))).toEqual([reference, [reference]])
    expect(Object.keys(schemasIn(document))).toEqual(['NameOfThisTest'])
    expect(Object.keys(schemasIn({}))).toEqual([])
    expect(() => schemasIn([...document, toSchema(named(2))])).toThrow('Two schemas have the name NameOfThisTest')
  })

  test('has no two names that are one in Go, where openapi-generator makes a function `NewForm` for `Form`', async () => {
    const { schemas } = (await documentOf()).components
    const names = Object.keys(schemas)
    expect(names.filter((name) => names.includes(name.replace(/^New/, '')) && name.startsWith('New'))).toEqual([])
    // Those of all enums with a name are constants of one package.
    const words = Object.values<Json>(schemas).flatMap((schema) => schema.enum?.filter(Boolean) ?? [])
    expectDifferent(words.map((word) => word.toUpperCase()))
  })

  test('has no pattern with a range above \\x7f, which is one of bytes in Ruby and PHP', async () => {
    const patterns = findAll(await documentOf(), ({ pattern }) => typeof pattern === 'string')
    expect(patterns.length).toBeGreaterThan(20)
    expect(patterns.filter(({ pattern }) => /\\x[89a-f]|\\u|\[[^\]]*[^\t\x20-\x7e]/i.test(pattern))).toEqual([])
  })

  test('lets a client know a misspelt field: no body takes any field, though the service ignores what it does not know', async () => {
    const { components } = await documentOf()
    const open = Object.entries<Json>(components.schemas).filter(([, schema]) => schema.additionalProperties === true)
    expect(open.map(([name]) => name)).toEqual(['SubmissionData'])
  })

  test('says of every integer whether it fits into 32 bits', async () => {
    const integers = findAll(await documentOf(), ({ type }) => type === 'integer')
    expect(integers.length).toBeGreaterThan(50)
    for (const { format, maximum = 0, ...schema } of integers) {
      expect([format, schema]).toEqual([expect.stringMatching(/^int(32|64)$/), schema])
      expect(format === 'int64' || maximum < 2 ** 31).toBe(true)
    }
  })

  test('has no pattern for a time: a client of Python looks for it in the date that it made of the text', async () => {
    const times = findAll(await documentOf(), ({ format }) => format === 'date-time')
    expect(times.length).toBeGreaterThan(20)
    expect(times.filter(({ pattern }) => pattern !== undefined)).toEqual([])
  })

  test('has what someone must know before the first call', async () => {
    const { info } = await documentOf()
    expect(info.description.match(/\*\*\w+( \w+)?\.\*\*/g)).toEqual(
      ['Keys', 'Errors', 'Pages', 'Once only', 'Limits', 'Changes'].map((word) => `**${word}.**`),
    )
    expect(info.description.length).toBeLessThan(1600)
  })

  test('asks for a bearer key on every operation', async () => {
    const document = await documentOf()
    expect(document.components.securitySchemes).toEqual({
      bearer: expect.objectContaining({ type: 'http', scheme: 'bearer' }),
    })
    expect(document.security).toEqual([{ bearer: [] }])
    for (const [method, path] of operations) expect(document.paths[path][method]).not.toHaveProperty('security')
  })

  test.each(operations)('explains %s %s', async (method, path, id, tag, statuses, described) => {
    const document = await documentOf()
    const operation = document.paths[path][method]

    expect(operation.tags).toEqual([tag])
    expect(document.tags.map(({ name }: Json) => name)).toContain(tag)
    expect(operation.summary).toMatch(/^[A-Z].+[^.]$/)
    expect(operation.description).toMatch(/^[A-Z].+\.$/)
    expect(operation.operationId).toBe(id)

    const required = (operation.parameters ?? []).filter((parameter: Json) => parameter.required)
    expect(required.map((parameter: Json) => `{${parameter.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
    for (const parameter of operation.parameters ?? []) {
      expect(parameter.description, `description of ${parameter.name}`).toBeString()
      expect(parameter.example, `example of ${parameter.name}`).toBeDefined()
      expect(parameter.schema.type ?? parameter.schema.$ref, `type of ${parameter.name}`).toBeString()
    }

    const body = described.method === 'GET' ? undefined : described.body
    const { takesFile } = described
    expect(operation.requestBody?.required).toBe(takesFile ? true : body && !body.isOptional)
    const types = takesFile?.mediaTypes ?? (body ? ['application/json'] : [])
    expect(Object.keys(operation.requestBody?.content ?? {})).toEqual([...types])
    if (body) expect(operation.requestBody.content['application/json'].example).toBeObject()

    expect(Object.keys(operation.responses).sort()).toEqual([...statuses])
    for (const status of statuses) expectAnswer(described, status, operation.responses[status])
  })
})

const expectDifferent = (texts: readonly string[]): void =>
  expect(texts.filter((text, position) => texts.indexOf(text) !== position)).toEqual([])

const inlineEnums = (properties: Json): string[] =>
  Object.values<Json>(properties).flatMap((property) => (property.enum ? [JSON.stringify(property.enum)] : []))

const findAll = (value: Json, isWanted: (part: Json) => boolean): Json[] => {
  if (typeof value !== 'object' || value === null) return []
  return [...(isWanted(value) ? [value] : []), ...Object.values(value).flatMap((part) => findAll(part, isWanted))]
}

const expectAnswer = ({ operationId: id, answer }: Operation, status: string, response: Json): void => {
  if (status === '431') {
    expect(response).toEqual({ description: expect.stringMatching(/^[A-Z]/) })
    return
  }
  const isPartOfFile = status === '206' || status === '304'
  if (isPartOfFile || (status === '200' && answer === 'file')) {
    expect(response.description).toMatch(/^[A-Z]/)
    expect(Object.keys(response.headers)).toContain('ETag')
    const types = ['application/octet-stream', 'image/png', 'image/jpeg', 'image/gif', 'image/webp']
    expect(Object.keys(response.content ?? {})).toEqual(status === '304' ? [] : types)
    return
  }
  if (status === '200' && answer === 'zip') {
    expect(response.content).toEqual({ 'application/zip': { schema: { type: 'string', format: 'binary' } } })
    return
  }
  const { schema, example } = response.content['application/json']
  expect(response.description, `description of ${status}`).toMatch(/^[A-Z]/)
  expect(typeof example, `example of ${status}`).toBe('object')
  // Generated clients name a type after it.
  expect(schema.$ref, `name of ${id} ${status}`).toBeString()
  if (status !== '200') {
    expect(schema).toEqual({ $ref: '#/components/schemas/Error' })
    expect(example.code, `example of ${status}`).toBe(codes[status])
    expect(example.error).toEqual({ code: example.code, message: example.message })
  }
  const headers = ['X-Request-Id']
  if (status !== '401') headers.push('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset')
  if (status === '429' || status === '503') headers.push('Retry-After')
  if (status === '200' && repeatable.has(id)) headers.push('Idempotency-Replayed')
  if (status === '416') headers.push('Content-Range')
  expect(Object.keys(response.headers), `headers of ${status}`).toEqual(headers)
}

const codes: Record<string, string> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  416: 'BAD_REQUEST',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'INTERNAL_SERVER_ERROR',
}
