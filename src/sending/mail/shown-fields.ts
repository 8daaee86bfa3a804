import { shownLine } from '../../base/short-text.ts'
import { visible } from '../../base/visible.ts'
import { sentFieldAt, sentFileAt } from '../../config/addresses.ts'
import { withCommas } from '../../html/format.ts'
import { english } from '../../languages/english.ts'
import type { Texts } from '../../languages/texts.ts'
import { fileFacts, filesIn, isFile } from '../../submissions/files/sent-file.ts'
import { asRead } from '../../submissions/sent-as-read.ts'
import {
  fieldsIn,
  fieldText,
  itemsIn,
  readableJson,
  type SubmittedField,
  textsIn,
} from '../../submissions/sent-fields.ts'

/** A field as a mail shows it. */
export interface ShownField {
  readonly name: string
  /** Null if nothing was sent; empty if there are only files. */
  readonly text: string | null
  readonly isCode: boolean
  readonly files: readonly { readonly name: string; readonly facts: string; readonly url: string | null }[]
  /** Where the rest of it is. */
  readonly rest: Link | null
}

/** Without a URL for a reader who must not see more. */
interface Link {
  readonly label: string
  readonly url: string | null
}

/** The fields that a mail shows, and where the rest is. */
export interface ShownFields {
  readonly shown: readonly ShownField[]
  readonly rest: Link | null
}

/** Gmail cuts a mail off where its HTML has more than 102 kB. */
const maxBytes = 80_000
const maxFields = 200
const maxFieldBytes = 4000
/** Bytes left for each of the fields that follow. */
const fewestBytes = 400
/** Bytes of the markup of a field or of a file, with its address. */
const markupBytes = 200
const maxNameCharacters = 80
const maxFiles = 20

/**
 * The fields of a submission, long ones cut off, and how many are left out.
 *
 * @param page the address of the page that shows the submission
 * @param fileIds of its files. JSON may name others
 * @param texts of a visitor's language; without them, it is a mail to the owner
 */
export const showFields = (
  fields: readonly SubmittedField[],
  page: string,
  fileIds: readonly string[],
  texts?: Texts,
): ShownFields => {
  const words = texts?.mail ?? english.mail
  const shown: ShownField[] = []
  let left = maxBytes
  for (const [position, field] of fields.entries()) {
    if (shown.length === maxFields || left < 2 * fewestBytes) break
    const reserved = fewestBytes * Math.min(fields.length - position - 1, maxFields - position - 1)
    const most = Math.max(Math.min(left - reserved, maxFieldBytes), fewestBytes)
    const row = showField(
      field,
      { page, fileIds, url: sentFieldAt(page, position), words, isOfVisitor: texts !== undefined },
      most,
    )
    shown.push(row)
    left -= bytesOfField(row)
  }
  const more = fields.length - shown.length
  return { shown, rest: more === 0 ? null : { label: words.moreFields(more), url: page } }
}

interface FieldLinks {
  readonly page: string
  readonly fileIds: readonly string[]
  /** The URL of the whole field. */
  readonly url: string
  readonly words: Texts['mail']
  readonly isOfVisitor: boolean
}

const showField = (field: SubmittedField, links: FieldLinks, most: number): ShownField => {
  const { url, words, isOfVisitor } = links
  const value: unknown = JSON.parse(field.json)
  const name = shownLine(field.name, maxNameCharacters) || words.noName
  if (filesIn(value).length > 0) return { name, isCode: false, ...showFiles(field.json, links, most) }
  const texts = textsIn(value)
  if (value === '' || value === null || texts?.length === 0)
    return { name, text: null, isCode: false, files: [], rest: null }
  const whole = textOf(value, field.json, most)
  const text = cut(whole, most)
  const isWhole = text.length === whole.length
  return {
    name,
    text: isWhole ? shownText(text) : `${shownText(text)}…`,
    isCode: typeof value === 'object' && texts === undefined,
    files: [],
    rest: isWhole ? null : { label: isOfVisitor ? words.shortened(whole.length) : allOf(whole), url },
  }
}

/** A link to the whole text. */
const allOf = (text: string): string => `All ${withCommas(text.length)} characters`

