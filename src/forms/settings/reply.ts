import { accepted, type Kind } from './kind.ts'
import type { ReplySettings } from './settings.ts'
import { visitorMail } from './visitor-mail.ts'

const { kind, asText } = visitorMail('Reply', {
  name: 'copy',
  usual: false,
  inWords: 'true or false',
  isValid: (value) => typeof value === 'boolean',
  toTyped: (copy: boolean) => copy,
  fromTyped: accepted,
  isNothing: (copy) => !copy,
  schema: { type: 'boolean', description: 'False if it is absent' },
})

/** The automatic reply, or null. */
export const reply = kind as Kind<ReplySettings | null>
export const replyAsText = asText

/** A placeholder in the subject or the text. */
export const placeholders = /\{([^{}\n]+)\}/g
/** Placeholders that stand for no field. */
export const ownPlaceholders = { title: 'title', reference: 'reference' } as const

/** The fields that the reply uses: the one with the address first, and then those of its placeholders. */
export const fieldsOfReply = ({ field, subject, text }: ReplySettings): string[] => {
  const named = [...`${subject}\n${text}`.matchAll(placeholders)].map(([, name = '']) => name)
  return [...new Set([field, ...named.filter((name) => !Object.hasOwn(ownPlaceholders, name))])]
}
