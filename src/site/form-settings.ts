import { expecting } from '../base/errors.ts'
import { settingsPath, testConfirmPath, testReplyPath, visitorSettingsPath } from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import type { InputErrors } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import type { ReplyTest, VisitorMail } from '../submissions/replies/mail-previews.ts'
import { errorsOf } from './parse-inputs.ts'
import { mailPreview } from './reply-inputs.ts'
import { changedSettings, isChanged } from './setting.ts'
import { settingsForm, unsavedNotice } from './settings-form.ts'
import type { SettingsOptions } from './settings-frame.ts'
import { settingsGroups } from './settings-groups.ts'
import { questionsAbout, settingsQuestionPage } from './settings-questions.ts'
import { namesOf, type SettingsGroup, type ShownForm } from './settings-section.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

interface Options extends SettingsOptions {
  /** What a page has besides its settings. */
  readonly above: Beside
  readonly below: Beside
}

/** What was typed into a part of a page besides its settings, and is not done. */
export interface TypedBeside {
  readonly part: 'members' | 'sheets'
  readonly typed: Readonly<Record<string, string>>
  readonly errors: InputErrors
}

const nothing: Omit<TypedBeside, 'part'> = { typed: {}, errors: {} }

export const typedFor = (part: TypedBeside['part'], beside: TypedBeside | undefined): Omit<TypedBeside, 'part'> =>
  beside?.part === part ? beside : nothing

export interface BesideVisit extends Pick<UserVisit, 'session' | 'query'> {
  readonly beside?: TypedBeside | undefined
}

type Beside = (group: SettingsGroup, visit: BesideVisit, form: FormTo<'configure'>) => Html | false

/** Shows the page of people and data with what was typed there. */
export type ShowPeople = (
  visit: Pick<UserVisit<FormParams>, 'session' | 'params'>,
  shown: { readonly status: number; readonly beside: TypedBeside },
) => Promise<Response>

type Owned = Pick<UserVisit<FormParams>, 'session' | 'params'> & Partial<Pick<UserVisit, 'query'>>

