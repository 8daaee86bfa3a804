import { closingQuote, isEscaped } from '../json-scan.ts'
import { atMost } from '../short-text.ts'
import { foldText } from '../submissions/term-search.ts'

/** Looks for a text in the JSON text of submissions. */
export interface EqualText {
  /** Whether a submission may have it. False for most that have not, and cheap. */
  mayBeIn(data: string): boolean
  /**
   * A function that takes the JSON text of a submission part by part. It returns the name of the first field that has the
   * text, as its value or anywhere in that, when it has come to it.
   */
  findField(): (part: string) => string | undefined
}

/** Characters of a text, as JSON, that are compared. Longer ones are no name and no address. */
const maxUnits = 64 * 1024

const maxNameUnits = 1000

/** Finds texts that are equal to this one as a whole, without white space at the ends and whatever the case. */
export const equalText = (value: string): EqualText => {
  const sought = foldText(value.trim())
  // A letter with three marks may be one character.
  const most = 4 * sought.length

  /** @param json a JSON string without its quotation marks */
  const isSought = (json: string): boolean => {
    const text: string = (json.includes('\\') ? JSON.parse(`"${json}"`) : json).trim()
    return text.length <= most && foldText(text) === sought
  }

  return {
    // Escapes hide what they stand for. Beside other letters, folding depends on what surrounds a text.
    mayBeIn: (data) => /[\\\x80-\uffff]/.test(data) || data.toLowerCase().includes(sought),
    findField: () => fieldFinder(isSought),
  }
}

const fieldFinder = (isSought: (json: string) => boolean): ((part: string) => string | undefined) => {
  let depth = 0
  /** The name of the field, and the last string, which is a name if a colon follows. Both as JSON. */
  let name = ''
  let last: string | undefined
  /** The beginning of a string that goes on in the next part, with its quotation mark. */
  let rest = ''
  /** Whether that string is too long to be compared. Then only a backslash of it is left, which may escape what follows. */
  let isSkipping = false

  const keep = (string: string): void => {
    isSkipping ||= string.length > maxUnits
    rest = !isSkipping ? string : isEscaped(string, string.length) ? '\\' : ''
  }

  return (part) => {
    const text = rest + part
    rest = ''
    for (let at = isSkipping ? -1 : 0; at < text.length; at++) {
      switch (at === -1 ? '"' : text[at]) {
        case '"': {
          const end = closingQuote(text, at + 1)
          if (end === -1) return void keep(text.slice(Math.max(at, 0)))
          last = isSkipping || end - at > maxUnits ? '' : text.slice(at + 1, end)
          isSkipping = false
          at = end
          break
        }
        case '{':
        case '[':
          depth++
          break
        case ':':
          if (depth === 1) name = last ?? ''
          last = undefined
          break
        case '}':
        case ']':
        case ',':
          if (last && isSought(last)) return atMost(JSON.parse(`"${name}"`), maxNameUnits)
          if (text[at] !== ',') depth--
          last = undefined
      }
    }
    return undefined
  }
}
