import type { SubmissionStore } from '../submissions/store.ts'

/** The same store, with a count of submissions stored in an inbox since the start. */
export const countSubmissions = (store: SubmissionStore) => {
  let count = 0
  const createSubmission: SubmissionStore['createSubmission'] = async (...input) => {
    const stored = await store.createSubmission(...input)
    if (!stored.isRepeat && !stored.isSpam) count++
    return stored
  }
  return { ...store, createSubmission, stored: () => count }
}
