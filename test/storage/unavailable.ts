import { expect } from 'bun:test'

/** Fails unless the API refuses a write that it cannot take now, and says when to try again. */
export const expectUnavailable = async (response: Response, seconds: number): Promise<void> => {
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe(String(seconds))
  const error = {
    code: 'INTERNAL_SERVER_ERROR',
    message: `Temporarily unable to write, retry after ${seconds} seconds`,
  }
  expect(await response.json()).toEqual({ ...error, issues: [], error })
}
