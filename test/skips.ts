import { appendFileSync } from 'node:fs'

// Many processes run the tests, and each writes much. What was left out is collected in a file, whose name make sets, for
// make to print once at the end.
const file = process.env.TEST_SKIPS

/** Notes in one line which tests are skipped on this machine, and why. */
export const noteSkipped = (line: string): void => {
  if (file) appendFileSync(file, `${line}\n`)
  else process.stderr.write(`${line}\n`)
}
