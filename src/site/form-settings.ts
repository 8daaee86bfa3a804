import type { Member } from '../accounts/members/member-writes.ts'
import type { MemberStore } from '../accounts/members/store.ts'
import { expecting } from '../base/errors.ts'
import { oneLine } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import {
  deleteFormPath,
  duplicatePath,
  formsPath,
  membersPath,
  settingsPath,
  testReplyPath,
} from '../config/addresses.ts'
import type { FormAccess, FormTo } from '../forms/access.ts'
import type { ReadFieldNames } from '../forms/field-names.ts'
import type { Form } from '../forms/form.ts'
import type { RecentOrigins } from '../forms/settings/origins.ts'
import { type FormLimits, parseSettings } from '../forms/settings/settings.ts'
import type { FormStore } from '../forms/store.ts'
import type { ListedDeed, ListTrail } from '../forms/trail.ts'
import { counted } from '../html/format.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import type { InputErrors } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import type { ReplyStore, ReplyTest } from '../submissions/replies/store.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { copySection } from './copy-or-delete.ts'
import { rowAction } from './field-rows.ts'
import { foldedSection, formFrame } from './form-frame.ts'
import type { Navigation } from './jump-menu.ts'
import type { PageAccess } from './page-access.ts'
import { errorsOf } from './parse-inputs.ts'
import { replyPreview } from './reply-inputs.ts'
import { changedSettings, isChanged, labelled, settingsSection, withoutSection } from './setting.ts'
import { questionsAbout, settingsQuestionPage } from './settings-questions.ts'
import type { SettingsSection, ShownForm } from './settings-section.ts'
import { sections } from './settings-sections.ts'
import { shownDeeds, trailSection } from './trail.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

interface Options {
  readonly pages: PageAccess
  readonly access: FormAccess
  readonly readFieldNames: ReadFieldNames
  readonly formLimits: FormLimits
  readonly forms: FormStore
  readonly submissions: Pick<SubmissionStore, 'countOlder' | 'learning'>
  readonly refusedOrigins: Pick<RecentOrigins, 'list'>
  readonly ignoredNext: Pick<RecentOrigins, 'list'>
  readonly lostMessages: Pick<RecentOrigins, 'list'>
  readonly replies: ReplyStore
  readonly members: Pick<MemberStore, 'listMembers'>
  readonly listTrail: ListTrail
  /** The section of the webhooks, see webhooks.ts. */
  readonly webhookSection: (visit: Pick<UserVisit, 'session' | 'query'>, form: FormTo<'webhooks'>) => Html
  readonly now: () => number
}

type Owned = Pick<UserVisit<FormParams>, 'session' | 'params'> & Partial<Pick<UserVisit, 'query'>>

