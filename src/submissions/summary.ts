import { toMailAddress } from '../base/mail-address.ts'
import { oneLine } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { type FieldRole, isAsideValue, roleOfField } from './field-roles.ts'
import { filesIn } from './files/sent-file.ts'
import { type SubmittedField, textIn, textsIn } from './sent-fields.ts'
import { visitorsAddress } from './visitors-address.ts'

/**
 * A submission in one line: who sent it, about what, and its text. Lists, letters, mails and questions all have it from here.
 * Each part is one line without characters that could reorder others, at most 200 UTF-16 units, empty if there is none.
 */
export interface Summary {
  /** The best of name, email address and telephone number. */
  readonly sender: string
  /** A subject, or the first short value that is none of these, nor the text: a choice, a date. */
  readonly about: string
  /** The longest value that is left; without any sentence, that which is left after what it is about. */
  readonly text: string
  /** The position of the field of each part; a name may be in two. */
  readonly from: {
    readonly sender: readonly number[]
    readonly address: number | undefined
    readonly telephone: number | undefined
    readonly about: number | undefined
    readonly text: number | undefined
  }
}

/** More than any screen shows of a part. */
const maxPartCharacters = 200
const maxAboutCharacters = 40
const maxChoiceCharacters = 30

/** @param fields of the submission, of a long one the first @param settings of the form, as they are stored */
export const summaryOf = (fields: readonly SubmittedField[], settings: string | null): Summary => {
  const roleOf = roleOfField(settings)
  const values = present(fields.map((field, position) => toValue(field, position, roleOf)))
  const of = (role: FieldRole): Value | undefined => values.find((value) => value.isPlain && value.role === role)
  const address = addressIn(values, fields, settings) ?? of('email')
  const telephone = of('telephone')
  const names = present(namesIn(of))
  const sender = names.length > 0 ? names : present([of('organization') ?? address ?? telephone])
  const others = values.filter((value) => !sender.includes(value) && value !== address)
  const content = others.filter(({ role, text }) => ofContent.has(role) && !isAsideValue(text))
  const rest = content.length > 0 || sender.length > 0 ? content : others
  // A form that says which text has several lines means that one, however short.
  const lines = rest.filter(({ role }) => role === 'lines')
  const longestText = longest(lines.length > 0 ? lines : rest)
  // Where all is short, what comes first in the form comes first here. A row without a sender shows its text alone.
  const mayBeAbout = (value: Value): boolean => value !== longestText || (sender.length > 0 && isChoice(value))
  const first =
    rest.find((value) => value.role === 'subject' && mayBeAbout(value)) ??
    rest.find((value) => isShort(value) && mayBeAbout(value))
  const following =
    first && first === longestText ? longest(rest.filter((value) => value !== first && isTelling(value))) : longestText
  const [about, text] = following ? [first, following] : [undefined, first]
  return {
    sender: linePart(sender.map((value) => value.text).join(' ')),
    about: linePart(about?.text ?? ''),
    text: linePart(text?.text ?? ''),
    from: {
      sender: sender.map(({ position }) => position),
      address: address?.position,
      telephone: telephone?.position,
      about: about?.position,
      text: text?.position,
    },
  }
}

/** What a submission may be about, if there is any of it. */
const ofContent: ReadonlySet<FieldRole | 'none'> = new Set(['none', 'lines', 'subject', 'organization'])

interface Value {
  readonly role: FieldRole | 'none'
  readonly position: number
  readonly text: string
  /** Whether it is one text, not a list. */
  readonly isPlain: boolean
}

/** Undefined if nothing was filled in, and for files, numbers and what is nested. */
const toValue = (
  { name, json }: SubmittedField,
  position: number,
  roleOf: ReturnType<typeof roleOfField>,
): Value | undefined => {
  const plain = textIn(json)
  const text = plain ?? (json[0] === '[' ? listIn(json) : '')
  return isVisible.test(text)
    ? { role: roleOf(name), position, text: text.trim(), isPlain: plain !== undefined }
    : undefined
}

/** A name of spaces and invisible characters alone names nobody. */
const isVisible = /[\p{L}\p{N}\p{P}\p{S}]/u

const maxListLength = 10_000