/** The files of a field as links, after the texts that came with them. */
const showFiles = (
  json: string,
  { page, fileIds, url, words, isOfVisitor }: FieldLinks,
  most: number,
): Pick<ShownField, 'text' | 'files' | 'rest'> => {
  const items = itemsIn(json)
  const first = items.slice(0, Math.min(maxFiles, Math.max(1, Math.floor(most / fewestBytes))))
  const values = first.map((item): unknown => JSON.parse(item.json))
  const texts = values.filter((value) => !isFile(value) && value !== '').map((value) => shownLine(asText(value)))
  return {
    text: texts.map((text) => `• ${text}`).join('\n'),
    files: values.flatMap((value) =>
      isFile(value)
        ? [
            {
              name: shownLine(value.filename, maxNameCharacters) || words.noFileName,
              facts: fileFacts(value, isOfVisitor ? words : undefined),
              url: fileIds.includes(value.file) ? sentFileAt(page, value.file) : null,
            },
          ]
        : [],
    ),
    rest: items.length > first.length ? { label: words.more(items.length - first.length), url } : null,
  }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const textOf = (value: unknown, json: string, most: number): string => {
  if (typeof value === 'string') return value
  const texts = textsIn(value)
  if (texts) return texts.length === 1 ? (texts[0] as string) : texts.map((item) => `• ${item}`).join('\n')
  return json.length > most ? json : readableJson(json)
}

const shownText = (text: string): string => visible(text.toWellFormed())

/** Returns the beginning that takes this many bytes in a mail. */
const cut = (text: string, most: number): string => {
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += bytesOf(character)
    if (bytes > most) break
    end += character.length
  }
  return text.slice(0, end)
}

/** Bytes of text in a mail, never less than in each of its parts. */
const bytesOf = (text: string): number => {
  let bytes = 0
  for (const character of text) bytes += special[character] ?? (character < ' ' ? 3 : Buffer.byteLength(character))
  return bytes
}

/** An escaped character, or a line break with the indentation of the next line. */
const special: Readonly<Record<string, number>> = {
  '&': 5,
  '<': 4,
  '>': 4,
  '"': 6,
  "'": 6,
  '\n': 8,
  '\r': 8,
  '\u2028': 9,
  '\u2029': 9,
}

const bytesOfField = ({ name, text, files, rest }: ShownField): number =>
  markupBytes +
  bytesOf(name) +
  bytesOf(text ?? '') +
  files.reduce((sum, file) => sum + markupBytes + bytesOf(file.name) + (file.url?.length ?? 0), 0) +
  (rest ? markupBytes + (rest.url?.length ?? 0) : 0)

/** Submissions that a digest shows. */
export const maxListed = 50
const maxListedFields = 10
/** Fields that are looked at: of a thousand in each of fifty submissions, that took 0.7 s. */
const maxLookedAt = 100
const maxListedCharacters = 200
/** Bytes of the text of each, so that all together are not more than the fields of one. */
const maxListedBytes = maxBytes / maxListed - 2 * markupBytes

/** A submission in a digest: a line for each of its first fields that are not empty. */
export interface ListedSubmission {
  readonly id: string
  readonly lines: readonly string[]
  /** Whether these are all. */
  readonly isWhole: boolean
}

/** @param data the text of its JSON object, or the beginning @param settings of the form */
export const listSubmission = (id: string, data: string, settings: string | null = null): ListedSubmission => {
  const fields = asRead(fieldsIn(data, maxLookedAt), settings)
  const lines: string[] = []
  for (const [position, { name, json }] of fields.entries()) {
    if (lines.length === maxListedFields) return { id, lines, isWhole: fields.slice(position).every(isEmpty) }
    const text = shownLine(fieldText(json), maxListedCharacters)
    if (text !== '') lines.push(`${shownLine(name, maxNameCharacters) || 'No name'}: ${text}`)
  }
  return { id, lines, isWhole: fields.length < maxLookedAt }
}

const isEmpty = ({ json }: SubmittedField): boolean => json === '""' || json === 'null'

/** @param name stands above its lines */
export const showSubmission = ({ lines, isWhole }: ListedSubmission, name: string, page: string): ShownField => {
  const all = lines.join('\n')
  const text = cut(all, maxListedBytes)
  const shown = isWhole && text.length === all.length ? text : `${text}…`
  return { name, text: shown || null, isCode: false, files: [], rest: { label: 'Open the submission', url: page } }
}
