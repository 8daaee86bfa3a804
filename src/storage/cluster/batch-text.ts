import type { Batch } from '../writer/batch.ts'

// The texts in the rows of the log, as JSON.

/** Row 1: the data that all machines have when the log begins. */
interface Beginning {
  readonly begin: string
}

/** Commands whose outcomes are kept in the file, for a process that does not execute the log itself. */
interface Kept {
  readonly keep: true
  readonly commands: Batch
}

/** @param fingerprint of the data that each machine must have (see fingerprint.ts) */
export const beginText = (fingerprint: string): string => JSON.stringify({ begin: fingerprint } satisfies Beginning)

export const keptText = (commands: Batch): string => JSON.stringify({ keep: true, commands } satisfies Kept)

/** Parses one of these texts; undefined for any other. A batch as the main thread sends it to its Worker is a row as it is. */
export const parseBatch = (text: string): Batch | Beginning | Kept | undefined => {
  const parsed = parseJson(text)
  if (isBatch(parsed)) return parsed
  if (typeof parsed !== 'object' || parsed === null) return undefined
  if ('begin' in parsed && typeof parsed.begin === 'string') return { begin: parsed.begin }
  return 'keep' in parsed && 'commands' in parsed && isBatch(parsed.commands)
    ? { keep: true, commands: parsed.commands }
    : undefined
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isBatch = (value: unknown): value is Batch =>
  Array.isArray(value) && value.every((command) => Array.isArray(command) && typeof command[0] === 'string')