const listIn = (json: string): string => {
  if (json.length > maxListLength) return ''
  const value: unknown = JSON.parse(json)
  return filesIn(value).length > 0 ? '' : (textsIn(value)?.join(', ') ?? '')
}

/** The names of a person in their order. In some languages, one word is that of a whole name and of half of one. */
const namesIn = (of: (role: FieldRole) => Value | undefined): (Value | undefined)[] => {
  const [whole, given, family] = [of('name'), of('givenName'), of('familyName')]
  if (given && family) return familyFirst.test(family.text) ? [family, given] : [given, family]
  const half = given ?? family
  if (!whole || !half) return [whole ?? half]
  if (whole.text.includes(half.text)) return [whole]
  return half === given ? [given, whole] : [whole, family]
}

/** Chinese, Japanese and Korean names begin with that of the family. */
const familyFirst = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

const present = (values: readonly (Value | undefined)[]): Value[] => values.filter((value) => value !== undefined)

/** That to which a reply goes; else the first value that is an address. */
const addressIn = (
  values: readonly Value[],
  fields: readonly SubmittedField[],
  settings: string | null,
): Value | undefined => {
  const reply = visitorsAddress(fields, settings)
  const toAddress = ({ isPlain, text }: Value): string | null =>
    isPlain && text.length < maxAddressLength && text.includes('@') ? toMailAddress(text) : null
  return values.find((value) => {
    if (value.text === reply) return value.isPlain
    const address = toAddress(value)
    return address !== null && (reply === null || address === reply)
  })
}

const maxAddressLength = 300

/** Numbers, days and times alone. */
const figures = /^[\d\s.,:;/()+-]*(?:[TZ][\d\s.,:+-]*|[ap]m)*$/i

/** The longest with words; a single word such as an identifier or a link only if there is nothing else. */
const longest = (all: readonly Value[]): Value | undefined => {
  const worded = all.filter(({ text }) => !figures.test(text))
  const values = worded.length > 0 ? worded : all
  const sentences = values.filter(({ text }) => /[^\x21-\x7e]/.test(text))
  return (sentences.length > 0 ? sentences : values).reduce<Value | undefined>(
    (found, value) => (found && found.text.length >= value.text.length ? found : value),
    undefined,
  )
}

/** Answers that say nothing without their question, in the languages of visitors. */
const ticks: ReadonlySet<string> = new Set(
  `on off yes no true false ja nein nee oui non si sí sim não nao tak nie ano ne да нет так ні evet hayır はい いいえ 是 否 네 예
    아니요 نعم لا`.split(/\s+/),
)

/** A number, a letter, a size, a tick, a link or an identifier alone tells nothing. */
const isTelling = ({ text }: Value): boolean =>
  !ticks.has(text.toLowerCase()) && !/^(?:[\d.,]+|[a-z]|x{1,3}[sl]|https?:\S+|[\da-f-]{16,})$/i.test(text)

const isShort = (value: Value): boolean =>
  value.text.length <= maxAboutCharacters && !value.text.includes('\n') && isTelling(value)

/** Whether it may be one of several options, rather than a sentence. */
const isChoice = (value: Value): boolean =>
  value.role !== 'lines' &&
  value.text.length <= maxChoiceCharacters &&
  isShort(value) &&
  !/[.!?…。！？؟]/.test(value.text)

/** The beginning of a text as a part of one line. */
export const linePart = (text: string): string =>
  visible(oneLine(text.slice(0, 4 * maxPartCharacters)).slice(0, maxPartCharacters)).toWellFormed()

/** From this length on, or with several lines, a text is one to read, and no value of a list. */
const leastBody = 40

/** The position of the field with the text to read; undefined if there is none. */
export const bodyOf = (
  fields: readonly SubmittedField[],
  settings: string | null,
  { from }: Pick<Summary, 'from'>,
): number | undefined => {
  const { text: at } = from
  const field = at === undefined ? undefined : fields[at]
  const text = field && textIn(field.json)
  if (!field || text === undefined) return undefined
  const isBody = text.length > leastBody || text.includes('\n') || roleOfField(settings)(field.name) === 'lines'
  return isBody ? at : undefined
}