/** `/forms/:formId/settings` and the pages below it whose settings are saved there. */
export const formSettingsRoutes = (options: Options) => {
  const { userAction, userPage } = options.pages
  const { access, forms, submissions, mailPreviews, settingsFrame } = options

  const toShown = (form: FormTo<'configure'>): ShownForm => ({
    form,
    fieldNames: JSON.parse(options.readFieldNames(form) ?? '[]'),
    ...options.formLimits,
    senderNames: forms.sendersFor(form),
    refused: options.refusedOrigins.list(form),
    ignored: options.ignoredNext.list(form),
    lost: options.lostMessages.list(form),
    mailPreview: null,
    learned: null,
  })

  /** What only one of the pages shows, and what takes a while to read. */
  const readMore = async (group: SettingsGroup, userId: string, formId: string, test: ReplyTest | null) => {
    const form = access.findFormTo('configure', userId, formId)
    const what = group.name === 'told' ? 'reply' : group.name === 'visitors' ? 'confirm' : undefined
    if (what) {
      const { name, testPath } = mails[what]
      const mail = await mailPreviews.preview(form, what)
      return { mailPreview: mail && mailPreview({ name, mail, testPath: testPath(formId), test }) }
    }
    if (group.name !== 'spam' || (form.spamCount === 0 && form.lessonChanges === 0)) return {}
    return { learned: await submissions.learning.numbersOf(userId, formId) }
  }

  const page = async (
    group: SettingsGroup,
    { session, params, query = {} }: Owned,
    { status = 200, sent, errors = {}, wanted, replyTest, beside }: Partial<Shown> = {},
  ): Promise<Response> => {
    const more = await readMore(group, session.userId, params.formId, replyTest ?? null)
    // It may have been changed meanwhile.
    const form = access.findFormTo('configure', session.userId, params.formId)
    const typed = { sent, errors }
    return settingsFrame(session, form, {
      status,
      current: group.name,
      // Its lists have their own headings.
      ...(group.name === 'told' && { heading: html`` }),
      body: html`${query.saved === 'yes' && notice('done', 'Saved.')}${unsavedNotice(group, typed)}${query.done === 'duplicated' && copied(options.webhooks.listWebhooks(form).length > 0)}
${form.name !== null && describedInFile(form.name)}${options.above(group, { session, query, beside }, form)}${settingsForm(group, { ...toShown(form), ...more }, { ...typed, wanted })}${options.below(group, { session, query, beside }, form)}`,
    })
  }

  /** Saves the settings of a page. */
  const update = async (group: SettingsGroup, visit: UserSent<FormParams>): Promise<Response> => {
    const { session, params, form: sent } = visit
    const form = access.findFormTo('configure', session.userId, params.formId)
    // The answer to a question was no.
    if (sent.has('back')) return page(group, visit, { sent })
    const shown = toShown(form)
    const names = group.sections.flatMap(({ settings }) => namesOf(settings))
    const spread = group.spread?.(sent, form) ?? sent
    const changed = changedSettings(names, spread, shown)
    if (changed.state === 'invalid') return page(group, visit, { status: 400, sent: spread, errors: changed.errors })
    const confirmed = sent.getAll('confirm')
    const questions = questionsAbout(shown, changed.values, submissions.countOlder)
    const question = questions.find(({ setting }) => !confirmed.includes(setting))
    const path = group.address(form.id)
    if (question) return settingsQuestionPage({ email: session.email, form, question, sent, path })
    const saved = await expecting(['invalid'], () => forms.saveForm(session.userId, form.id, changed.values))
    if (saved.state === 'invalid')
      return page(group, visit, { status: 400, sent: spread, errors: errorsOf(saved.error) })
    return redirect(`${path}?saved=yes#notice`)
  }

  /** Sends the user a mail to visitors, as it is stored. What was typed stays on the page. */
  const testMail =
    (what: VisitorMail) =>
    async (visit: UserSent<FormParams>): Promise<Response> => {
      const { session, params } = visit
      const form = access.findFormTo('configure', session.userId, params.formId)
      const { group, section } = mails[what]
      // The setting was taken away since the page was opened.
      if (parseSettings(form.settings)[what] === null) return redirect(group.address(form.id))
      const tested = await expecting(['invalid'], () => mailPreviews.test(session.userId, form, what))
      const result =
        tested.state === 'done' ? { replyTest: tested.value } : { status: 400, errors: errorsOf(tested.error) }
      const names = group.sections.flatMap(({ settings }) => namesOf(settings))
      const typed = isChanged(names, visit.form, form) && { sent: visit.form }
      return page(group, visit, { ...typed, wanted: section, ...result })
    }

  const routesOf = (group: SettingsGroup) => [
    userPage(group.address, (visit: UserVisit<FormParams>) => page(group, visit)),
    userAction(
      group.address,
      group.address,
      (visit: UserSent<FormParams>) => update(group, visit),
      (visit: UserSent<FormParams>) => page(group, visit, { sent: visit.form }),
    ),
  ]

  const showPeople: ShowPeople = (visit, shown) => page(settingsGroups.people, visit, shown)

  return {
    routes: [
      ...Object.values(settingsGroups).flatMap(routesOf),
      userAction(testReplyPath, settingsPath, testMail('reply')),
      userAction(testConfirmPath, visitorSettingsPath, testMail('confirm')),
    ],
    showPeople,
  }
}

/** Where the mails to visitors are written. */
const mails = {
  reply: { group: settingsGroups.told, section: 'automatic-reply', name: 'reply', testPath: testReplyPath },
  confirm: { group: settingsGroups.visitors, section: 'confirm-address', name: 'email', testPath: testConfirmPath },
} as const

interface Shown {
  readonly status: number
  /** A form that was sent and not stored. */
  readonly sent: URLSearchParams
  readonly errors: InputErrors
  /** The name of the section to open. */
  readonly wanted: string
  readonly replyTest: ReplyTest
  readonly beside: TypedBeside
}

const copied = (hasWebhooks: boolean): Html =>
  notice(
    'done',
    `This is the copy. It has the same title, until you change it.${hasWebhooks ? ' Its webhooks have new secrets, which have not been shown: if a receiver verifies signatures, create a new secret.' : ''}`,
  )

/** A warning that changes are lost when the file is applied again. */
export const describedInFile = (name: string): Html =>
  html`<p class="hint">A file describes this form, as <code>${name}</code>. Make changes in the file as well: applying it again overwrites what you change here.</p>
`
