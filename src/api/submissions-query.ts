import { parseDateRange } from '../submissions/date-range.ts'
import { toPage } from './pagination.ts'
import { checkedQuery } from './schema-check.ts'
import { SubmissionsQuerySchema } from './submission-schemas.ts'

/** Page and date range of a list of submissions, or of spam. */
export const submissionsQuery = checkedQuery(SubmissionsQuerySchema, (given) => ({
  page: toPage(given),
  range: parseDateRange(given.startDate, given.endDate),
}))
