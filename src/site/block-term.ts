import { blockTermPath, formsPath, type ParamsOf, spamPath } from '../config/addresses.ts'
import type { Form } from '../forms/form.ts'
import { settings } from '../forms/settings/declared.ts'
import { parseTyped } from '../forms/settings/kind.ts'
import { type FormSettings, parseSettings } from '../forms/settings/settings.ts'
import { frame, header, pageTitle } from '../html/frame.ts'
import { html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import { firstFields } from '../submissions/lines.ts'
import { likelyTerm } from '../submissions/spam/judge.ts'
import type { PageOptions } from './page-options.ts'
import { parseInputs } from './parse-inputs.ts'
import type { UserSent, UserVisit } from './visit.ts'

type SpamParams = ParamsOf<typeof blockTermPath.route>

/** `/forms/:formId/spam/:submissionId/block`: adds a word or an address of some spam to the form's blocked terms. */
export const blockTermRoutes = ({ pages: { userAction, userPage }, access, forms, submissions }: PageOptions) => {
  const save = async ({ session, params, form: sent }: UserSent<SpamParams>): Promise<Response> => {
    const { userId, email } = session
    const form = access.findFormTo('configure', userId, params.formId)
    const term = (sent.get('blockedTerms') ?? '').trim()
    if (term === '') return redirect(blockTermPath(form.id, params.submissionId))
    const inputs = parseInputs({ blockedTerms: () => withTerm(parseSettings(form.settings), term) })
    if (inputs.state === 'invalid')
      return blockPage({ email, form, id: params.submissionId, term, error: inputs.errors.blockedTerms, status: 400 })
    await forms.reviseFormSettings(userId, form.id, (found) => ({ blockedTerms: withTerm(found, term) }))
    return redirect(`${spamPath(form.id)}?done=blocked#notice`)
  }

  const on = {
    show({ session, params }: UserVisit<SpamParams>): Response {
      const { userId, email } = session
      const form = access.findFormTo('configure', userId, params.formId)
      const found = submissions.findSubmission(form, 'spam', params.submissionId)
      return blockPage({ email, form, id: params.submissionId, term: likelyTerm(firstFields(found).fields) })
    },

    save,

    showUnsaved: ({ session, params, form: sent }: UserSent<SpamParams>): Response =>
      blockPage({
        email: session.email,
        form: access.findFormTo('configure', session.userId, params.formId),
        id: params.submissionId,
        term: sent.get('blockedTerms') ?? '',
        error: 'Not saved yet.',
      }),
  }

  return [userPage(blockTermPath, on.show), userAction(blockTermPath, spamPath, on.save, on.showUnsaved)]
}

/** @throws AppError `invalid` */
const withTerm = ({ blockedTerms }: FormSettings, term: string): readonly string[] =>
  parseTyped('blockedTerms', settings.blockedTerms.kind.fromText([...blockedTerms, term].join('\n')))

interface Shown {
  readonly email: string
  readonly form: Form
  /** The identifier of the spam. */
  readonly id: string
  readonly term: string
  readonly error?: string | undefined
  readonly status?: number
}

const blockPage = ({ email, form, id, term, error, status = 200 }: Shown): Response => {
  const path = spamPath(form.id)
  return frame({
    status,
    title: pageTitle(`Block a word or an address · ${form.title}`, status),
    header: header(formsPath, email),
    body: html`<div class="card">
<h1>Block a word or an address</h1>
<p>From now on, a submission that contains it in any field is spam, even inside a longer word. The settings of the form list all blocked terms.</p>
<form class="column" method="post" action="${blockTermPath(form.id, id)}">
${labelledInput({ name: 'blockedTerms', label: 'Word or address', type: 'text', value: term, error, hasFocus: true })}
<button class="primary">Block</button>
<a class="button" href="${path}">Cancel</a>
</form>
</div>`,
  })
}