/** `/forms/:formId/settings`: changes a form, duplicates and deletes it. */
export const formSettingsRoutes = (options: Options) => {
  const { navigate, userAction, userPage } = options.pages
  const {
    access,
    readFieldNames,
    formLimits,
    forms,
    submissions,
    refusedOrigins,
    ignoredNext,
    lostMessages,
    replies,
    members,
    listTrail,
    webhookSection,
    now,
  } = options

  const toShown = (form: FormTo<'configure'>): ShownForm => ({
    form,
    fieldNames: JSON.parse(readFieldNames(form) ?? '[]'),
    ...formLimits,
    senderNames: forms.sendersFor(form),
    refused: refusedOrigins.list(form),
    ignored: ignoredNext.list(form),
    lost: lostMessages.list(form),
    replyPreview: null,
    learned: null,
  })

  const page = async (
    { session, params, query = {} }: Owned,
    { replyTest, ...rest }: Partial<FormSettingsPage> & { readonly replyTest?: ReplyTest },
  ): Promise<Response> => {
    const found = access.findFormTo('configure', session.userId, params.formId)
    const preview = await replies.preview(found)
    const learned =
      found.spamCount > 0 || found.lessonChanges > 0
        ? await submissions.learning.numbersOf(session.userId, found.id)
        : null
    // It may have been changed meanwhile.
    const form = access.findFormTo('configure', session.userId, params.formId)
    return formSettingsPage({
      email: session.email,
      navigation: navigate(session.userId, form),
      now: now(),
      isOwner: form.userId === session.userId,
      members: members.listMembers(form).members,
      deeds: listTrail(form, { page: 1, perPage: shownDeeds }).deeds,
      webhooks: webhookSection({ session, query }, form),
      ...toShown(form),
      replyPreview: preview && replyPreview(form.id, preview, replyTest ?? null),
      learned,
      ...rest,
    })
  }

  const on = {
    show: (visit: UserVisit<FormParams>): Promise<Response> =>
      page(visit, { saved: visit.query.saved, isCopy: visit.query.done === 'duplicated' }),

    /** Saves one section of the page. Text typed in the others stays on the page. */
    async update(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const form = access.findFormTo('configure', session.userId, params.formId)
      // The answer to a question was no.
      if (sent.has('back')) return page(visit, { unsaved: sent })
      if (sent.has(rowAction)) return page(visit, { unsaved: sent, wanted: 'checks' })
      const section = sectionIn(sent, form)
      const shown = toShown(form)
      const changed = changedSettings(section, sent, shown)
      if (changed.state === 'invalid') return page(visit, { status: 400, unsaved: sent, errors: changed.errors })
      const confirmed = sent.getAll('confirm')
      const questions = questionsAbout(shown, changed.values, submissions.countOlder)
      const question = questions.find(({ setting }) => !confirmed.includes(setting))
      if (question) return settingsQuestionPage({ email: session.email, form, question, sent })
      const saved = await expecting(['invalid'], () => forms.saveForm(session.userId, form.id, changed.values))
      if (saved.state === 'invalid') return page(visit, { status: 400, unsaved: sent, errors: errorsOf(saved.error) })
      const unsaved = withoutSection(section, sent)
      if (sections.some((other) => isChanged(other, unsaved, form)))
        return page(visit, { unsaved, saved: section.name })
      return redirect(`${settingsPath(params.formId)}?saved=${section.name}#notice`)
    },

    showUnsaved: (visit: UserSent<FormParams>): Promise<Response> => page(visit, { unsaved: visit.form }),

    /** Sends the user the automatic reply, as it is stored. What was typed stays on the page. */
    async testReply(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params } = visit
      const form = access.findFormTo('configure', session.userId, params.formId)
      // The setting was taken away since the page was opened.
      if (parseSettings(form.settings).reply === null) return redirect(settingsPath(form.id))
      const tested = await expecting(['invalid'], () => replies.test(session.userId, form))
      const result =
        tested.state === 'done' ? { replyTest: tested.value } : { status: 400, errors: errorsOf(tested.error) }
      return page(visit, { unsaved: visit.form, wanted: 'automatic-reply', ...result })
    },

    async duplicate({ session, params }: UserSent<FormParams>): Promise<Response> {
      const { id } = await forms.duplicateForm(session.userId, params.formId)
      return redirect(`${settingsPath(id)}?done=duplicated#notice`)
    },

    /** Asks for the title, so that no one deletes the wrong form. */
    async delete(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const { id, title } = access.findFormTo('delete', session.userId, params.formId)
      const confirm = sent.get('confirm') ?? ''
      if (!isTitle(confirm, title))
        return page(visit, { status: 400, confirm, errors: { confirm: 'This is not the title of the form.' } })
      await forms.deleteForm(session.userId, id)
      return redirect(`${formsPath()}?done=deleted#notice`)
    },
  }

  return [
    userPage(settingsPath, on.show),
    userAction(settingsPath, settingsPath, on.update, on.showUnsaved),
    userAction(testReplyPath, settingsPath, on.testReply),
    userAction(duplicatePath, settingsPath, on.duplicate),
    userAction(deleteFormPath, settingsPath, on.delete),
  ]
}

/** The section whose button was pressed. Enter in a field presses none. */
const sectionIn = (sent: URLSearchParams, form: Form): SettingsSection =>
  sections.find(({ name }) => name === sent.get('section')) ??
  sections.find((section) => isChanged(section, sent, form)) ??
  sections[0]

