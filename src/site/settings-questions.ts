import { visible } from '../base/visible.ts'
import type { Form } from '../forms/form.ts'
import type { SettingsChanges } from '../forms/settings/settings.ts'
import { counted, days, withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { hiddenInput } from '../html/labelled-input.ts'
import { questionPage } from '../html/message-page.ts'
import { lossesOf } from '../submissions/settings-losses.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { ShownForm } from './settings-section.ts'

/** A question before settings are saved that lose something. */
interface Question {
  /** The setting that it is about. */
  readonly setting: keyof SettingsChanges
  readonly title: string
  readonly heading: string | Html
  readonly text: string | Html
  readonly yes: string
  readonly no: string
}

/** Questions to ask before these changes are saved; none if they lose nothing. */
export const questionsAbout = (
  { form, fieldNames }: ShownForm,
  changes: SettingsChanges,
  countOlder: SubmissionStore['countOlder'],
): Question[] =>
  lossesOf({ form, fieldNames, countOlder }, changes).map((loss) => {
    if (loss.setting === 'honeypot') return trapQuestion(loss.name)
    const { days: kept, tooOld } = loss
    return loss.setting === 'spamDays'
      ? spamDaysQuestion(kept, tooOld, form.spamCount)
      : retentionQuestion(form, kept, tooOld)
  })

/** @param tooOld how many submissions are older */
const retentionQuestion = ({ submissionCount }: Form, retentionDays: number, tooOld: number): Question =>
  deletionQuestion('retentionDays', tooOld, counted(tooOld, 'submission'), [
    `of ${withCommas(submissionCount)} ${tooOld === 1 ? 'is' : 'are'} older than ${days(retentionDays)}`,
    'the others follow when they are as old',
  ])

/** @param tooOld how much spam was sent before */
const spamDaysQuestion = (spamDays: number, tooOld: number, spamCount: number): Question =>
  deletionQuestion('spamDays', tooOld, `${counted(tooOld, 'piece')} of spam`, [
    `of ${withCommas(spamCount)} ${tooOld === 1 ? 'was' : 'were'} sent more than ${days(spamDays)} ago`,
    'for those that you marked as spam, the days count from then',
  ])

const deletionQuestion = (
  setting: Question['setting'],
  count: number,
  what: string,
  [which, rest]: readonly [string, string],
): Question => ({
  setting,
  title: `Delete ${what}?`,
  heading: `Delete ${what}?`,
  text: `${withCommas(count)} ${which}. Once you save, ${count === 1 ? 'it is' : 'they are'} deleted within about an hour; ${rest}. This can’t be undone.`,
  yes: 'Save and delete',
  no: `Keep ${count === 1 ? 'it' : 'them'}`,
})

/** @param honeypot the name of a field that visitors have filled in */
const trapQuestion = (honeypot: string): Question => ({
  setting: 'honeypot',
  title: `Use “${honeypot}” as the trap field?`,
  heading: html`Use <q><bdi>${honeypot}</bdi></q> as the trap field?`,
  text: 'This form has had a field of that name. If visitors still fill it in, everything they send is held back as spam, and the text in this field is lost.',
  yes: 'Use it anyway',
  no: 'Choose another',
})

interface Shown {
  readonly email: string
  readonly form: Form
  readonly question: Question
  /** The form to save once that is confirmed, and otherwise to show again. */
  readonly sent: URLSearchParams
  /** The page that asks. */
  readonly path: string
}

export const settingsQuestionPage = ({ email, form, question, sent, path }: Shown): Response => {
  const { setting, title, heading, text, yes, no } = question
  return questionPage({
    email,
    title: `${title} · ${form.title}`,
    heading,
    subject: html`<p class="subject"><bdi>${visible(form.title)}</bdi></p>`,
    text,
    action: path,
    answers: html`${[...sent].map(([name, value]) => hiddenInput(name, value))}<button class="primary dangerous" name="confirm" value="${setting}">${yes}</button>
<button formaction="${path}#${setting}" name="back">${no}</button>`,
  })
}
