// Reads a mail with another parser than the library that wrote it: Python's.

import { noteSkipped } from '../skips.ts'

export const hasPython = Bun.which('python3') !== null
if (!hasPython) noteSkipped('The tests that parse mails are skipped: there is no python3 here.')

const program = `
import email, email.policy, hashlib, json, sys
def file(part):
  content = part.get_payload(decode=True)
  return {
    'name': part.get_filename(), 'nameInType': part.get_param('name', header='content-type'),
    'type': part.get_content_type(), 'disposition': part.get_content_disposition(),
    'size': len(content), 'sha256': hashlib.sha256(content).hexdigest(),
  }
def parse(raw):
  mail = email.message_from_bytes(raw.encode('latin1'), policy=email.policy.default)
  return {
    'headers': [[name, str(value)] for name, value in mail.items()],
    'parts': {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart() and not part.is_attachment()},
    'files': [file(part) for part in mail.walk() if part.is_attachment()],
    'defects': [str(defect) for part in mail.walk() for defect in part.defects]
      + [str(defect) for value in mail.values() for defect in value.defects],
  }
json.dump([parse(raw) for raw in json.load(sys.stdin)], sys.stdout)`

export interface Parsed {
  /** In order, decoded. */
  readonly headers: readonly (readonly [string, string])[]
  /** Those that are shown, by their types. */
  readonly parts: Readonly<Record<string, string>>
  /** The attachments, in order. */
  readonly files: readonly ParsedFile[]
  readonly defects: readonly string[]
}

interface ParsedFile {
  readonly name: string
  /** The name that the part's `Content-Type` gives it once more, for old programs. */
  readonly nameInType: string
  readonly type: string
  readonly disposition: string
  readonly size: number
  readonly sha256: string
}

/** @param mails each byte a character */
export const parseMails = (mails: readonly string[]): Parsed[] => {
  const child = Bun.spawnSync(['python3', '-c', program], { stdin: Buffer.from(JSON.stringify(mails)) })
  if (child.exitCode !== 0) throw new Error(child.stderr.toString())
  return JSON.parse(child.stdout.toString())
}

/** The value of a header that must be there once. */
export const headerOf = ({ headers }: Pick<Parsed, 'headers'>, name: string): string | undefined => {
  const values = headers.filter(([header]) => header.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
  if (values.length > 1) throw new Error(`${name} is there ${values.length} times`)
  return values[0]
}
