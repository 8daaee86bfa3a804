import { refused } from './kind.ts'
import { integer } from './kinds.ts'
import { visitorMail } from './visitor-mail.ts'

const days = integer({ min: 1, max: 30 })
const usual = 7

/** The mail that asks a visitor to confirm the address, or null. Its days are typed as text. */
export const { kind: confirm, asText: confirmAsText } = visitorMail('Confirm', {
  name: 'days',
  usual,
  inWords: '1 to 30',
  isValid: (value) => days.problems(value).length === 0,
  toTyped: String,
  fromTyped(typed: string) {
    const number = days.fromText(typed)
    return number.state === 'refused' ? refused('must wait for 1 to 30 days') : number
  },
  isNothing: () => true,
  schema: { ...days.schema, description: `${usual} if it is absent` },
})
