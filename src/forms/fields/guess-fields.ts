import { foldValue } from '../../base/search-fold.ts'
import { maxFormFields } from './fields-kind.ts'
import type { FieldType, FormField } from './form-field.ts'

/**
 * Fields as they may be meant, from the names that a form has received. Names that begin with `_` mean something by
 * themselves.
 */
export const guessFields = (names: readonly string[]): readonly FormField[] =>
  names
    .filter((name) => name.trim() !== '' && !name.startsWith('_') && name.length <= 100)
    .slice(0, maxFormFields)
    .map((name) => ({ name, type: guessType(foldValue(name)) }))

const guessType = (name: string): FieldType => guesses.find(([, pattern]) => pattern.test(name))?.[0] ?? 'text'

const guesses: readonly (readonly [FieldType, RegExp])[] = [
  ['email', /mail/],
  ['tel', /phone|telefon|(?:^|[^a-z])tel(?:[^a-z]|$)|mobile|handy/],
  ['lines', /message|comment|nachricht|kommentar|mensaje|messaggio|notes?$/],
  ['date', /(?:^|[^a-z])(?:date|datum|fecha)(?:[^a-z]|$)|birthday/],
  // A form that takes a text in their place would refuse what it has received.
  ['choices', /\[\]$/],
  ['file', /(?:^|[^a-z])(?:files?|attachments?|uploads?|photos?|cv|datei|anhang|foto|lebenslauf)(?:[^a-z]|$)/],
  ['url', /(?:^|[^a-z])(?:url|website|homepage|link)(?:[^a-z]|$)/],
]