/** Ignores white space that does not show on the page: at the ends, and more than one in a row. */
const isTitle = (typed: string, title: string): boolean =>
  typed === title || oneLine(visible(typed)) === oneLine(visible(title))

interface FormSettingsPage extends ShownForm {
  readonly status?: number
  readonly email: string
  readonly navigation: Navigation
  readonly now: number
  /** Whether the reader may also duplicate and delete the form. */
  readonly isOwner: boolean
  readonly members: readonly Member[]
  readonly deeds: readonly ListedDeed[]
  readonly webhooks: Html
  /** A form that was sent and not stored. */
  readonly unsaved?: URLSearchParams
  readonly errors?: InputErrors
  /** The name of a section that was just saved. */
  readonly saved?: unknown
  /** The name of the section to open. */
  readonly wanted?: string
  /** Whether this is a copy that was just made. */
  readonly isCopy?: boolean
  /** The text typed to confirm that the form is to be deleted. */
  readonly confirm?: string
}

const formSettingsPage = (shown: FormSettingsPage): Response => {
  const { status = 200, email, form, navigation, now, unsaved, errors = {}, saved, wanted, isCopy, confirm } = shown
  return formFrame({
    status,
    form,
    email,
    navigation,
    tab: 'Settings',
    now,
    body: html`${notSaved(errors) || (unsaved && notSavedYet(unsaved, form))}${isCopy && notice('done', 'This is the copy. It has the same title, until you change it.')}
${form.name !== null && describedInFile(form.name)}<form class="sections" method="post" action="${settingsPath(form.id)}" novalidate data-edits="${unsaved ? 'unsaved' : 'none'}">
${saveByDefault}${sections.map((section) =>
  settingsSection(section, shown, {
    sent: unsaved,
    errors,
    isSaved: saved === section.name,
    // A copy has the title of the other form.
    isWanted: wanted === section.name || (isCopy === true && section.name === 'general'),
  }),
)}</form>
${shown.webhooks}
${peopleSection(form.id, shown.members)}${trailSection(form.id, shown.deeds)}${shown.isOwner && copySection(form, { confirm, error: errors.confirm })}`,
  })
}

/** A warning that changes are lost when the file is applied again. */
const describedInFile = (name: string): Html =>
  html`<p class="hint">A file describes this form, as <code>${name}</code>. Make changes in the file as well: applying it again overwrites what you change here.</p>
`

/** The button that Enter presses in a field: it saves the section that was changed, and not the one whose button comes first. */
const saveByDefault = html`<button hidden></button>
`

const notSaved = (errors: InputErrors): Html | false => {
  const wrong = sections.flatMap(({ settings }) => settings).filter((name) => errors[name])
  return wrong.length > 0 && warning('Not saved. Look at', wrong.map(labelled))
}

const notSavedYet = (unsaved: URLSearchParams, form: Form): Html | false => {
  const changed = sections.filter((section) => isChanged(section, unsaved, form))
  const parts = changed.map(({ name, heading }) => ({ name, label: heading }))
  return parts.length > 0 && warning('Not saved yet:', parts)
}

const warning = (text: string, parts: readonly { readonly name: string; readonly label: string }[]): Html =>
  html`<p class="notice failed" role="alert">${text} ${parts.map(
    ({ name, label }, position) => html`${position > 0 && ', '}<a href="#${name}">${label}</a>`,
  )}.</p>`

/** The people who can also see the form, and the way to share it. */
const peopleSection = (formId: string, members: readonly Member[]): Html => {
  const [first, ...others] = members
  return foldedSection({
    name: 'people',
    heading: 'People',
    lead: 'Let a client or a colleague see what people send.',
    set: [
      first === undefined
        ? 'Only you'
        : others.length === 0
          ? first.email
          : `${first.email} and ${counted(others.length, 'other')}`,
    ],
    isOpen: false,
    body: html`<a class="button" href="${membersPath(formId)}">Who can see this form</a>`,
  })
}
