import { expect, test } from 'bun:test'
import Ajv from 'ajv'
import { newMembers } from '../../src/forms/webhooks/webhook-members.ts'
import { webhookMessage } from '../../src/sending/webhooks/message.ts'
import type { StoredSubmission } from '../../src/submissions/stored-submission.ts'
import { sharedServer } from '../harness.ts'
import { storedRow } from '../submissions/stored.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
type Json = any

test('every example of the document is valid under its schema', async () => {
  const server = await sharedServer()
  const document = await (await server.fetch('/api/v1/openapi.json')).json()
  const formats = { 'date-time': isDateTime, uri: URL.canParse, int32: true, int64: true } as const
  const ajv = new Ajv({ strict: false, allErrors: true, formats })
  ajv.addSchema(document, 'document')

  const examples = findExamples(document)

  // Less would mean that the search has missed some.
  expect(examples.length).toBeGreaterThan(90)
  for (const { pointer, example } of examples) {
    const validate = ajv.compile({ $ref: `document#${pointer}` })
    validate(example)
    expect(validate.errors ?? [], `${JSON.stringify(example)} under ${pointer}`).toEqual([])
  }
})

test.each<[string, StoredSubmission | null]>([
  ['a submission', storedRow('01kahp6a8d00q2s4tznwe8cm3k9f', '{"name":"Ada","age":36}')],
  ['a test', null],
])('what a webhook gets is valid under the schema of the callback: %s', async (_, submission) => {
  const server = await sharedServer()
  const document = await (await server.fetch('/api/v1/openapi.json')).json()
  const { post } = document.paths['/forms/{formId}/webhooks'].post.callbacks.message['{$request.body#/url}']
  const ajv = new Ajv({ strict: false, formats: { 'date-time': isDateTime } })
  ajv.addSchema({ ...document, schema: post.requestBody.content['application/json'].schema }, 'document')
  const validate = ajv.compile({ $ref: 'document#/schema' })

  const place = { target: 'https://example.com/hooks', urlToken: null, headers: null }
  const { headers, body } = webhookMessage({
    ...{ id: 'd', submission, attemptAt: 0, link: null },
    receiver: { ...newMembers({}), ...place, secret: null, oldSecrets: '[]' },
    form: { id: 'f', title: 'Contact', settings: null },
  })

  validate(JSON.parse(body.toString()))
  expect(validate.errors ?? []).toEqual([])
  expect(validate({ type: 'another', timestamp: '2026-11-21T08:01:00.000Z', data: {} })).toBe(false)
  const described = post.parameters.map(({ name }: Json) => name)
  expect(Object.keys(headers)).toEqual(['content-type', ...described])
})

interface Example {
  /** JSON pointer to the schema that the example has to be valid under. */
  readonly pointer: string
  readonly example: Json
}

/** An example belongs to the schema that stands beside it, or is part of a schema itself. */
const findExamples = (value: Json, pointer = ''): Example[] => {
  if (typeof value !== 'object' || value === null) return []
  const isOwn = Object.hasOwn(value, 'example') && !pointer.endsWith('/properties')
  return [
    ...(isOwn ? [{ pointer: value.schema ? `${pointer}/schema` : pointer, example: value.example }] : []),
    ...Object.entries(value)
      .filter(([key]) => key !== 'example')
      .flatMap(([key, inner]) => findExamples(inner, `${pointer}/${escaped(key)}`)),
  ]
}

const escaped = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

const isDateTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)
