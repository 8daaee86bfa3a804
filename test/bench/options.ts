interface Options {
  /** Names of cases; empty for all. */
  readonly cases: readonly string[]
  /** Of each measurement. */
  readonly seconds: number
  readonly rounds: number
  /** Of the greatest form. */
  readonly submissions: number
  /** How many rows of a cluster's log a machine catches up with. */
  readonly logRows: number
  /** Where this data folder lives on, for the next run; otherwise every run makes its own. */
  readonly seedFolder: string | undefined
  /** Write the results into BENCHMARKS.md, docs/benchmarks-all.md and the plot. */
  readonly isRecorded: boolean
}

/** @throws Error that names the variable */
export const parseOptions = (environment: Readonly<Record<string, string | undefined>>): Options => {
  const { CASE = '', SEED, RECORD } = environment
  if (CASE !== '' && RECORD === '1') throw new Error('RECORD: takes a run of all cases, so CASE must not be set')
  return {
    cases: CASE.split(/[\s,]+/).filter(Boolean),
    seconds: parseNumber('SECONDS', environment.SECONDS, 5),
    rounds: parseNumber('ROUNDS', environment.ROUNDS, 3),
    submissions: parseNumber('SUBMISSIONS', environment.SUBMISSIONS, 1_000_000),
    logRows: parseNumber('LOG_ROWS', environment.LOG_ROWS, 100_000),
    seedFolder: SEED || undefined,
    isRecorded: RECORD === '1',
  }
}

const parseNumber = (name: string, text: string | undefined, otherwise: number): number => {
  if (!text) return otherwise
  if (/^[1-9][0-9]{0,7}$/.test(text)) return Number(text)
  throw new Error(`${name}: must be a whole number above 0, is ${JSON.stringify(text)}`)
}

/** Powers of ten from 1,000 up to the greatest: what the plot needs. */
export const sizesUpTo = (greatest: number): number[] => {
  const sizes: number[] = []
  for (let size = 1000; size < greatest; size *= 10) sizes.push(size)
  return [...sizes, greatest]
}
