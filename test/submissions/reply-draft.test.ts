import { expect, test } from 'bun:test'
import { replyDraft } from '../../src/submissions/replies/draft.ts'
import { fieldsIn } from '../../src/submissions/sent-fields.ts'

const draft = (data: object) => replyDraft(fieldsIn(JSON.stringify(data)), null, 'Contact')

test('a reply by hand begins with the address, what it is about, and the quoted text', () => {
  const email = 'ada@example.com'
  const subject = 'Two cakes'
  expect(draft({ name: 'Ada', email, subject, message: 'One line.\nAnother one.' })).toEqual({
    ...{ to: email, subject: `Re: ${subject}`, body: '\r\n\r\n> One line.\r\n> Another one.' },
  })
  expect(draft({ email })).toEqual({ to: email, subject: 'Re: Contact', body: '' })
  expect(draft({ email, message: 'x'.repeat(2000) })?.body).toHaveLength(4 + 2 + 1500 + 1)
  expect(draft({ name: 'Ada', message: 'Hello' })).toBeNull()
  expect(draft({ email: 'not an address', message: 'Hello' })).toBeNull()
})
