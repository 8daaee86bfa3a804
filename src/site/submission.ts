import type { DeliveryStore } from '../deliveries/store.ts'
import { notFound } from '../errors.ts'
import type { FormStore } from '../forms/store.ts'
import { attachmentNamed } from '../http/attachment.ts'
import type { Reporter } from '../http/error-response.ts'
import { streamed } from '../http/streamed.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { StoredSubmission } from '../submissions/submission-reads.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import type { FormParams } from './form-frame.ts'
import { toPlace } from './list-place.ts'
import type { UserVisit } from './page-access.ts'
import { findDownload } from './sent-download.ts'
import { submissionPage } from './submission-page.ts'
import { allFields } from './submitted-fields.ts'

interface SubmissionParams extends FormParams {
  readonly submissionId: string
}

interface FieldParams extends SubmissionParams {
  /** Position of the field, from 0. */
  readonly field: string
}

interface Options {
  readonly forms: FormStore
  readonly submissions: SubmissionStore
  readonly deliveries: DeliveryStore
  readonly sessions: BrowserSessions
  readonly now: () => number
  /** Told of errors in the middle of a download. */
  readonly report: Reporter
}

/** `/forms/:formId/submissions/:submissionId`: one submission with all that was sent. */
export const formSubmission = ({ forms, submissions, deliveries, sessions, now, report }: Options) => {
  const find = ({ session, params }: Pick<UserVisit<SubmissionParams>, 'session' | 'params'>) => {
    const form = forms.findForm(session.userId, params.formId)
    const found = submissions.findSubmission(session.userId, form.id, 'inbox', params.submissionId)
    const [submission] = found.submissions as [StoredSubmission]
    return { form, found, submission }
  }

  return {
    show(visit: UserVisit<SubmissionParams>): Response {
      const { form, found, submission } = find(visit)
      const [id] = submission
      const fields = allFields(found, submission)
      const neighbours = submissions.findNeighbours(form, id)
      const { email } = visit.session
      const place = toPlace(visit.query)
      return submissionPage({
        email,
        form,
        id,
        fields,
        deliveries: deliveries.ofSubmission(form, id),
        neighbours,
        place,
        now: now(),
        isRetried: visit.query.done === 'retried',
      })
    },

    /** A file that was sent, or the whole value of a field, to be saved. Browsers never show it. */
    download({ exchange, session, params, query }: UserVisit<FieldParams>): Response {
      const { found, submission } = find({ session, params })
      const position = positionOf(params.field)
      if (position === undefined) throw notFound()
      const file = query.file === undefined ? undefined : (positionOf(query.file) ?? -1)
      const download = findDownload(found, submission, position, file)
      if (!download) throw notFound()
      Object.assign(exchange.headers, downloadHeaders)
      return streamed(
        exchange,
        {
          mediaType: 'application/octet-stream',
          disposition: attachmentNamed(download.name),
          parts: download.parts,
          close() {},
        },
        { report, mayRead: () => sessions.isLive(session) },
      )
    },
  }
}

const positionOf = (text: unknown): number | undefined =>
  typeof text === 'string' && /^\d{1,6}$/.test(text) ? Number(text) : undefined

/** A visitor chose the content: it must never run, whatever it is. */
const downloadHeaders = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
}
