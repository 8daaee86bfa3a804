import { expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import type { Claimed } from '../../src/outbox/claim.ts'
import { openReader, type Reader } from '../../src/storage/reader.ts'
import { fileReads } from '../../src/submissions/files/file-reads.ts'
import { deliveryAttempts } from '../../src/upkeep/jobs/attempt-delivery.ts'
import { afterThisTest } from '../harness.ts'
import { noon, openOutbox } from '../outbox/outbox.ts'

const optionsFor = (reader: Reader) => ({
  reader,
  files: fileReads(reader.db),
  signingKey: async () => Buffer.alloc(32),
  post: () => Promise.reject(new Error('nothing is posted')),
  sendMail: null,
  sendReply: null,
  publicUrl: null,
  now: () => noon,
})

test.each([
  ['switched off', 'updateWebhook', { enabled: false, now: noon }],
  ['deleted, with its secret', 'deleteWebhook', { now: noon }],
])('a webhook that was %s since the delivery was claimed is told nothing', async (_, command, change) => {
  const { folder, addWebhook, submit, formId, userId, run, claim } = openOutbox()
  const id = addWebhook()
  submit(formId, [noon])
  const { claimed } = claim()
  run(command, { userId, formId, id, ...change })
  const reader = openReader(folder)
  afterThisTest(() => reader.close())
  const posted: string[] = []
  const attempt = deliveryAttempts({
    ...optionsFor(reader),
    async post(url) {
      posted.push(url)
      return { status: 204, error: null, answer: '', retryAfterMilliseconds: null, milliseconds: 1 }
    },
  })
  expect(await attempt(claimed[0] as Claimed, AbortSignal.timeout(1000))).toMatchObject({
    result: 'refused',
    status: null,
  })
  expect(posted).toEqual([])
})

test('no email asks to confirm what was let in by hand since the delivery was claimed', async () => {
  const { folder, formId, userId, run, claim } = openOutbox()
  const confirm = { field: 'email', subject: 's', text: '{link}', days: 1 }
  const fields = [{ name: 'email', type: 'email', required: true }]
  run('updateFormSettings', { userId, id: formId, now: noon, changes: { fields, confirm } })
  const id = newId(noon)
  const asked = { target: 'ada@example.org', address: 'a', person: 'p', browser: 'b', endsAt: noon + 1000, consent: [] }
  const mail = { hash: 'm', text: '{}' }
  run('createSubmission', { formId, id, data: '{}', fieldNames: [], asked: { ...asked, mail } })
  const { claimed } = claim()
  run('acceptSpam', { userId, formId, id, now: noon })
  const reader = openReader(folder)
  afterThisTest(() => reader.close())
  const attempt = deliveryAttempts(optionsFor(reader))
  expect(claimed).toHaveLength(1)
  expect(await attempt(claimed[0] as Claimed, AbortSignal.timeout(1000))).toMatchObject({
    result: 'skipped',
    skipReason: 'confirmed',
  })
})
