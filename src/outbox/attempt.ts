/** What came of one attempt to deliver. */
export interface Attempt {
  /** When it began, in Unix milliseconds. */
  readonly at: number
  readonly milliseconds: number
  /** Of HTTP or SMTP; null without an answer. */
  readonly status: number | null
  /** What went wrong, in words for the owner; null if it was delivered. */
  readonly error: string | null
  /** The beginning of what came back, as text. */
  readonly answer: string
}

/** Attempts that are kept of each delivery: all that its schedule has, and a few by hand. */
const maxKept = 12

/** A delivery's log with one attempt more. @param log JSON array */
export const withAttempt = (log: string, attempt: Attempt): string =>
  JSON.stringify([...attemptsOf(log), attempt].slice(-maxKept))

/** Oldest first. @param log JSON array */
export const attemptsOf = (log: string): Attempt[] => JSON.parse(log)
