import { closingQuote, isEscaped } from '../../base/json-scan.ts'
import { areOfFile, unseenMembers } from '../files/sent-file.ts'

/** Takes the texts of a submission that a person sees: its values and the names of its files. */
export interface ValueSink {
  /** @param isOfFile whether `endFile` may say that no one sees it */
  begin(field: string, isOfFile: boolean): void
  /** A part of the text that began. An unpaired surrogate at its end belongs to the first one of the next part. */
  add(part: string, isLast: boolean): void
  /** After an object that could have been a file. */
  endFile(isFile: boolean): void
}

/** Types of the members of an object that may be a file. */
type Members = Partial<Record<string, 'string' | 'number' | 'null' | 'other'>>

/** Reads the JSON text of a submission part by part. What is in memory is one part. */
export class ValueScanner {
  private rest = ''
  private readonly open: ('{' | '[')[] = []
  private isKey = false
  /** Whether the text that is being read has begun in an earlier part. */
  private isInside = false
  private key = ''
  private field = ''
  private members: Members | undefined
  private isStopped = false

  constructor(private readonly sink: ValueSink) {}

  feed(part: string): void {
    const json = this.rest + part
    let at = 0
    while (at < json.length && at !== -1 && !this.isStopped)
      at = this.isInside ? this.readString(json, at) : this.readToken(json, at)
    this.rest = at === -1 ? this.rest : ''
  }

  /** The rest is not read. */
  stop(): void {
    this.isStopped = true
  }

  /** Returns the position after the token, or -1 if its end is in the next part. */
  private readToken(json: string, at: number): number {
    const character = json[at] as string
    switch (character) {
      case '"':
        this.isInside = true
        if (this.isKey) this.key = ''
        else this.beginValue('string')
        return at + 1
      case '{':
      case '[':
        this.beginContainer(character)
        return at + 1
      case '}':
      case ']':
        this.endContainer()
        return at + 1
      case ',':
        this.isKey = this.open.at(-1) === '{'
        return at + 1
      case ':':
        this.isKey = false
        if (this.open.length === 1) this.field = this.key
        return at + 1
      default:
        return this.readLiteral(json, at)
    }
  }

  /** White space, a number, `true`, `false` or `null`, which is shown as nothing. */
  private readLiteral(json: string, at: number): number {
    literal.lastIndex = at
    const end = at + (literal.exec(json)?.[0].length ?? 1)
    if (end === json.length) return this.keep(json, at)
    const text = json.slice(at, end).trim()
    if (text === '') return end
    this.beginValue(text === 'null' ? 'null' : /^[tf]/.test(text) ? 'other' : 'number')
    if (text !== 'null') this.sink.add(text, true)
    return end
  }

  private keep(json: string, at: number): -1 {
    this.rest = json.slice(at)
    return -1
  }

  private beginContainer(character: '{' | '['): void {
    const isInMember = this.members !== undefined && this.open.length === this.fileDepth
    if (isInMember) (this.members as Members)[this.key] = 'other'
    this.open.push(character)
    this.isKey = character === '{'
    const depth = this.open.length
    if (character !== '{' || this.members || depth > 3 || depth < 2 || (depth === 3 && this.open[1] !== '[')) return
    this.members = {}
    this.fileDepth = depth
  }
  private fileDepth = 0

  private endContainer(): void {
    if (this.members && this.open.length === this.fileDepth) {
      const { members } = this
      this.sink.endFile(areOfFile((name) => members[name]))
      this.members = undefined
    }
    this.open.pop()
    this.isKey = false
  }

  private beginValue(type: 'string' | 'number' | 'null' | 'other'): void {
    const isMember = this.members !== undefined && this.open.length === this.fileDepth
    if (isMember) (this.members as Members)[this.key] = type
    if (type !== 'null') this.sink.begin(this.field, isMember && unseenMembers.has(this.key))
  }

  /** Reads to the end of the text or of the part. An escape that is cut is left to the next part. */
  private readString(json: string, at: number): number {
    const quote = closingQuote(json, at)
    const end = quote === -1 ? withoutCutEscape(json, at) : quote
    const raw = json.slice(at, end)
    const text: string = raw.includes('\\') ? JSON.parse(`"${raw}"`) : raw
    if (!this.isKey) this.sink.add(text, quote !== -1)
    // More than any name that could be asked for.
    else if (this.key.length < maxKeyLength) this.key += text
    if (quote === -1) return end === json.length ? end : this.keep(json, end)
    this.isInside = false
    return quote + 1
  }
}

const maxKeyLength = 2000
const literal = /[^"{}[\],:\s]+|\s+/y

/** The end of the part, or where the escape begins that it cuts. */
const withoutCutEscape = (json: string, start: number): number => {
  const [cut] = /\\(?:u[\da-f]{0,3})?$/i.exec(json.slice(Math.max(start, json.length - 5))) ?? []
  const at = json.length - (cut?.length ?? 0)
  return isEscaped(json, at) ? json.length : at
}
