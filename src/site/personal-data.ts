import { type AppError, describeError, expecting, invalid } from '../base/errors.ts'
import { creationTime } from '../base/id.ts'
import { isText, textInWords } from '../base/text-rules.ts'
import { erasePersonPath, exportPersonPath, formPath, personalDataPath, submissionPath } from '../config/addresses.ts'
import { counted, time, withCommas } from '../html/format.ts'
import { frame, notice, ownPage } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import { exportedFile } from '../http/attachment.ts'
import { statusOf } from '../http/error-response.ts'
import { streamed } from '../http/streamed.ts'
import { cellText } from '../submissions/lines.ts'
import { lists } from '../submissions/lists.ts'
import type { Receipt } from '../transfer/people/erase.ts'
import type { Match } from '../transfer/people/scan.ts'
import { valueRule } from '../transfer/people/store.ts'
import { searcherOf } from './browser-sessions.ts'
import { listPath, wholeList } from './list-query.ts'
import type { PageOptions } from './page-options.ts'
import { errorsOf, parseInputs } from './parse-inputs.ts'
import type { UserSent, UserVisit } from './visit.ts'

/** `/personal-data`: finds what one person has sent, in all forms of the user, exports it and deletes it. */
export const personalDataRoutes = ({ pages: { userAction, userPage }, people, sessions, report }: PageOptions) => {
  const lastSearches = openLastSearches()

  /** Shows what a search finds, with the number that was typed to delete it. */
  const showFound = async (
    visit: Pick<UserVisit, 'exchange' | 'request' | 'session'>,
    value: string,
    more: Pick<Shown, 'typedCount' | 'errors'> = {},
  ): Promise<Response> => {
    const { email, userId } = visit.session
    const find = () => people.findWholePerson('read', searcherOf(sessions, visit), value)
    const found = await expecting(refusals, () => visit.exchange.keepOpen(find))
    if (found.state === 'rate_limited') return busyPage(email, value, found.error)
    if (found.state === 'invalid') return peoplePage({ email, value, errors: errorsOf(found.error) })
    const matches = found.value
    return peoplePage({ email, value, matches, erasable: people.countErasable(userId, matches), ...more })
  }

  const on = {
    show(visit: UserVisit): Response | Promise<Response> {
      const value = visit.query.found === undefined ? undefined : lastSearches.find(visit.session.hash)
      return value === undefined ? peoplePage({ email: visit.session.email }) : showFound(visit, value)
    },

    /** Leads to the page with what was found, so that nothing is sent again when someone comes back to it. */
    search({ session, form }: UserSent): Response {
      const value = form.get('value') ?? ''
      const inputs = parseInputs({ value: () => parseValue(value) })
      if (inputs.state === 'invalid') return peoplePage({ email: session.email, value, errors: inputs.errors })
      lastSearches.put(session.hash, value)
      return redirect(`${personalDataPath()}?found=1#found`)
    },

    async export(visit: UserSent): Promise<Response> {
      const { exchange, session, form } = visit
      const value = form.get('value') ?? ''
      const { email } = session
      const make = () => people.exportPerson(searcherOf(sessions, visit), parseValue(value))
      const exported = await expecting(refusals, () => exchange.keepOpen(make))
      if (exported.state === 'rate_limited') return busyPage(email, value, exported.error)
      if (exported.state === 'invalid') return peoplePage({ email, value, errors: errorsOf(exported.error) })
      exchange.headers['cross-origin-resource-policy'] = 'same-origin'
      return streamed(exchange, exportedFile(exported.value), { report, mayRead: () => sessions.isLive(session) })
    },

    async erase(visit: UserSent): Promise<Response> {
      const { exchange, session, form } = visit
      const [value, typedCount] = [form.get('value') ?? '', form.get('count') ?? '']
      const inputs = parseInputs({ value: () => parseValue(value), count: () => parseCount(typedCount) })
      if (inputs.state === 'invalid') return showFound(visit, value, { typedCount, errors: inputs.errors })
      const { count: expected } = inputs.values
      const erase = () => people.erasePerson(searcherOf(sessions, visit), value, expected)
      const erased = await expecting(refusals, () => exchange.keepOpen(erase))
      if (erased.state === 'rate_limited') return busyPage(session.email, value, erased.error)
      if (erased.state === 'invalid') return showFound(visit, value, { typedCount, errors: errorsOf(erased.error) })
      const { receipt, refusal } = erased.value
      if (refusal?.cause !== undefined) report(describeError(refusal), exchange.requestId)
      if (!refusal) lastSearches.remove(session.hash)
      return erasedPage(session.email, receipt, refusal)
    },
  }

  return [
    userPage(personalDataPath, on.show),
    userAction(personalDataPath, personalDataPath, on.search, on.search),
    userAction(exportPersonPath, personalDataPath, on.export, on.search),
    userAction(erasePersonPath, personalDataPath, on.erase, on.search),
  ]
}

