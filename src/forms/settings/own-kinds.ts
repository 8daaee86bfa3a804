import { parseMoment } from '../../base/moment.ts'
import { isText, type TextRule, textInWords } from '../../base/text-rules.ts'
import { timeZoneInWords, timeZones, toTimeZone } from '../../base/time-zone.ts'
import { isSenderName } from '../../config/sender.ts'
import { languages } from '../../languages/languages.ts'
import { takenNames } from '../control-fields.ts'
import { areFieldNames, maxNameBytes } from '../field-names.ts'
import { fishingIn } from '../fields/fishing-words.ts'
import { addressInWords, isFormAddress } from '../form-address.ts'
import { accepted, type Kind, kind, refused } from './kind.ts'
import { choice, linesIn, normalText, textPattern, visiblePattern } from './kinds.ts'
import { originInWords, originRule, toAllowedOrigin } from './origins.ts'

// Kinds of values that only the settings of a form have.

const momentInWords = 'a date and time with an offset, such as 2026-12-01T08:00:00Z'

/** A date and time with an offset, as it is stored: ISO 8601 in UTC, without a part of a second. Null if it is not one. */
const toMoment = (typed: string): string | null => {
  const moment = parseMoment(typed)
  if (!moment || moment.isDay) return null
  const text = new Date(Math.floor(moment.first / 1000) * 1000).toISOString()
  // By their offset, some are in another year in UTC: before 0000 or after 9999, which have other lengths.
  return /^\d{4}-/.test(text) ? text : null
}

/** A date and time with an offset; where a browser has an input for it, in UTC. */
export const moment: Kind<string> = {
  ...normalText({ normal: toMoment, inWords: momentInWords, schema: { format: 'date-time' } }),
  input: 'datetime-local',
  /** The text that a browser writes: `2026-12-01T08:00`. */
  toText: (value) => value.slice(0, 19).replace(/:00$/, ''),
  fromText(text) {
    const typed = text.trim()
    const value = toMoment(typed) ?? toMoment(`${typed.replace(' ', 'T')}Z`)
    return value === null ? refused('must be a date and time such as 2026-12-01 08:00') : accepted(value)
  },
}

/** An origin whose pages may send to a form. */
export const origin = normalText({
  normal: toAllowedOrigin,
  inWords: originInWords,
  schema: { ...originRule, documented: { pattern: '^[A-Za-z][A-Za-z0-9+.-]*://[^\\s\\x00-\\x1f\\x7f@/?#\\\\]+/?$' } },
})

const fileTypeRule: TextRule = { minLength: 2, maxLength: 100 }

/** RFC 6838 section 4.2 has these characters. None of them separates entries, or ends an attribute in HTML. */
const fileTypePattern = /^(?:\.[a-z0-9][a-z0-9._+-]*|[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*))$/

/** An extension, a media type or `image/*`, in lower case. Where it is typed, an extension may lack its dot. */
export const fileType = normalText({
  normal(text) {
    const fileType = text.toLowerCase()
    return isText(fileTypeRule, text) && fileTypePattern.test(fileType) ? fileType : null
  },
  inWords: 'an extension such as .docx, a media type such as application/pdf, or image/*',
  meant: (typed) => typed.toLowerCase().replace(/^(?:\*?\.)?(?=\w{1,4}$)/, '.'),
  schema: {
    ...fileTypeRule,
    documented: {
      pattern:
        '^(\\.[A-Za-z0-9][A-Za-z0-9._+-]*|[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/(\\*|[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*))$',
    },
  },
})

/** The name of a time zone. */
export const timeZone: Kind<string> = {
  ...normalText({
    normal: toTimeZone,
    inWords: timeZoneInWords,
    meant: (typed) => typed.trim().replaceAll(' ', '_'),
    schema: { documented: { pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$' } },
  }),
  suggestions: timeZones,
}

/** The name of a sender in the operator's file. */
export const senderName = normalText({
  normal: (name) => (isSenderName(name) ? name : null),
  inWords: 'the name of a sender: 1 to 60 letters, digits, _ and -',
  schema: { documented: { pattern: '^[A-Za-z0-9_-]{1,60}$' } },
})

const oneOfOurs = choice(languages)

/** A language of visitors. */
export const visitorLanguage = { ...oneOfOurs, schema: { ...oneOfOurs.schema, name: 'VisitorLanguage' } }

const groupRule: TextRule = { minLength: 1, maxLength: 60 }

/** The heading under which forms are listed. */
export const groupName = normalText({
  normal: (text) => (isText(groupRule, text) && !/[\r\n\u2028\u2029]/.test(text) ? text.trim() : null),
  inWords: `${textInWords(groupRule)}, in one line`,
  schema: { ...groupRule, documented: { pattern: visiblePattern } },
})

/** The name by which visitors reach a form. */
export const formAddress = normalText({
  normal: (text) => (isFormAddress(text) && fishingIn(text) === undefined ? text : null),
  inWords: addressInWords,
  meant: (typed) =>
    typed
      .trim()
      .toLowerCase()
      .replace(/[\s_]+/g, '-'),
  schema: { minLength: 3, maxLength: 60, documented: { pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' } },
})

const trapRule: TextRule = { minLength: 1, maxLength: 64 }

/** The name of a form's trap field. */
export const trapName = normalText({
  normal: (name) => (isText(trapRule, name) && !takenNames.includes(name) ? name : null),
  inWords: `${textInWords(trapRule)}, and none of ${takenNames.join(', ')}`,
  schema: { ...trapRule, documented: { pattern: visiblePattern, not: { enum: [...takenNames] } } },
})

/** Different names of fields, each as it may be in a form's `keys`, or null. They are typed one a line. */
export const fieldNamesOrNull = (most: number): Kind<readonly string[] | null> => ({
  ...kind<readonly string[] | null>({
    isValid: (value) =>
      value === null ||
      (Array.isArray(value) &&
        value.length <= most &&
        value.every((name) => typeof name === 'string') &&
        areFieldNames(value)),
    inWords: `an array of at most ${most} different names of at most ${maxNameBytes} bytes as JSON, or null`,
    input: 'lines',
    toText: (names) => (names ?? []).join('\n'),
    fromText(text) {
      const names = [...new Set(linesIn(text))]
      if (names.length > most) return refused(`must be at most ${most} names`, names.length)
      if (!areFieldNames(names)) return refused(`must be names of at most ${maxNameBytes} bytes each`)
      return accepted(names.length === 0 ? null : names)
    },
    schema: {
      type: 'array',
      nullable: true,
      maxItems: most,
      documented: {
        uniqueItems: true,
        // The quotation marks take two bytes.
        items: { type: 'string', maxLength: maxNameBytes - 2, pattern: textPattern },
      },
    },
  }),
  isOptional: true,
})

const keepOrRefuse = choice(['keep', 'refuse'])

/** Whether fields that are not in a form's list are kept. A page asks whether they are refused. */
export const refusesOthers: Kind<'keep' | 'refuse'> = {
  ...keepOrRefuse,
  schema: { ...keepOrRefuse.schema, name: 'OtherFields' },
  input: 'checkbox',
  toText: (value) => (value === 'refuse' ? 'on' : ''),
  fromText: (text) => accepted(text === 'on' ? 'refuse' : 'keep'),
}
