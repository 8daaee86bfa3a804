import type { SubmissionStore } from '../submissions/store.ts'

/** The same store, with a count of submissions stored since the start. */
export const countSubmissions = (store: SubmissionStore) => {
  let count = 0
  return {
    ...store,
    async createSubmission(...input: Parameters<SubmissionStore['createSubmission']>): Promise<string> {
      const id = await store.createSubmission(...input)
      // Otherwise it is a repeat.
      if (id === input[0].id) count++
      return id
    },
    stored: () => count,
  }
}
