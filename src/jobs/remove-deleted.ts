import type { Writer } from '../db/writer/writer.ts'
import { oneSlice } from '../submissions/removal.ts'
import type { SubmissionWrites } from '../submissions/submission-writes.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds' | 'lease'> {
  readonly writer: Writer<SubmissionWrites>
}

/** Removes the rows of deleted forms and of long submissions that were deleted, slice by slice, between other writes. */
export const removeDeleted = ({ writer, ...options }: Options): Job =>
  createJob({
    ...options,
    task: 'remove what was deleted',
    step: async () => ((await writer.run('removeDeletedSlice', oneSlice)) > 0 ? options.now() : null),
  })
