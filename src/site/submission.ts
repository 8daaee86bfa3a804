import { notFound } from '../errors.ts'
import type { FormStore } from '../forms/store.ts'
import { attachmentNamed } from '../http/attachment.ts'
import type { SubmittedField } from '../submissions/sent-fields.ts'
import { filesIn } from '../submissions/sent-file.ts'
import type { StoredSubmission, SubmissionStore } from '../submissions/store.ts'
import type { FormParams } from './form-frame.ts'
import { toPlace } from './list-place.ts'
import type { UserVisit } from './page-access.ts'
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
  readonly now: () => number
}

/** `/forms/:formId/submissions/:submissionId`: one submission with all that was sent. */
export const formSubmission = ({ forms, submissions, now }: Options) => {
  const find = ({ session, params }: Pick<UserVisit<SubmissionParams>, 'session' | 'params'>) => {
    const form = forms.findForm(session.userId, params.formId)
    const found = submissions.findSubmission(session.userId, form.id, params.submissionId)
    const [submission] = found.submissions as [StoredSubmission]
    return { form, id: submission[0], fields: allFields(found, submission) }
  }

  return {
    show(visit: UserVisit<SubmissionParams>): Response {
      const { form, id, fields } = find(visit)
      const neighbours = submissions.findNeighbours(form, id)
      const { email } = visit.session
      const place = toPlace(visit.query)
      return submissionPage({ email, form, id, fields, neighbours, place, now: now() })
    },

    /** A file that was sent, or a field that is too long for the page, to be saved. Browsers never show it. */
    download(visit: UserVisit<FieldParams>): Response {
      const { fields } = find(visit)
      const field = /^\d{1,5}$/.test(visit.params.field) ? fields[Number(visit.params.field)] : undefined
      if (!field) throw notFound()
      const { query } = visit
      const position = typeof query.file === 'string' && /^\d{1,3}$/.test(query.file) ? Number(query.file) : 0
      const file = filesIn(JSON.parse(field.json))[position]
      const name = file ? file.filename : `${field.name}.txt`
      const bytes = file ? Buffer.from(file.base64, 'base64') : Buffer.from(textOf(field))
      return new Response(bytes, { headers: { ...downloadHeaders, 'content-disposition': attachmentNamed(name) } })
    },
  }
}

const textOf = ({ json }: SubmittedField): string => (json.startsWith('"') ? JSON.parse(json) : json)

/** A visitor chose the content: it must never run, whatever it is. */
const downloadHeaders = {
  'content-type': 'application/octet-stream',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
}
