import { type QualifiedTag, SAXParser, type Tag } from 'sax'
import { invalid } from '../../base/errors.ts'

export interface XmlHandlers {
  /** @param name without the prefix of its namespace */
  onOpen(name: string, attributes: Readonly<Record<string, string>>): void
  /** A text may come in parts. */
  onText?(text: string): void
  onClose?(name: string): void
}

/** Only the five entities of XML have a meaning. Without positions, sax would not look at the lengths. */
const parserOptions = { position: true, strictEntities: true }

/** A document of a spreadsheet is ten deep. */
const maxDepth = 64
const maxAttributes = 200

/**
 * Reads XML as it arrives. Nothing of it is kept: a name, a value or a comment may have 64 KiB, and it may have no entities of
 * its own.
 *
 * @param what its name, for errors
 * @returns a function that is called after each chunk
 * @throws AppError `invalid` for what is not XML, or has too much in one place
 */
export const xmlReader = (what: string, { onOpen, onText, onClose }: XmlHandlers) => {
  const refuse = (message: string): never => {
    throw invalid({ field: what, message })
  }
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parser = new SAXParser(true, parserOptions)
  let attributes = 0
  parser.onerror = ({ message }) => refuse(`is not valid XML: ${message.split('\n', 1)[0]}`)
  parser.ondoctype = () => refuse('must not have a DOCTYPE')
  parser.onopentagstart = () => {
    attributes = 0
  }
  parser.onattribute = ({ name }) => {
    // sax would call it when it looks for the next one.
    if (name === 'hasOwnProperty') refuse('must not have an attribute hasOwnProperty')
    if (++attributes > maxAttributes) refuse(`must have at most ${maxAttributes} attributes in a tag`)
  }
  parser.onopentag = (tag: Tag | QualifiedTag) => {
    if ((parser as unknown as { tags: unknown[] }).tags.length > maxDepth) refuse(`must be at most ${maxDepth} deep`)
    onOpen(local(tag.name), tag.attributes as Tag['attributes'])
  }
  if (onText) {
    parser.ontext = onText
    parser.oncdata = onText
  }
  if (onClose) parser.onclosetag = (name) => onClose(local(name))

  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch {
      return refuse('must be UTF-8')
    }
  }
  return {
    read(chunk: Uint8Array): void {
      for (let at = 0; at < chunk.length; at += pieceBytes) parser.write(decode(chunk.subarray(at, at + pieceBytes)))
    },
    end(): void {
      parser.write(decode())
      parser.close()
    },
  }
}

/** sax looks at the lengths once for each piece. */
const pieceBytes = 64 * 1024

const local = (name: string): string => name.slice(name.indexOf(':') + 1)

/** @throws AppError `invalid` */
export const readXml = async (
  what: string,
  chunks: AsyncIterable<Uint8Array>,
  handlers: XmlHandlers,
): Promise<void> => {
  const reader = xmlReader(what, handlers)
  for await (const chunk of chunks) reader.read(chunk)
  reader.end()
}
