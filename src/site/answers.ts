import { expecting } from '../base/errors.ts'
import { creationTime } from '../base/id.ts'
import { answersFilePath, answersPath } from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { counted, withCommas } from '../html/format.ts'
import { notice, pageHeaders } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { attachment } from '../http/attachment.ts'
import { BrokenOff, type JsonPart, streamedJson } from '../http/streamed.ts'
import { answerRows } from '../submissions/answers/answer-rows.ts'
import type { AnswersStore, Counted } from '../submissions/answers/store.ts'
import { answerCards } from './answer-cards.ts'
import { searcherOf } from './browser-sessions.ts'
import { tableSender } from './exports.ts'
import { filterMenu, filterWords, receivedFilter } from './filter-menu.ts'
import { formFrame } from './form-frame.ts'
import {
  filterOf,
  hiddenInputs,
  isSearch,
  type ListQuery,
  listPath,
  queryString,
  rangeOf,
  toListQuery,
  wholeList,
  withoutReceived,
} from './list-query.ts'
import { findField, moreMenu } from './list-tools.ts'
import type { PageOptions } from './page-options.ts'
import { whyNotSearched } from './search-part.ts'
import type { FormParams, UserVisit } from './visit.ts'

/** How long a count waits for other searches to end, before it has begun and after that. */
const waitMilliseconds = { first: 500, further: 60_000 }

/**
 * `/forms/:formId/answers`: what people answered to each field. A count that takes longer than a search goes on while the page
 * is sent: each of its steps hides the one before, so the bar advances without a script.
 */
export const answersRoutes = (options: PageOptions) => {
  const { pages, access, answers, sessions, report } = options
  const { formPage, userPage } = pages
  const sendTable = tableSender(options)
  // A user counts once at a time: what was counted is in memory.
  const counts = new Map<string, AbortController>()

  const begin = (visit: UserVisit<FormParams>, listQuery: ListQuery) => {
    const { session, request, params } = visit
    const own = new AbortController()
    counts.get(session.userId)?.abort()
    counts.set(session.userId, own)
    const end = (): void => {
      own.abort()
      if (counts.get(session.userId) === own) counts.delete(session.userId)
    }
    const searcher = { ...searcherOf(sessions, visit), signal: AbortSignal.any([request.signal, own.signal]) }
    const query = () => ({ filter: filterOf({ ...listQuery, state: 'all' }), range: rangeOf(listQuery) })
    let counting: ReturnType<AnswersStore['begin']> | undefined
    const readOn = (wait: keyof typeof waitMilliseconds): Promise<Counted> => {
      counting ??= answers.begin(searcher, params.formId, query())
      const until = AbortSignal.any([searcher.signal, AbortSignal.timeout(waitMilliseconds[wait])])
      return counting.readOn({ until, isLong: wait === 'further' })
    }
    /** Counts for as long as the response can wait. */
    const readFirst = (): Promise<Counted> =>
      visit.exchange
        .keepOpen(() => readOn('first'))
        .catch((error) => {
          end()
          throw error
        })
    return { readFirst, readOn: () => readOn('further'), end, isReplaced: () => own.signal.aborted }
  }

  const show = async (visit: UserVisit<FormParams>): Promise<Response> => {
    const { exchange, session, request, params, query } = visit
    const listQuery = answersQuery(query)
    // Whoever may not read it gets no count, and ends none.
    access.findFormTo('read', session.userId, params.formId)
    const count = begin(visit, listQuery)
    const first = await expecting(['rate_limited', 'invalid'], count.readFirst)
    const form = access.findFormTo('read', session.userId, params.formId)
    const page = { ...formPage(session, form), listQuery }
    const framed = (body: Html, status = 200): Response => formFrame({ ...page, status, tab: 'Answers', body })
    if (first.state !== 'done' || first.value.isDone || request.signal.aborted) count.end()
    if (first.state !== 'done') {
      const { problem, status } = whyNotSearched(first)
      return framed(problemPart(page, problem), status)
    }
    if (first.value.isDone) return framed(figures(page, first.value))

    const [before = '', after = ''] = (await framed(html`${placeMark}`).text()).split(placeMark)
    async function* parts(): AsyncGenerator<JsonPart, void> {
      yield before
      let counted = (first as { value: Counted }).value
      while (!counted.isDone) {
        yield countingPart(counted, form.submissionCount).markup
        // The form may have been deleted, or no longer be shared.
        const next = await expecting(ends, count.readOn)
        if (next.state !== 'done' || count.isReplaced()) break
        counted = next.value
      }
      count.end()
      yield (counted.isDone ? figures(page, counted) : problemPart(page, stopped(counted))).markup + after
    }
    const response = streamedJson(exchange, parts(), {
      mayRead: () => sessions.isLive(session),
      report,
      minChunkBytes: 1,
      recheckMilliseconds: 1000,
      setIdleTimeout: (seconds) => exchange.server?.timeout(request, seconds),
    })
    void exchange.whenSent?.then(count.end)
    Object.assign(exchange.headers, pageHeaders)
    return response
  }

  /** The figures of the page as a file. */
  const download = async (visit: UserVisit<FormParams>): Promise<Response> => {
    const { session, params, query } = visit
    const { title } = access.findFormTo('read', session.userId, params.formId)
    const count = begin(visit, answersQuery(query))
    const first = await count.readFirst()
    const makeRows = async () => {
      let counted = first
      while (!counted.isDone) {
        const next = await expecting(ends, count.readOn)
        if (next.state !== 'done' || count.isReplaced()) throw new BrokenOff('the answers can no longer be counted')
        counted = next.value
      }
      const { total, fields } = counted
      return [['Field', 'Answer', 'Count'], ['', 'submissions', total], ...fields.flatMap(answerRows)]
    }
    return sendTable(visit, attachment(title, ' answers.csv'), makeRows, count.end)
  }

  return [userPage(answersPath, show), userPage(answersFilePath, download)]
}

