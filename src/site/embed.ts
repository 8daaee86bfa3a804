import { AppError } from '../errors.ts'
import { parseSettings, refuseIfClosed } from '../forms/settings.ts'
import type { FormStore } from '../forms/store.ts'
import { redirect } from '../html/redirect.ts'
import { textField, toSentSubmission } from '../submissions/fields.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { StoredSubmission } from '../submissions/submission-reads.ts'
import { type EmbedPage, embedPage, type StoredTest } from './embed-page.ts'
import { type FormParams, formPath } from './form-frame.ts'
import type { UserSent, UserVisit } from './page-access.ts'
import { firstFields } from './submitted-fields.ts'

interface Options {
  readonly forms: FormStore
  readonly submissions: SubmissionStore
  /** The address that browsers use for this server, such as `https://forms.example.com`. */
  readonly addressOf: (request: Request) => string
}

/** `/forms/:formId/embed`: what to put on a page, and a form that sends a real submission. */
export const embed = ({ forms, submissions, addressOf }: Options) => {
  /** Undefined if it was taken for spam, or deleted. */
  const findTest = (userId: string, formId: string, id: string): StoredTest | undefined => {
    try {
      const found = submissions.findSubmission(userId, formId, 'inbox', id)
      return { id, fields: firstFields(found, found.submissions[0] as StoredSubmission).fields }
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined
      throw error
    }
  }

  const page = (
    { request, session, params }: Pick<UserVisit<FormParams>, 'request' | 'session' | 'params'>,
    rest: Partial<EmbedPage>,
  ): Response => {
    const form = forms.findForm(session.userId, params.formId)
    return embedPage({
      email: session.email,
      form,
      fieldNames: JSON.parse(forms.readFieldNames(form) ?? '[]'),
      address: `${addressOf(request)}/s/${form.id}`,
      ...rest,
    })
  }

  return {
    show(visit: UserVisit<FormParams>): Response {
      const { session, params, query } = visit
      const { sent } = query
      return page(visit, {
        withChallenge: query.with === 'challenge',
        sent: typeof sent === 'string' ? findTest(session.userId, params.formId, sent) : undefined,
        isNew: query.done === 'created',
      })
    },

    async send({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const form = forms.findForm(session.userId, params.formId)
      refuseIfClosed(form)
      const fields = Array.from(sent, ([name, text]) => textField(name, text))
      const submission = toSentSubmission(fields, parseSettings(form.settings).honeypot)
      const { id } = await submissions.createSubmission(form, submission)
      return redirect(`${embedPath(params)}?sent=${id}#notice`)
    },

    showUnsent: (visit: UserSent<FormParams>): Response => page(visit, { unsent: visit.form }),
  }
}

export const embedPath = ({ formId }: FormParams): string => `${formPath(formId)}/embed`