/** Errors for which there is a page. */
const refusals = ['rate_limited', 'invalid'] as const

const parseValue = (text: string): string => {
  if (isText(valueRule, text)) return text
  throw invalid({ field: 'value', message: `must be ${textInWords(valueRule)}` })
}

const parseCount = (text: string): number => {
  const digits = text.trim().replaceAll(',', '')
  if (/^\d{1,5}$/.test(digits)) return Number(digits)
  throw invalid({ field: 'count', message: 'must be the number of submissions that were found' })
}

const maxSearches = 1000

/** Remembers what each session looked for last: in an address, it would be in logs and histories. */
const openLastSearches = () => {
  const values = new Map<string, string>()
  return {
    find: (session: string): string | undefined => values.get(session),
    put(session: string, value: string): void {
      values.delete(session)
      values.set(session, value)
      if (values.size > maxSearches) values.delete(values.keys().next().value as string)
    },
    remove: (session: string): boolean => values.delete(session),
  }
}

interface Shown {
  readonly email: string
  readonly value?: string
  /** The results of a search for the value. */
  readonly matches?: readonly Match[]
  /** How many of them the user may delete. */
  readonly erasable?: number
  readonly typedCount?: string
  readonly errors?: InputErrors
}

const title = 'Data about a person'

const peoplePage = (shown: Shown): Response => {
  const { email, value = '', matches, errors = {} } = shown
  const status = Object.keys(errors).length > 0 ? 400 : 200
  return frame({
    ...ownPage(title, personalDataPath, email, status),
    body: html`<div class="head"><h1>${title}</h1></div>
<p class="lead">If someone asks what you have about them, or wants it deleted: this looks into all your forms, spam too.</p>
<form class="inline apart" method="post" action="${personalDataPath()}">
${labelledInput({
  name: 'value',
  label: 'Email address, name or phone number',
  type: 'text',
  value,
  error: errors.value,
  hasFocus: !matches,
})}
<button class="primary">Search</button>
</form>
<p class="hint apart">Finds fields with exactly this value. Case and accents are ignored. Search for each spelling on its own.</p>
${matches && found({ ...shown, value, matches })}`,
  })
}

const found = ({
  value,
  matches,
  erasable = 0,
  ...rest
}: Shown & { value: string; matches: readonly Match[] }): Html => {
  if (matches.length === 0)
    return html`<section class="card empty apart" aria-labelledby="found">
<h2 id="found" tabindex="-1">Nothing found</h2>
<p>No field in any of your forms has exactly the value <strong><bdi>${cellText(value)}</bdi></strong>. It may still be part of a longer text.</p>
</section>`
  const forms = Map.groupBy(matches, ({ formId }) => formId)
  return html`<section class="apart" aria-labelledby="found">
<h2 id="found" tabindex="-1">${counted(matches.length, 'submission')} in ${counted(forms.size, 'form')}</h2>
<ul class="things card apart">
${[...forms.values()].map(ofForm)}</ul>
</section>
<ul class="things card apart">
<li class="is-none">
<div class="what"><p><strong>Download everything</strong></p>
<p class="muted">One archive: a page to read, the same data for programs, and all files.</p></div>
<div class="does"><form method="post" action="${exportPersonPath()}"><input type="hidden" name="value" value="${value}"><button>Download<span class="visually-hidden"> everything</span></button></form></div></li>
</ul>
${
  erasable > 0
    ? eraseForm({ ...rest, value, matches, erasable })
    : html`<p class="apart">${askOthers(matches.length)}</p>`
}`
}

const askOthers = (number: number): string =>
  `Ask the owners of forms that you can only read to delete ${counted(number, 'submission')}.`

type Erasable = Pick<Shown, 'typedCount' | 'errors'> & Required<Pick<Shown, 'value' | 'matches' | 'erasable'>>