/** Why a count that has begun may not go on: others were searching, the session has ended, or the form is gone. */
const ends = ['rate_limited', 'unauthenticated', 'forbidden', 'not_found'] as const

/** Where what is counted stands on the page. */
const placeMark = 'answers-are-sent-here'

/** All of them, whatever their state. */
const answersQuery = (query: UserVisit['query']): ListQuery => {
  const { state, reason, cursor, page, before, from } = wholeList
  return { ...toListQuery(query), state, reason, cursor, page, before, from }
}

interface Page {
  readonly form: FormTo<'read'>
  readonly listQuery: ListQuery
  readonly now: number
}

const stopped = ({ searched }: Counted): string =>
  `Counting has stopped after ${counted(searched, 'submission')}, because the form was deleted, you have opened another count, or others were searching. Load the page again to count all.`

const countingPart = ({ searched }: Counted, of: number): Html => {
  const text = `${withCommas(searched)} of ${withCommas(Math.max(searched, of))} counted`
  return html`<p class="counting"><progress max="${Math.max(searched, of)}" value="${searched}" aria-label="Counting"></progress> ${text}</p>
`
}

const figures = (page: Page, answers: Counted): Html => {
  const { form, listQuery } = page
  const { total, fields, newest, oldest } = answers
  const isGuessed = parseSettings(form.settings).fields.length === 0
  const dates = newest && oldest && `, ${range(dayOf(oldest), dayOf(newest))}`
  const toList = (term: string): string =>
    listPath(form.id, 'inbox', { ...listQuery, state: 'all', q: `${listQuery.q} ${term}`.trim() })
  return html`${tools(page, html`<strong>${counted(total, 'submission')}</strong>${dates}`)}${
    total === 0 || fields.length === 0
      ? html`<section class="list"><div class="empty">
<h2>${total === 0 ? 'Nothing to count' : 'Only free text'}</h2>
<p>${total === 0 ? (!isSearch(listQuery) ? 'What people answer is added up here.' : 'No submission of this form matches.') : 'No field has few different answers. With fields that are described, numbers and dates are added up, too.'}</p>
</div></section>
`
      : answerCards({ fields, total, isGuessed, listPath: toList })
  }`
}

const range = (first: string, last: string): string => (first === last ? first : `${first} to ${last}`)

/** `14 Mar 2025` */
const dayOf = (id: string): string => new Date(creationTime(id)).toUTCString().slice(5, 16).replace(/^0/, '')

const problemPart = (page: Page, problem: string): Html => html`${notice('failed', problem)}${tools(page, '', problem)}`

const tools = ({ form, listQuery, now }: Page, text: Html | string, problem?: string): Html => {
  const action = answersPath(form.id)
  return html`<div class="tools alone">
<p>${text}</p>
${findField({
  action,
  hidden: hiddenInputs({ ...listQuery, q: '' }),
  q: listQuery.q,
  label: 'Only those that contain',
  whole: listQuery.q === '' ? '' : action,
})}${filterMenu({
  on: filterWords(listQuery),
  isOpen: false,
  body: receivedFilter({
    now,
    asked: listQuery,
    action,
    hidden: hiddenInputs(withoutReceived(listQuery)),
    pathOf: (dates) => `${action}${queryString({ ...listQuery, ...dates })}`,
    problem: listQuery.startDate + listQuery.endDate !== '' ? problem : undefined,
  }),
})}${
  problem === undefined &&
  moreMenu([
    html`<li data-print hidden><button type="button">Print</button></li>
`,
    html`<li><a href="${answersFilePath(form.id)}${queryString(listQuery)}" download>Download these figures as CSV</a></li>
`,
  ])
}</div>
`
}
