import { parseReturnUrl, parseTitle } from '../forms/form-fields.ts'
import type { FormStore } from '../forms/store.ts'
import { type FieldErrors, field } from '../html/field.ts'
import { frame, header, notice, pageTitle } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { redirect } from '../html/redirect.ts'
import { formPath } from './form-frame.ts'
import { parseInputs } from './parse-inputs.ts'
import type { UserSent, UserVisit } from './visit.ts'

/** `/forms/new`: creates a form and leads to its snippet. */
export const newFormHandlers = ({ forms }: { readonly forms: FormStore }) => ({
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

interface Shown {
  readonly status?: number
  readonly email: string
  readonly typed?: Readonly<Record<'title' | 'returnUrl', string>>
  readonly errors?: FieldErrors
  /** Whether it was sent after the session had ended. */
  readonly isUnsaved?: true
}

const newFormPage = ({ status = 200, email, typed, errors = {}, isUnsaved }: Shown): Response =>
  frame({
    status,
    title: pageTitle('New form', status),
    header: header('/', email),
    body: html`<div class="card">
<h1>New form</h1>
${isUnsaved && notice('failed', 'Not created yet.')}
${whatComesNext}
<form method="post" action="/forms/new">
${titleField(typed?.title, errors)}
${field({
  name: 'returnUrl',
  label: 'Return address',
  type: 'url',
  value: typed?.returnUrl ?? '',
  error: errors.returnUrl,
  hint: 'Where a browser goes after sending, such as https://example.com/thanks. Without one, it shows the built-in thank-you page.',
  autocomplete: 'off',
  isOptional: true,
})}
<button class="primary full">Create form</button>
</form>
</div>`,
  })

interface FirstShown {
  readonly email: string
  /** A sentence about what was just done. */
  readonly done: string | undefined
}

/** The page at `/` until there is a form. */
export const firstFormPage = ({ email, done }: FirstShown): Response =>
  frame({
    title: 'Forms · Formbox',
    header: header('/', email),
    body: html`${done && notice('done', done)}<div class="card">
<h1>Create your first form</h1>
${whatComesNext}
<form method="post" action="/forms/new">
${titleField('', {})}
<button class="primary full">Create form</button>
</form>
</div>
<ol class="steps">
<li aria-current="step">Name the form</li>
<li>Paste its snippet into your page</li>
<li>Read here what people send</li>
</ol>`,
  })

const whatComesNext = html`<p class="muted">The next page has a snippet for your website, and a test to see that it
works.</p>`

const titleField = (value: string | undefined, errors: FieldErrors): Html =>
  field({
    name: 'title',
    label: 'Title',
    type: 'text',
    value: value ?? '',
    error: errors.title,
    hint: 'Such as “Contact”. Visitors see it on the built-in thank-you page.',
    autocomplete: 'off',
    hasFocus: !errors.returnUrl,
  })
