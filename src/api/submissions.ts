import { Elysia } from 'elysia'
import { parseDateRange } from '../submissions/date-range.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { type AnswerJson, answerModels, readErrors, success, writeErrors } from './answers.ts'
import { optionalBulkBody } from './bulk-body.ts'
import { parseSelection, SelectionQuery, selectionBody } from './bulk-selection.ts'
import type { ApiGuard } from './guard.ts'
import { ignoredBody } from './json-body.ts'
import { toPage } from './pagination.ts'
import { pathId } from './path-id.ts'
import { submissionDetails as details } from './submission-descriptions.ts'
import { submissionJson, submissionListJson } from './submission-json.ts'
import { ListQuery, Submission, SubmissionList } from './submission-schemas.ts'

export const submissionRoutes = (guard: ApiGuard, store: SubmissionStore, answerJson: AnswerJson) =>
  new Elysia({ prefix: '/forms/:formId/submissions' })
    .use(guard)
    .model(answerModels)
    .model({ Submission, SubmissionList })
    .get(
      '/',
      ({ caller, params, query, set }) => {
        const range = parseDateRange(query.startDate, query.endDate)
        const page = toPage(query)
        const found = store.listSubmissions(caller.userId, pathId(params.formId), page, range)
        return answerJson(set, submissionListJson(found, page))
      },
      { query: ListQuery, response: { 200: 'SubmissionList', ...readErrors }, detail: details.listSubmissions },
    )
    .delete(
      '/bulk',
      async ({ caller, params, request, body }) => {
        await store.deleteSubmissions(caller.userId, pathId(params.formId), parseSelection(request, body))
        return success
      },
      {
        ...optionalBulkBody,
        query: SelectionQuery,
        response: { 200: 'Success', ...writeErrors },
        detail: { ...details.deleteSubmissions, requestBody: selectionBody },
      },
    )
    .get(
      '/:submissionId',
      ({ caller, params, set }) => {
        const found = store.findSubmission(caller.userId, pathId(params.formId), pathId(params.submissionId))
        return answerJson(set, submissionJson(found))
      },
      { response: { 200: 'Submission', ...readErrors }, detail: details.getSubmission },
    )
    .delete(
      '/:submissionId',
      async ({ caller, params }) => {
        await store.deleteSubmissions(caller.userId, pathId(params.formId), [pathId(params.submissionId)])
        return success
      },
      { parse: ignoredBody, response: { 200: 'Success', ...writeErrors }, detail: details.deleteSubmission },
    )
