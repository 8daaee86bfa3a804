/** Decision 2: the one body of every error. */
export const errorBody = (code: string, message: string, issues: object[] = []) => ({
  code,
  message,
  issues,
  error: { code, message },
})
export const badRequest = (message: string, path?: string) =>
  errorBody('BAD_REQUEST', 'Invalid input data', [path === undefined ? { message } : { message, path }])
