import { expecting } from '../base/errors.ts'
import { toTimeZone } from '../base/time-zone.ts'
import { embedPath, formsPath, newFormPath } from '../config/addresses.ts'
import { ownFields, settingOf } from '../forms/settings/declared.ts'
import { parseTyped } from '../forms/settings/kind.ts'
import { spamLevels } from '../forms/settings/spam-levels.ts'
import { frame, notice, ownPage } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import { noMail } from './no-mail.ts'
import type { PageOptions } from './page-options.ts'
import { parseInputs } from './parse-inputs.ts'
import type { UserSent, UserVisit } from './visit.ts'

/** Whether a user may own forms. A user who was invited may not, until the operator allows it. */
export const mayOwnForms =
  ({ findUserById }: PageOptions['userReads']) =>
  (userId: string): boolean =>
    findUserById(userId)?.mayOwnForms === true

/** `/forms/new`: creates a form and leads to its snippet. */
export const newFormRoutes = (options: PageOptions) => {
  const { userAction, userPage } = options.pages
  const { canMail } = options.formLimits
  const { forms, userReads } = options

  const on = {
    show: ({ session: { userId, email } }: UserVisit): Response =>
      mayOwnForms(userReads)(userId) ? newFormPage({ email, canMail }) : guestPage(403, email),

    /** It starts with what most forms need. A form made by a program has the defaults of the API. */
    async create({ session: { userId, email }, form }: UserSent): Promise<Response> {
      if (!mayOwnForms(userReads)(userId)) return guestPage(403, email)
      const typed = typedIn(form)
      const inputs = parseInputs({
        title: () => parseTyped('title', ownFields.title.kind.fromText(typed.title)),
        group: () => parseTyped('group', settingOf('group').kind.fromText(typed.group)) as string | null,
      })
      if (inputs.state === 'invalid') return newFormPage({ status: 400, email, canMail, typed, errors: inputs.errors })
      const { title, group } = inputs.values
      const { id } = await forms.createForm(userId, { title })
      const timeZone = toTimeZone(form.get('timeZone') ?? '') ?? 'UTC'
      await forms.updateFormSettings(userId, id, { ...spamLevels.usual, timeZone, group })
      // An address that wants no more mail is refused. The next page says that nobody is told.
      if (canMail && typed.notify)
        await expecting(['invalid'], () => forms.updateFormSettings(userId, id, { notify: [email] }))
      return redirect(`${embedPath(id)}?done=created#notice`)
    },

    showUnsaved: ({ session: { email }, form }: UserSent): Response =>
      newFormPage({ email, canMail, typed: typedIn(form), isUnsaved: true }),
  }

  return [userPage(newFormPath, on.show), userAction(newFormPath, newFormPath, on.create, on.showUnsaved)]
}

interface Typed {
  readonly title: string
  readonly group: string
  readonly notify: boolean
}

const typedIn = (sent: URLSearchParams): Typed => ({
  title: sent.get('title') ?? '',
  group: sent.get('group') ?? '',
  notify: sent.has('notify'),
})

interface Shown {
  readonly status?: number
  readonly email: string
  readonly canMail: boolean
  readonly typed?: Typed
  readonly errors?: InputErrors
  /** Whether it was sent after the session had ended. */
  readonly isUnsaved?: true
  /** Of the first form, or `New form`. */
  readonly heading?: string
  /** A sentence about what was just done. */
  readonly done?: Html | false
}

const nothingTyped: Typed = { title: '', group: '', notify: true }

const newFormPage = ({ status = 200, email, canMail, typed = nothingTyped, errors = {}, ...shown }: Shown): Response =>
  frame({
    ...ownPage(shown.heading ? 'Forms' : 'New form', formsPath, email, status),
    body: html`${shown.done}<div class="head"><h1>${shown.heading ?? 'New form'}</h1></div>
${shown.isUnsaved && notice('failed', 'Not created yet.')}
<form class="card inputs" method="post" action="${newFormPath()}">
${labelledInput({
  name: 'title',
  label: 'Title',
  type: 'text',
  value: typed.title,
  error: errors.title,
  hint: 'Such as “Contact”. Visitors see it. You can change it later.',
  hasFocus: !errors.group,
})}
${canMail ? mailChoice(email, typed.notify) : noMail('Messages wait in your inbox, and nobody is told.')}
${labelledInput({
  name: 'group',
  label: 'Group',
  type: 'text',
  value: typed.group,
  error: errors.group,
  hint: 'A heading in your list of forms, such as the name of a client.',
  isOptional: true,
})}
${zoneOfBrowser}<div class="actions"><button class="primary">Create form</button>${!shown.heading && html`<a class="button quiet" href="${formsPath()}">Cancel</a>`}</div>
</form>
<p class="muted small apart">Then you get the code for your website. Without a website, Formbox shows the form on a page of its own.</p>`,
  })

const mailChoice = (email: string, isTicked: boolean): Html => html`<fieldset><legend>Get told</legend>
<label class="choice"><input type="checkbox" name="notify" id="notify" aria-describedby="notify-hint"${isTicked && html` checked`}><span>Email each message to <bdi>${email}</bdi> <span class="hint" id="notify-hint">Slack, your phone and others: after this, under Settings.</span></span></label>
</fieldset>`

/** The page at `/` until there is a form. @param done a sentence about what was just done */
export const firstFormPage = (shown: Pick<Shown, 'email' | 'canMail' | 'done'>): Response =>
  newFormPage({ ...shown, heading: 'Create your first form' })

/** Says to someone who may own no forms who can change that. */
export const guestPage = (status: number, email: string, done: Html | false = false): Response =>
  frame({
    ...ownPage('Forms', formsPath, email, status),
    body: html`${done}<div class="head"><h1>No forms of your own</h1></div>
<div class="card">
<p>You were invited to this server: you can use the forms that others share with you, but not create your own. The person who
runs the server can allow that with <code>formbox user allow ${email}</code>.</p>
</div>`,
  })

/** A script fills it in: the server is not told otherwise where a browser is. */
const zoneOfBrowser = html`<input type="hidden" name="timeZone" value="UTC" data-zone>
`
