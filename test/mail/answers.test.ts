import { describe, expect, test } from 'bun:test'
import { answers, findAnswer } from '../../src/sending/mail/answers.ts'

const sources = Object.keys(answers) as (keyof typeof answers)[]

describe.each(sources)('the answers of %s', (source) => {
  test('say in sentences without a full stop what happened and what to do', () => {
    for (const [, then, says, step] of answers[source]) {
      expect(says).toMatch(/^([A-Z]|\{server\} )[^\n]*[^.\s]$/)
      expect(step).toMatch(/^$|^[A-Z][^\n]*[^.\s]$/)
      // What stops all mail needs a next step.
      if (then === 'wait') expect(step, says).not.toBe('')
      expect(`${says} ${step}`).not.toMatch(/[‘’“”]|\bplease\b/i)
    }
  })

  test('end with one for everything else, and none but this is for every line', () => {
    const [last, ...others] = answers[source].toReversed()
    expect(last?.[0].source).toBe('.')
    for (const [on] of others) expect(on.test('X 299 - nothing of this kind')).toBe(false)
  })
})

describe('an answer', () => {
  test.each<[keyof typeof answers, string, string, string]>([
    ['net', 'EDNS ENOTFOUND', 'again', 'was not found'],
    ['net', 'ESOCKET ECONNREFUSED', 'again', 'refused the connection'],
    ['net', 'ESOCKET UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'wait', 'not signed by an authority'],
    ['net', 'ESOCKET SELF_SIGNED_CERT_IN_CHAIN', 'wait', 'not signed by an authority'],
    ['net', 'ESOCKET CERT_HAS_EXPIRED', 'wait', 'has expired'],
    ['net', 'ETLS ', 'wait', 'No encrypted connection'],
    [
      'smtp',
      'AUTH LOGIN 454 4.7.0 454 4.7.0 Too many login attempts, please try again later',
      'again',
      'check the password',
    ],
    ['smtp', 'RCPT TO 503 5.5.1 503 5.5.1 Bad sequence', 'again', 'try again later'],
    ['smtp', 'DATA 552 5.7.0 552-5.7.0 This message was blocked', 'giveUp', 'refused the email'],
    ['smtp', 'EHLO 421 4.7.0 421 4.7.0 Try again later', 'again', 'no email at the moment'],
  ])('of %s, %s, is for %s', (source, line, then, says) => {
    const found = findAnswer(source, line)
    expect(found.then).toBe(then as typeof found.then)
    expect(found.says).toContain(says)
  })
})
