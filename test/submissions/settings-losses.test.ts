import { expect, test } from 'bun:test'
import { dayMilliseconds } from '../../src/base/durations.ts'
import { lossesOf } from '../../src/submissions/settings-losses.ts'
import { openStores } from '../storage/stores.ts'

test('a change of settings loses what is older than it is kept from then on, and the text of a trap that was a field', () => {
  const { form, formId, submit, submissions } = openStores()
  const now = Date.now()
  submit(formId, [now - 20 * dayMilliseconds, now - 10 * dayMilliseconds, now])
  const losses = (changes: object) =>
    lossesOf({ form: form(), fieldNames: ['email'], countOlder: submissions.countOlder }, changes)
  expect(losses({ retentionDays: 15 })).toEqual([{ setting: 'retentionDays', days: 15, tooOld: 1 }])
  expect(losses({ retentionDays: 5 })).toMatchObject([{ tooOld: 2 }])
  expect(losses({ honeypot: 'email' })).toEqual([{ setting: 'honeypot', name: 'email' }])
  for (const harmless of [{}, { retentionDays: 30 }, { retentionDays: null }, { spamDays: 1 }, { honeypot: 'other' }])
    expect(losses(harmless)).toEqual([])
})
