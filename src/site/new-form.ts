import type { UserReads } from '../accounts/users/user-reads.ts'
import { toTimeZone } from '../base/time-zone.ts'
import { embedPath, formsPath, newFormPath } from '../config/addresses.ts'
import { ownFields } from '../forms/settings/declared.ts'
import { parseTyped } from '../forms/settings/kind.ts'
import type { FormStore } from '../forms/store.ts'
import { frame, header, notice, pageTitle } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import type { PageAccess } from './page-access.ts'
import { parseInputs } from './parse-inputs.ts'
import type { UserSent, UserVisit } from './visit.ts'

interface Options {
  readonly pages: PageAccess
  readonly forms: FormStore
  readonly userReads: Pick<UserReads, 'findUserById'>
}

/** Whether a user may own forms. A user who was invited may not, until the operator allows it. */
export const mayOwnForms =
  ({ findUserById }: Options['userReads']) =>
  (userId: string): boolean =>
    findUserById(userId)?.mayOwnForms === true

/** `/forms/new`: creates a form and leads to its snippet. */
export const newFormRoutes = ({ pages: { userAction, userPage }, forms, userReads }: Options) => {
  const on = {
    show: ({ session: { userId, email } }: UserVisit): Response =>
      mayOwnForms(userReads)(userId) ? newFormPage({ email }) : guestPage(403, email),

    async create({ session, form }: UserSent): Promise<Response> {
      if (!mayOwnForms(userReads)(session.userId)) return guestPage(403, session.email)
      const typed = typedIn(form)
      const inputs = parseInputs({
        title: () => parseTyped('title', ownFields.title.kind.fromText(typed.title)),
        returnUrl: () => parseTyped('returnUrl', ownFields.returnUrl.kind.fromText(typed.returnUrl)),
      })
      if (inputs.state === 'invalid')
        return newFormPage({ status: 400, email: session.email, typed, errors: inputs.errors })
      const { id } = await forms.createForm(session.userId, inputs.values)
      const timeZone = toTimeZone(form.get('timeZone') ?? '') ?? 'UTC'
      if (timeZone !== 'UTC') await forms.updateFormSettings(session.userId, id, { timeZone })
      return redirect(`${embedPath(id)}?done=created#notice`)
    },

    showUnsaved: ({ session, form }: UserSent): Response =>
      newFormPage({ email: session.email, typed: typedIn(form), isUnsaved: true }),
  }

  return [userPage(newFormPath, on.show), userAction(newFormPath, newFormPath, on.create, on.showUnsaved)]
}

const typedIn = (sent: URLSearchParams) => ({ title: sent.get('title') ?? '', returnUrl: sent.get('returnUrl') ?? '' })

interface Shown {
  readonly status?: number
  readonly email: string
  readonly typed?: Readonly<Record<'title' | 'returnUrl', string>>
  readonly errors?: InputErrors
  /** Whether it was sent after the session had ended. */
  readonly isUnsaved?: true
}

const newFormPage = ({ status = 200, email, typed, errors = {}, isUnsaved }: Shown): Response =>
  frame({
    status,
    title: pageTitle('New form', status),
    header: header(formsPath, email),
    body: html`<div class="card">
<h1>New form</h1>
${isUnsaved && notice('failed', 'Not created yet.')}
${whatComesNext}
<form method="post" action="${newFormPath()}">
${titleField(typed?.title, errors)}
${labelledInput({
  name: 'returnUrl',
  label: 'Return address',
  type: 'url',
  value: typed?.returnUrl ?? '',
  error: errors.returnUrl,
  hint: 'Where visitors go after sending, such as https://example.com/thanks. Leave empty for the built-in thank-you page.',
  autocomplete: 'off',
  isOptional: true,
})}
${zoneOfBrowser}<button class="primary full">Create form</button>
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
    header: header(formsPath, email),
    body: html`${done && notice('done', done)}<div class="card">
<h1>Create your first form</h1>
${whatComesNext}
<form method="post" action="${newFormPath()}">
${titleField('', {})}
${zoneOfBrowser}<button class="primary full">Create form</button>
</form>
</div>
<ol class="steps">
<li aria-current="step">Name the form</li>
<li>Paste its snippet into your page</li>
<li>Read here what people send</li>
</ol>`,
  })

/** Says to someone who may own no forms who can change that. */
export const guestPage = (status: number, email: string, done?: string): Response =>
  frame({
    status,
    title: pageTitle('Forms', status),
    header: header(formsPath, email),
    body: html`${done && notice('done', done)}<div class="card message">
<h1>No forms of your own</h1>
<p>You were invited to this server: you can use the forms that others share with you, but not create your own. The person who
runs the server can allow that with <code>formbox user allow ${email}</code>.</p>
</div>`,
  })

const whatComesNext = html`<p class="muted">The next page has a snippet for your website, and a test to see that it
works.</p>`

/** A script fills it in: the server is not told otherwise where a browser is. */
const zoneOfBrowser = html`<input type="hidden" name="timeZone" value="UTC" data-zone>
`

const titleField = (value: string | undefined, errors: InputErrors): Html =>
  labelledInput({
    name: 'title',
    label: 'Title',
    type: 'text',
    value: value ?? '',
    error: errors.title,
    hint: 'Such as “Contact”. Visitors see it on the built-in thank-you page.',
    autocomplete: 'off',
    hasFocus: !errors.returnUrl,
  })
