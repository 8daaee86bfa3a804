import {
  parseColumns,
  parseDescription,
  parseMaxLinks,
  parseNotify,
  parseReturnUrl,
  parseSpamDays,
  parseTerms,
  parseThankYou,
  parseTitle,
} from '../forms/form-fields.ts'
import type { FormChanges } from '../forms/form-writes.ts'
import type { Form } from '../forms/ownership.ts'
import { parseSettings } from '../forms/settings.ts'
import type { FormStore } from '../forms/store.ts'
import type { Html } from '../html/html.ts'
import { redirect } from '../html/redirect.ts'
import { type FormParams, formPath } from './form-frame.ts'
import { type FormSettingsPage, formSettingsPage } from './form-settings-page.ts'
import type { UserSent, UserVisit } from './page-access.ts'
import { parseInputs } from './parse-inputs.ts'

interface Options {
  readonly forms: FormStore
  /** The section of the webhooks, see webhooks.ts. */
  readonly webhookSection: (visit: Pick<UserVisit, 'session' | 'query'>, form: Form) => Html
}

/** `/forms/:formId/settings`: changes a form, duplicates and deletes it. */
export const formSettings = ({ forms, webhookSection }: Options) => {
  const page = ({ session, params, query = {} }: Owned, rest: Partial<FormSettingsPage>): Response => {
    const form = forms.findForm(session.userId, params.formId)
    return formSettingsPage({
      email: session.email,
      form,
      columns: columnLines(form),
      canMail: forms.canMail,
      webhooks: webhookSection({ session, query }, form),
      fieldNames: JSON.parse(forms.readFieldNames(form) ?? '[]'),
      ...rest,
    })
  }

  const saved = (params: FormParams): Response => redirect(`${settingsPath(params)}?done=saved#notice`)

  const updateGeneral = async (sent: UserSent<FormParams>): Promise<Response> => {
    const { session, params } = sent
    const form = forms.findForm(session.userId, params.formId)
    const typed = {
      title: sent.form.get('title') ?? '',
      description: sent.form.get('description') ?? '',
      returnUrl: sent.form.get('returnUrl') ?? '',
      thankYou: sent.form.get('thankYou') ?? '',
      columns: sent.form.get('columns') ?? '',
    }
    const inputs = parseInputs({
      title: () => parseTitle(typed.title),
      description: () => parseDescription(withoutCr(typed.description)),
      returnUrl: () => parseReturnUrl(typed.returnUrl),
      // Nothing to parse where nothing was changed: the API takes spaces at the ends, and names that are no line of their
      // own.
      thankYou: () =>
        withoutCr(typed.thankYou) === thankYouText(form) ? undefined : parseThankYou(withoutCr(typed.thankYou)),
      columns: () => (withoutCr(typed.columns) === columnLines(form) ? undefined : parseColumns(typed.columns)),
    })
    if ('errors' in inputs) return page(sent, { status: 400, typed, errors: inputs.errors })
    const { columns, thankYou, ...fields } = inputs.values
    await forms.saveForm(session.userId, form.id, changesOf(form, fields), { columns, thankYou })
    return saved(params)
  }

  const updateCollecting = async ({ session, params, form }: UserSent<FormParams>): Promise<Response> => {
    await forms.updateFormSettings(session.userId, params.formId, { open: form.has('open') })
    return saved(params)
  }

  const updateNotifications = async (sent: UserSent<FormParams>): Promise<Response> => {
    const { session, params, form } = sent
    const typedNotify = form.get('notify') ?? ''
    const inputs = parseInputs({ notify: () => parseNotify(typedNotify, forms.canMail) })
    if ('errors' in inputs) return page(sent, { status: 400, typedNotify, errors: inputs.errors })
    await forms.updateFormSettings(session.userId, params.formId, inputs.values)
    return saved(params)
  }

  const updateSpam = async (sent: UserSent<FormParams>): Promise<Response> => {
    const { session, params, form } = sent
    const typedSpam = {
      blockedTerms: form.get('blockedTerms') ?? '',
      maxLinks: form.get('maxLinks') ?? '',
      spamDays: form.get('spamDays') ?? '',
      challenge: form.has('challenge'),
    }
    const inputs = parseInputs({
      blockedTerms: () => parseTerms(typedSpam.blockedTerms),
      maxLinks: () => parseMaxLinks(typedSpam.maxLinks),
      spamDays: () => parseSpamDays(typedSpam.spamDays),
    })
    if ('errors' in inputs) return page(sent, { status: 400, typedSpam, errors: inputs.errors })
    await forms.updateFormSettings(session.userId, params.formId, {
      ...inputs.values,
      challenge: form.has('challenge'),
    })
    return saved(params)
  }

  return {
    show: (visit: UserVisit<FormParams>): Response => page(visit, { done: visit.query.done }),

    /** Each section of the page is a form of its own. */
    update(sent: UserSent<FormParams>): Promise<Response> {
      const section = sent.form.get('section')
      if (section === 'collecting') return updateCollecting(sent)
      if (section === 'spam') return updateSpam(sent)
      return section === 'notifications' ? updateNotifications(sent) : updateGeneral(sent)
    },

    async duplicate({ session, params }: UserSent<FormParams>): Promise<Response> {
      const formId = await forms.duplicateForm(session.userId, params.formId)
      return redirect(`${settingsPath({ formId })}?done=duplicated#notice`)
    },

    /** Asks for the title, so that nobody deletes the wrong form. */
    async delete(sent: UserSent<FormParams>): Promise<Response> {
      const { session, params } = sent
      const { id, title } = forms.findForm(session.userId, params.formId)
      if (!isTitle(sent.form.get('confirm') ?? '', title))
        return page(sent, { status: 400, errors: { confirm: 'This is not the title of the form.' } })
      await forms.deleteForm(session.userId, id)
      return redirect('/?done=deleted#notice')
    },
  }
}

export const settingsPath = ({ formId }: FormParams): string => `${formPath(formId)}/settings`

type Owned = Pick<UserVisit<FormParams>, 'session' | 'params'> & Partial<Pick<UserVisit, 'query'>>

type Typed = Required<Pick<Form, 'title' | 'description' | 'returnUrl'>>

/** What differs, except in line breaks and spaces that a browser does not send back as they were. */
const changesOf = (form: Form, { title, description, returnUrl }: Typed): FormChanges => ({
  ...(title !== form.title.replaceAll(/[\r\n]/g, '').trim() && { title }),
  ...(description !== (withoutCr(form.description ?? '').trim() || null) && { description }),
  ...(returnUrl !== form.returnUrl && { returnUrl }),
})

const columnLines = ({ settings }: Form): string => (parseSettings(settings).columns ?? []).join('\n')

const thankYouText = ({ settings }: Form): string => withoutCr(parseSettings(settings).thankYou ?? '')

/** Browsers end the lines of a form with two characters. */
const withoutCr = (text: string): string => text.replaceAll('\r\n', '\n')

/** White space at the ends, or several in a row, looks like none or one on the page. */
const isTitle = (typed: string, title: string): boolean => typed === title || toSeen(typed) === toSeen(title)

const toSeen = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
