import { parseReturnUrl, parseTitle } from '../forms/form-fields.ts'
import type { FormStore } from '../forms/store.ts'
import { redirect } from '../html/redirect.ts'
import { formPath } from './form-frame.ts'
import { newFormPage } from './new-form-page.ts'
import type { UserSent, UserVisit } from './page-access.ts'
import { parseInputs } from './parse-inputs.ts'

/** `/forms/new`: creates a form and leads to its snippet. */
export const newForm = (forms: FormStore) => ({
  show: ({ session }: UserVisit): Response => newFormPage({ email: session.email }),

  async create({ session, form }: UserSent): Promise<Response> {
    const typed = typedIn(form)
    const inputs = parseInputs({
      title: () => parseTitle(typed.title),
      returnUrl: () => parseReturnUrl(typed.returnUrl),
    })
    if ('errors' in inputs) return newFormPage({ status: 400, email: session.email, typed, errors: inputs.errors })
    const { id } = await forms.createForm(session.userId, inputs.values)
    return redirect(`${formPath(id)}/embed?done=created#notice`)
  },

  showUnsaved: ({ session, form }: UserSent): Response =>
    newFormPage({ email: session.email, typed: typedIn(form), isUnsaved: true }),
})

const typedIn = (sent: URLSearchParams) => ({ title: sent.get('title') ?? '', returnUrl: sent.get('returnUrl') ?? '' })
