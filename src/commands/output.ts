import { cannot } from '../base/operator-errors.ts'
import type { Flag } from './command.ts'

export const jsonFlag: Flag = { name: 'json', help: 'print JSON instead of a table' }

/** Prints the rows as a table. Returns the exit code for success. */
export const printTable = (headings: readonly string[], rows: readonly (readonly string[])[]): number => {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  for (const row of [headings, ...rows])
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    )
  return 0
}

/** Prints JSON. Returns the exit code for success. */
export const printJson = (value: object): number => {
  process.stdout.write(`${JSON.stringify(value, null, 2).replaceAll(obeyed, escaped)}\n`)
  return 0
}

/** What JSON may have in its texts, and a terminal obeys: anyone who sends a form, or names one, could write to it. */
const obeyed = /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

export type Parts = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** Prints the parts, no faster than they are read. */
export const writeOutput = async (parts: Parts): Promise<void> => {
  for await (const part of parts)
    if (!process.stdout.write(part)) await new Promise<void>((resolve) => process.stdout.once('drain', () => resolve()))
}

/**
 * Handles output that cannot be written, which would otherwise end in a stack trace. If standard output fails, the
 * command ends with 1 and prints one line, or nothing if the reader has closed the pipe (`formbox key list | head -1`).
 * Errors of standard error are ignored: they are no reason to end a server.
 */
export const endWhenUnwritable = (): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.stderr.write(`formbox: ${cannot('write to standard output', error).message}\n`)
    process.exit(1)
  })
  process.stderr.on('error', ignore)
}

/** For a server, which must not stop because its output cannot be written. */
export const continueWhenUnwritable = (): void => {
  process.stdout.removeAllListeners('error').on('error', ignore)
}

const ignore = (): void => {}
