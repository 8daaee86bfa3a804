import type { StoredSubmission } from '../../src/submissions/stored-submission.ts'

/** A submission of the inbox as the file has it, with nothing besides its data. */
export const storedRow = (id: string, data: string): StoredSubmission => ({ id, data, reason: null })
