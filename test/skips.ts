import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

// Many processes run the tests, and each writes much. What was left out is collected in a file, in a folder that make
// names, for make to print once at the end.
const file = process.env.TEST_RUN && join(process.env.TEST_RUN, 'skipped')

/** Notes in one line which tests are skipped on this machine, and why. */
export const noteSkipped = (line: string): void => {
  if (file) appendFileSync(file, `${line}\n`)
  else process.stderr.write(`${line}\n`)
}
