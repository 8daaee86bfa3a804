import { visible } from '../base/visible.ts'
import { learnedPath, spamSettingsPath } from '../config/addresses.ts'
import type { FormTo, Role } from '../forms/access.ts'
import { isEnough } from '../forms/access.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { counted, withCommas } from '../html/format.ts'
import { noticeOf } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { questionPage } from '../html/message-page.ts'
import { redirect } from '../html/redirect.ts'
import { actOnEach } from '../submissions/inbox/actions.ts'
import type { LearnedNumbers } from '../submissions/spam/learning.ts'
import { least } from '../submissions/spam/model.ts'
import { type FormPage, formFrame } from './form-frame.ts'
import { moreMenu } from './list-tools.ts'
import type { PageOptions } from './page-options.ts'
import { pickedBar } from './picked-bar.ts'
import { perPage, selectedIds } from './selected-submissions.ts'
import { explained, type SpamRow, spamRows, toSpamRows } from './spam-rows.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

/** `/forms/:formId/spam/learned`: what a form has learned from marks, and what of its inbox looks like spam. */
export const learnedSpamRoutes = (options: PageOptions) => {
  const { formPage, userAction, userPage } = options.pages
  const { access, submissions, files } = options
  const { learning } = submissions

  const on = {
    async show({ session, params, query }: UserVisit<FormParams>): Promise<Response> {
      const { userId } = session
      const numbers = await learning.numbersOf(userId, params.formId)
      const before = access.findFormTo('edit', userId, params.formId)
      const found = submissions.findSubmissions(before, 'inbox', numbers.suspects.slice(0, perPage))
      const rows = toSpamRows(files, before, 'inbox', found).map((row): SpamRow => ({ ...row, reason: 'similar' }))
      const likeness = await learning.explain(userId, params.formId, rows)
      const form = access.findFormTo('edit', userId, params.formId)
      return learnedPage({
        ...formPage(session, form),
        numbers,
        rows: rows.map((row, position) => explained(submissions, form, row, likeness[position])),
        done: query.done,
      })
    },

    /** A button of a row names its submission; those below the list are for the selected ones. */
    async act(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const { userId } = session
      const { id: formId, settings } = access.findFormTo('edit', userId, params.formId)
      const path = learnedPath(formId)
      if (sent.has('forget')) {
        if (sent.get('forget') !== 'yes') return on.askToForget(visit)
        await learning.forget(userId, formId)
        return redirect(`${path}?done=forgotten#notice`)
      }
      const one = sent.get('spam') ?? sent.get('keep')
      const ids = one === null ? selectedIds(sent) : [one]
      const isSpam = sent.has('spam') || sent.get('action') === 'spam'
      const isKept = sent.has('keep') || sent.get('action') === 'keep'
      // Enter in a check box says neither. A form that has stopped learning keeps nothing.
      if (!isSpam && !(isKept && parseSettings(settings).learnSpam)) return redirect(path)
      const act = isSpam ? submissions.markSpam : learning.keepInInbox
      const found = await actOnEach(ids, (id) => act(userId, formId, id))
      return redirect(found.length === 0 ? path : `${path}?done=${isSpam ? 'marked' : 'kept'}#notice`)
    },

    askToForget({ session, params }: UserSent<FormParams>): Response {
      const form = access.findFormTo('configure', session.userId, params.formId)
      const path = learnedPath(form.id)
      return questionPage({
        email: session.email,
        title: `Forget what was learned? · ${form.title}`,
        heading: 'Forget what was learned?',
        subject: html`<p class="subject"><bdi>${visible(form.title)}</bdi></p>`,
        text: 'What is kept of marked submissions is deleted. The submissions stay where they are, and later marks teach again. This can’t be undone.',
        action: path,
        answers: html`<button class="primary dangerous" name="forget" value="yes">Forget</button>
<a class="button" href="${path}">Keep</a>`,
      })
    },
  }

  /** After the session had ended: the page shows it all again, and nothing was done. */
  const askAgain = (visit: UserSent<FormParams>): Response =>
    visit.form.has('forget')
      ? on.askToForget(visit)
      : redirect(learnedPath(access.findFormTo('edit', visit.session.userId, visit.params.formId).id))

  return [userPage(learnedPath, on.show), userAction(learnedPath, learnedPath, on.act, askAgain)]
}

interface Shown extends FormPage<FormTo<'edit'>> {
  readonly numbers: LearnedNumbers
  readonly rows: readonly SpamRow[]
  /** The action that was just carried out. */
  readonly done: unknown
}

const doneTexts: Readonly<Record<string, string>> = {
  forgotten: 'What was learned has been forgotten.',
  marked: 'Marked as spam.',
  kept: 'It will not be taken for spam again.',
}

const learnedPage = (shown: Shown): Response => {
  const { role, form, now, numbers, rows, done } = shown
  const path = learnedPath(form.id)
  const isLearning = parseSettings(form.settings).learnSpam
  return formFrame({
    ...shown,
    tab: 'Spam',
    body: html`${noticeOf(doneTexts, done)}
<section class="card learned" aria-labelledby="learned">
<header><h2 id="learned">What was learned</h2>
${
  isEnough(role, 'configure') &&
  moreMenu([
    html`<li><a href="${spamSettingsPath(form.id)}">${isLearning ? 'Stop learning' : 'Begin to learn'}</a></li>
`,
    numbers.marked + numbers.kept > 0 &&
      html`<li class="apart"><form method="post" action="${path}"><button class="danger" name="forget" value="ask">Forget what was learned</button></form></li>
`,
  ])
}</header>
<p>${learnedText(numbers)} ${isLearning ? '' : offText(form, role)}</p>
</section>
<h2>${rows.length === 0 ? 'Nothing in the inbox looks like spam' : `${withCommas(numbers.suspects.length)} in the inbox ${numbers.suspects.length === 1 ? 'looks' : 'look'} like spam`}</h2>
${
  rows.length > 0 &&
  html`<section class="list" aria-label="In the inbox, and like spam">
<form class="selectable" autocomplete="off" method="post" action="${path}">
<button hidden></button>
${spamRows({ role, form, rows, now, isAllSelected: false, terms: [], isInbox: true })}${pickedBar({
  isEverything: false,
  total: null,
  actions: html`${
    isLearning &&
    html`<button name="action" value="keep">Keep</button>
`
  }<button class="danger" name="action" value="spam" data-key="s">Spam</button>
`,
})}</form>
</section>`
}`,
  })
}

const offText = (form: FormTo<'edit'>, role: Role | undefined): Html =>
  html`Nothing is held back for it: the form does not learn.${isEnough(role, 'configure') && html` <a href="${spamSettingsPath(form.id)}">Change that</a>`}`

/** Says when a form begins to hold back, as the beginning of a sentence. */
export const neededText = `It needs ${least.marked} that were marked and ${least.inbox} in the inbox that someone has looked at`

/** Says in one or two sentences what a form would do with the submissions that were marked. */
export const learnedText = ({ marked, inbox, wouldHoldBack, recognises }: LearnedNumbers): string => {
  if (marked < least.marked || inbox < least.inbox)
    return `${neededText}; there are ${marked} and ${inbox}.${
      marked > 0 && inbox >= least.inboxForCopies
        ? ' Almost exact copies of what was marked are recognised earlier.'
        : ''
    }`
  const none = wouldHoldBack === 0 ? 'none' : withCommas(wouldHoldBack)
  return `${marked === 1 ? '1 was' : `${withCommas(marked)} were`} marked. It would have held back ${none} of your last ${counted(inbox, 'submission')}, and recognises ${withCommas(recognises)} of the ${withCommas(marked)}.`
}
