import type { RefusedOrigins } from '../forms/origins.ts'
import type { Form } from '../forms/ownership.ts'
import { parseSettings, type SettingsChanges } from '../forms/settings.ts'
import type { FormStore } from '../forms/store.ts'
import type { Html } from '../html/html.ts'
import { redirect } from '../html/redirect.ts'
import { oneLine } from '../short-text.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { changedSettings, isChanged, withoutSection } from './changed-settings.ts'
import { type FormParams, formPath } from './form-frame.ts'
import { type FormSettingsPage, formSettingsPage, sections } from './form-settings-page.ts'
import type { UserSent, UserVisit } from './page-access.ts'
import { errorsOf } from './parse-inputs.ts'
import type { SettingsSection, ShownForm } from './setting.ts'
import {
  type Question,
  retentionQuestion,
  settingsQuestionPage,
  spamDaysQuestion,
  trapQuestion,
} from './settings-question-page.ts'

interface Options {
  readonly forms: FormStore
  readonly submissions: Pick<SubmissionStore, 'countOlder'>
  readonly refusedOrigins: Pick<RefusedOrigins, 'list'>
  /** The section of the webhooks, see webhooks.ts. */
  readonly webhookSection: (visit: Pick<UserVisit, 'session' | 'query'>, form: Form) => Html
}

/** `/forms/:formId/settings`: changes a form, duplicates and deletes it. */
export const formSettings = ({ forms, submissions, refusedOrigins, webhookSection }: Options) => {
  const toShown = (form: Form): ShownForm => ({
    form,
    fieldNames: JSON.parse(forms.readFieldNames(form) ?? '[]'),
    canMail: forms.canMail,
    submitLimit: forms.submitLimit,
    refused: refusedOrigins.list(form),
  })

  const page = ({ session, params, query = {} }: Owned, rest: Partial<FormSettingsPage>): Response => {
    const form = forms.findForm(session.userId, params.formId)
    return formSettingsPage({
      email: session.email,
      webhooks: webhookSection({ session, query }, form),
      ...toShown(form),
      ...rest,
    })
  }

  /** None if the changes lose nothing. */
  const questionsAbout = ({ form, fieldNames }: ShownForm, changes: SettingsChanges): Question[] => {
    const { retentionDays, honeypot, spamDays } = changes
    const before = parseSettings(form.settings)
    const questions: Question[] = []
    if (typeof retentionDays === 'number' && retentionDays < (before.retentionDays ?? Number.POSITIVE_INFINITY)) {
      const tooOld = submissions.countOlder(form, 'inbox', retentionDays)
      if (tooOld > 0) questions.push(retentionQuestion(form, retentionDays, tooOld))
    }
    if (spamDays !== undefined && spamDays < before.spamDays) {
      const tooOld = submissions.countOlder(form, 'spam', spamDays)
      if (tooOld > 0) questions.push(spamDaysQuestion(spamDays, tooOld, form.spamCount))
    }
    if (honeypot !== undefined && honeypot !== before.honeypot && fieldNames.includes(honeypot))
      questions.push(trapQuestion(honeypot))
    return questions
  }

  return {
    show: (visit: UserVisit<FormParams>): Response =>
      page(visit, { saved: visit.query.saved, isCopy: visit.query.done === 'duplicated' }),

    /** Changes what is in one section of the page. What was typed in the others stays on the page, as it was typed. */
    async update(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const form = forms.findForm(session.userId, params.formId)
      // A question was answered with no.
      if (sent.has('back')) return page(visit, { unsaved: sent })
      const section = sectionIn(sent, form)
      const shown = toShown(form)
      const changed = changedSettings(section, sent, shown)
      if ('errors' in changed) return page(visit, { status: 400, unsaved: sent, errors: changed.errors })
      const confirmed = sent.getAll('confirm')
      const question = questionsAbout(shown, changed.values).find(({ setting }) => !confirmed.includes(setting))
      if (question) return settingsQuestionPage({ email: session.email, form, question, sent })
      const saving = forms.saveForm(session.userId, form.id, changed.values, changed.values)
      const errors = await saving.then(() => undefined, errorsOf)
      if (errors) return page(visit, { status: 400, unsaved: sent, errors })
      const unsaved = withoutSection(section, sent)
      if (sections.some((other) => isChanged(other, unsaved, form)))
        return page(visit, { unsaved, saved: section.name })
      return redirect(`${settingsPath(params)}?saved=${section.name}#notice`)
    },

    showUnsaved: (visit: UserSent<FormParams>): Response => page(visit, { unsaved: visit.form }),

    async duplicate({ session, params }: UserSent<FormParams>): Promise<Response> {
      const { id: formId } = await forms.duplicateForm(session.userId, params.formId)
      return redirect(`${settingsPath({ formId })}?done=duplicated#notice`)
    },

    /** Asks for the title, so that nobody deletes the wrong form. */
    async delete(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const { id, title } = forms.findForm(session.userId, params.formId)
      const confirm = sent.get('confirm') ?? ''
      if (!isTitle(confirm, title))
        return page(visit, { status: 400, confirm, errors: { confirm: 'This is not the title of the form.' } })
      await forms.deleteForm(session.userId, id)
      return redirect('/?done=deleted#notice')
    },
  }
}

/** The one whose button was pressed. Enter in a field presses none. */
const sectionIn = (sent: URLSearchParams, form: Form): SettingsSection =>
  sections.find(({ name }) => name === sent.get('section')) ??
  sections.find((section) => isChanged(section, sent, form)) ??
  sections[0]

export const settingsPath = ({ formId }: FormParams): string => `${formPath(formId)}/settings`

type Owned = Pick<UserVisit<FormParams>, 'session' | 'params'> & Partial<Pick<UserVisit, 'query'>>

/** White space at the ends, or several in a row, looks like none or one on the page. */
const isTitle = (typed: string, title: string): boolean => typed === title || oneLine(typed) === oneLine(title)