const eraseForm = ({ value, matches, erasable, typedCount = '', errors = {} }: Erasable): Html => {
  const all = erasable === 1 ? 'This submission' : `These ${counted(erasable, 'submission')}`
  const isPart = erasable < matches.length
  const what = isPart ? `${withCommas(erasable)} of these submissions` : all
  return html`<section class="card zone" aria-labelledby="erase-heading">
<h2 id="erase-heading">Delete for good</h2>
<p>${what} with ${erasable === 1 ? 'its' : 'their'} files, notes and deliveries. This can’t be undone.${isPart && ` ${askOthers(matches.length - erasable)}`}</p>
<form class="inline" method="post" action="${erasePersonPath()}">
<input type="hidden" name="value" value="${value}">
${labelledInput({
  name: 'count',
  label: `Type ${withCommas(erasable)} to delete ${erasable === 1 ? 'it' : 'them'}`,
  type: 'number',
  value: typedCount,
  error: errors.count,
})}
<button class="dangerous">Delete ${counted(erasable, 'submission')}</button>
</form>
</section>`
}

/** More rows of one form are only counted. */
const maxRows = 100

const ofForm = (matches: readonly Match[]): Html =>
  html`${matches.slice(0, maxRows).map(row)}${
    matches.length > maxRows &&
    html`<li class="is-none"><p class="what muted">And ${withCommas(matches.length - maxRows)} more in ${linkTo(matches[0] as Match)}.</p></li>
`
  }`

/** Only what is in the inbox has a page of its own. */
const row = (match: Match): Html => {
  const { formId, submissionId, list, field: name } = match
  const { label } = lists[list]
  const path = list === 'inbox' ? submissionPath(formId, submissionId) : listPath(formId, list, wholeList)
  return html`<li class="is-none"><div class="what"><p><strong><a href="${path}">${time(creationTime(submissionId))}</a></strong> <span class="muted">in <bdi>${cellText(name)}</bdi> of ${linkTo(match)}</span>${label && html` <span class="chip">${label}</span>`}</p></div></li>
`
}

const linkTo = ({ formId, formTitle }: Match): Html => html`<a href="${formPath(formId)}"><bdi>${formTitle}</bdi></a>`

const busyPage = (email: string, value: string, { retryAfterSeconds = 1 }: AppError): Response =>
  frame({
    ...ownPage(title, personalDataPath, email, 429),
    headers: { 'retry-after': String(retryAfterSeconds) },
    body: html`<div class="card says">
<h1>Another search is under way</h1>
<p>Only a few searches and downloads can run at the same time. Wait a moment, then search again. Nothing was deleted.</p>
<form class="actions" method="post" action="${personalDataPath()}">
<input type="hidden" name="value" value="${value}">
<button class="primary">Search again</button>
</form>
</div>`,
  })

/** @param refusal why some of them were not deleted */
const erasedPage = (
  email: string,
  { erasedAt, submissions: erased, backups }: Receipt,
  refusal: AppError | null,
): Response => {
  const heading = refusal ? 'Not everything was deleted' : 'Deleted for good'
  const status = refusal ? statusOf(refusal) : 200
  const deleted = `${counted(erased.length, 'submission')} ${erased.length === 1 ? 'has' : 'have'} been deleted`
  return frame({
    ...ownPage(heading, personalDataPath, email, status),
    body: html`<div class="head"><h1>${heading}</h1></div>
${refusal ? notice('failed', `${deleted}, and then the server stopped: ${refusal.message}. Search again to see what is left.`) : notice('done', `${deleted}.`)}
<section class="card" aria-labelledby="receipt">
<h2 id="receipt">Receipt</h2>
<p class="lead">Print or copy this page as a record. It contains nothing that was deleted.</p>
<p>Deleted: ${time(erasedAt)}</p>
<p>${inBackups(backups)} Backups that you made or copied yourself, exported files, and emails and messages that were sent still exist.</p>
<ul class="things">
${erased.map(
  ({ submissionId, list }) =>
    html`<li class="is-none"><code>${submissionId}</code> <span class="muted">${time(creationTime(submissionId))}${lists[list].label && `, ${lists[list].label.toLowerCase()}`}</span></li>
`,
)}</ul>
</section>
<p class="apart">${
      refusal
        ? html`<a class="button" href="${personalDataPath()}?found=1">See what is left</a>`
        : html`<a class="button" href="${personalDataPath()}">Search for something else</a>`
    }</p>`,
  })
}

const inBackups = ({ kept, endAt, isOffSite }: Receipt['backups']): Html => {
  const where = isOffSite ? 'Automatic backups, including those on the S3 server,' : 'Automatic backups'
  if (kept === 'none') return html`This server makes no automatic backups.`
  if (endAt === null)
    return html`${where} still contain it, and this server does not remove old ones. Delete those that were made before now.`
  return html`${where} still contain it until ${time(endAt)} at the latest.`
}
