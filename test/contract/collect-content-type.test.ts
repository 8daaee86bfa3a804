import { describe, test } from 'bun:test'
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
