import { AppError, issueLine } from '../src/base/errors.ts'

/**
 * What is wrong with the input, in one line, such as `name: must be …`. Undefined if the input is accepted. Any other
 * error is thrown again.
 */
export const refusalOf = (work: () => unknown): string | undefined => {
  try {
    work()
  } catch (error) {
    if (!(error instanceof AppError) || !/^(invalid|unsolved)$/.test(error.code)) throw error
    return error.issues.map(issueLine).join('; ')
  }
  return undefined
}
