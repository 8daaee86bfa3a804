import { expect, test } from 'bun:test'
import type { Claimed } from '../../src/outbox/claim.ts'
import { openReader } from '../../src/storage/reader.ts'
import { fileReads } from '../../src/submissions/files/file-reads.ts'
import { deliveryAttempts } from '../../src/upkeep/jobs/attempt-delivery.ts'
import { afterThisTest } from '../harness.ts'
import { noon, openOutbox } from '../outbox/outbox.ts'

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
    reader,
    files: fileReads(reader.db),
    signingKey: async () => Buffer.alloc(32),
    async post(url) {
      posted.push(url)
      return { status: 204, error: null, answer: '', retryAfterMilliseconds: null, milliseconds: 1 }
    },
    sendMail: null,
    sendReply: null,
    publicUrl: null,
    now: () => noon,
  })
  expect(await attempt(claimed[0] as Claimed, AbortSignal.timeout(1000))).toMatchObject({
    result: 'refused',
    status: null,
  })
  expect(posted).toEqual([])
})
