import { AppError, expecting, issueLine } from '../base/errors.ts'
import { creationTime, isId } from '../base/id.ts'
import type { Form } from '../forms/form.ts'
import { counted, longDay, withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { DateRange } from '../submissions/date-range.ts'
import type { ListName } from '../submissions/lists.ts'
import { maxQueryLength, type Term } from '../submissions/search/query.ts'
import type { SearchResult, SubmissionSearch } from '../submissions/search/search.ts'
import { exportPanel } from './exports.ts'
import { filterOf, hiddenInputs, isSearch, type ListQuery, listPath, wholeList } from './list-query.ts'
import type { FormParams, UserVisit } from './visit.ts'

/** A search above the list of submissions, and what it found. */
export interface Searched {
  readonly state: 'found'
  readonly terms: readonly Term[]
  readonly result: SearchResult
}

/** Why a list cannot be shown as asked, and the status of the page that says so. */
export interface RefusedSearch {
  readonly state: 'refused'
  readonly problem: string
  readonly status: number
}

/** Found submissions on a page: as many as can be selected. */
const maxFound = 100

interface Options {
  readonly searches: SubmissionSearch
  readonly list: ListName
  /** Whether the session still lasts. */
  readonly isLive: () => boolean
}

/** Searches if the list is asked for something. */
export const searchFor = async (
  { searches, list, isLive }: Options,
  { session, request, params, query }: UserVisit<FormParams>,
  listQuery: ListQuery,
  range: DateRange,
): Promise<Searched | RefusedSearch | undefined> => {
  if (!isSearch(listQuery)) return undefined
  const checkAccess = (): void => {
    if (!isLive()) throw new AppError('unauthenticated', 'Your session has ended')
  }
  const searcher = { userId: session.userId, signal: request.signal, checkAccess }
  const search = async (): Promise<Searched> => {
    const filter = filterOf(listQuery)
    const result = await searches.search(searcher, params.formId, {
      list,
      filter,
      range,
      // Of a page that is open already.
      newer: isId(query.newer) ? query.newer : '',
      limit: maxFound,
      cursor: listQuery.cursor || null,
    })
    return { state: 'found', terms: filter.terms, result }
  }
  const searched = await soon(search)
  switch (searched.state) {
    case 'done':
      return searched.value
    case 'rate_limited':
      return {
        state: 'refused',
        problem: 'Another search is still under way. Please try again in a moment.',
        status: 429,
      }
    case 'invalid':
      return { state: 'refused', problem: `${searched.error.issues.map(issueLine).join('; ')}.`, status: 400 }
  }
}

const attempts = 5
const attemptMilliseconds = 100

/** Tries again for half a second: someone who changes the words while a search is under way ends it, but not at once. */
const soon = async (search: () => Promise<Searched>) => {
  for (let attempt = 1; ; attempt++) {
    const searched = await expecting(['rate_limited', 'invalid'], search)
    if (searched.state !== 'rate_limited' || attempt === attempts) return searched
    await Bun.sleep(attemptMilliseconds)
  }
}

/** The field for a search, in the line above the list. */
export const searchField = (
  form: Form,
  listQuery: ListQuery,
  list: ListName = 'inbox',
): Html => html`<form class="search" role="search" method="get" action="${listPath(form.id, list, wholeList)}">
${hiddenInputs({ ...listQuery, q: '', page: 1, before: '', cursor: '' })}<input type="search" name="q" value="${listQuery.q}" aria-label="Search ${list === 'inbox' ? 'submissions' : 'spam'}" placeholder="Search" data-key="/" title="Words, &quot;a phrase&quot;, -not this, field:word" autocomplete="off" data-search="${isSearch(listQuery) && listPath(form.id, list, { ...wholeList, state: listQuery.state })}">
</form>`

/** There may be more than what was found. */
export const soFar = ({ next }: SearchResult): string => (next === null ? '' : ' so far')

/** Says how far it was searched, and leads on. */
export const searchedTo = ({ result }: Searched, form: Form, listQuery: ListQuery, list: ListName = 'inbox'): Html => {
  const { searched, endedAt, next } = result
  const looked = `${counted(searched, 'submission')} searched`
  const to = next !== null && endedAt !== null && isId(endedAt)
  return html`<nav class="pages" aria-label="Search">
<p>${to ? html`Searched back to ${longDay(creationTime(endedAt))} <a class="button" href="${listPath(form.id, list, { ...listQuery, cursor: next })}">Continue</a>` : html`${looked}${listQuery.cursor !== '' && html` <a class="button" href="${listPath(form.id, list, { ...listQuery, cursor: '' })}">From the newest</a>`}`}</p>
</nav>`
}

/** Nothing found: says what was looked for, and where. */
export const nothingFound = (searched: Searched, form: Form, listQuery: ListQuery, list: ListName = 'inbox'): Html => {
  const { q, state, hasFiles, startDate, endDate } = listQuery
  const what = [state, hasFiles === 'true' && 'with files', startDate + endDate !== '' && 'on these dates']
    .filter(Boolean)
    .join(', ')
  return html`<section class="card empty" aria-labelledby="empty">
<h2 id="empty">Nothing found${searched.result.next !== null && ' yet'}</h2>
<p>${q !== '' && html`<bdi>${q.slice(0, maxQueryLength).toWellFormed()}</bdi>`}${q !== '' && what !== '' && ' · '}${what}</p>
<p class="next"><a class="button" href="${listPath(form.id, list, wholeList)}">All ${list === 'inbox' ? 'submissions' : 'spam'}</a></p>
</section>
${searchedTo(searched, form, listQuery, list)}`
}

/** Exports what the page shows, and only that, or all that the search finds, however far it has come. */
export const exportFound = ({ result }: Searched, form: Form, listQuery: ListQuery, list: ListName = 'inbox'): Html => {
  const ids = result.submissions.map(({ id }) => id)
  const isAll = result.next === null && listQuery.cursor === ''
  const choice = isAll
    ? html``
    : html`<fieldset>
<legend>Export</legend>
<label class="choice"><input type="radio" name="all" value="" checked><span>${withCommas(ids.length)} on this page</span></label>
<label class="choice"><input type="radio" name="all" value="true"><span>All that the search finds</span></label>
</fieldset>
`
  const inputs = [
    html`<input type="hidden" name="ids" value="${ids.join()}">`,
    ...hiddenInputs({ ...listQuery, cursor: '' }),
    choice,
  ]
  return exportPanel(form, list, isAll ? `Export ${withCommas(ids.length)} found` : 'Format', inputs)
}
