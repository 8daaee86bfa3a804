import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { serverWithUser } from '../harness.ts'
import { world } from '../world.ts'
import { bytes, expectRefused } from './collected.ts'

describe('a submission of another content type', () => {
  const accepted = 'application/x-www-form-urlencoded, multipart/form-data or application/json'

  test.each(['text/plain', 'application/vnd.api+json', 'application/jfoo', 'application/xml', 'text/json', ';'])(
    'is refused as %p',
    async (type) => {
      const has = type === ';' ? 'none' : type
      await expectRefused('{"a":1}', type, `body: must have Content-Type ${accepted}, has ${has}`)
    },
  )

  test('is refused without any', async () => {
    await expectRefused(bytes('a=1'), undefined, `body: must have Content-Type ${accepted}, has none`)
  })
})

describe('a compressed submission', () => {
  const urlencoded = 'application/x-www-form-urlencoded'

  test.each([
    ['as fields of a form', 'a=1', urlencoded],
    ['as JSON', '{"a":1}', 'application/json'],
    [
      'with a file',
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
      'multipart/form-data; boundary=x',
    ],
  ])('is refused in words that say so: %s', async (_what, text, type) => {
    const { server, ada, formId } = await world()
    const headers = { 'content-type': type, 'content-encoding': 'gzip' }
    const answer = await server.fetch(`/s/${formId}`, { method: 'POST', headers, body: gzipSync(text) })
    expect(answer.status).toBe(400)
    const message = 'Content-Encoding: must be absent, is gzip; compressed bodies are not supported'
    expect(((await answer.json()) as { issues: object[] }).issues).toEqual([{ message }])
    expect((await ada.call('GET', `/forms/${formId}`)).body.submissionCount).toBe(0)
  })

  test('is taken if it only says that it is not compressed', async () => {
    const { server, ada } = await serverWithUser()
    const headers = { 'content-type': urlencoded, 'content-encoding': 'identity' }
    const answer = await server.fetch(`/s/${await ada.createForm()}`, { method: 'POST', headers, body: 'a=1' })
    expect(answer.status).toBe(200)
  })
})
