import { AppError } from '../errors.ts'

/** Does something with each of these, one after the other, and returns how many there were. Others are passed over. */
export const countFound = async (ids: readonly string[], act: (id: string) => Promise<void>): Promise<number> => {
  let count = 0
  for (const id of ids) {
    try {
      await act(id)
      count++
    } catch (error) {
      // Somebody was quicker, perhaps in another window.
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    }
  }
  return count
}
