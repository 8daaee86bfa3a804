import { visible } from '../base/visible.ts'
import { histogram } from '../html/charts.ts'
import { roundly, withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { type FieldAnswers, inSteps } from '../submissions/answers/field-answers.ts'
import type { NumberAnswers } from '../submissions/answers/numbers.ts'
import { inBytes } from '../submissions/files/sent-file.ts'

interface Shown {
  readonly fields: readonly FieldAnswers[]
  /** Submissions that were counted. */
  readonly total: number
  /** Whether no one has described the fields. */
  readonly isGuessed: boolean
  /** The list of the submissions with this search term, besides those of the page. */
  readonly listPath: (term: string) => string
}

/** One card for each field, and one for all texts. */
export const answerCards = (shown: Shown): Html => {
  const texts = shown.fields.filter((field) => !hasCard(field))
  return html`<div class="answers">
${shown.fields.filter(hasCard).map((field) => card(field.label, facts(field, shown), contents(field, shown)))}${
  texts.length > 0 &&
  card(
    'Free text',
    'what people wrote in their own words',
    bars(
      'Free text',
      texts.map(({ label, answered }) => ({ name: label, count: answered })),
      shown.total,
    ),
  )
}</div>
`
}

const hasCard = ({ options, number, months, files }: FieldAnswers): boolean =>
  [options, number, months, files].some((one) => one !== undefined)

const card = (
  label: string,
  about: string,
  body: Html,
): Html => html`<section class="card" aria-label="${visible(label)}">
<header><h2><bdi>${visible(label)}</bdi></h2><p>${about}</p></header>
${body}</section>
`

const facts = ({ type, answered, files }: FieldAnswers, { total, isGuessed }: Shown): string => {
  const of = `${withCommas(answered)} of ${withCommas(total)}`
  if (files) return `${of} sent some`
  return `${isGuessed ? 'few different answers' : type}, ${of}`
}

const contents = (field: FieldAnswers, shown: Shown): Html => {
  const { options, number, months, files } = field
  if (options) return choices(field, options, shown)
  if (number) return numbers(number)
  if (months) return dates(months)
  const { count = 0, bytes = 0 } = files ?? {}
  return html`<dl class="figures">${figure('Files', withCommas(count))}${figure('Together', inBytes(bytes))}</dl>
`
}

interface Bar {
  readonly name: string
  readonly count: number
  readonly path?: string | undefined
}

const maxBars = 12

const choices = (
  { name, label, answered }: FieldAnswers,
  options: NonNullable<FieldAnswers['options']>,
  { isGuessed, listPath }: Shown,
): Html => {
  const ordered = isGuessed ? options.toSorted((a, b) => b.count - a.count) : options
  const all = ordered.map(({ value, count }): Bar => {
    if (typeof value !== 'string') return { name: value === null ? 'Other' : value ? 'Yes' : 'No', count }
    // A search knows no other quotation marks.
    const isSought = count > 0 && !/["“”„]/.test(name + value)
    return { name: value, count, ...(isSought && { path: listPath(`"${name}":"${value}"`) }) }
  })
  const more = all.slice(maxBars)
  const isOver = all.reduce((sum, { count }) => sum + count, 0) > answered
  return html`${bars(label, all.slice(0, maxBars), answered)}${more.length > 0 && html`<details><summary>${more.length} more</summary>${bars(`${label}, more`, more, answered)}</details>`}${isOver && html`<p class="scale">Several could be chosen, so that these add up to more than 100%.</p>`}
`
}

const bars = (
  label: string,
  all: readonly Bar[],
  of: number,
): Html => html`<table class="bars" aria-label="${visible(label)}">
${all.map(({ name, count, path }) => {
  const percent = `${of === 0 ? 0 : Math.round((count / of) * 100)}%`
  const text = html`<bdi>${visible(name)}</bdi>`
  return html`<tr><th scope="row" title="${visible(name)}">${path === undefined ? text : html`<a href="${path}">${text}</a>`}</th><td><svg aria-hidden="true"><rect class="ground" width="100%" height="8" rx="4"/><rect width="${percent}" height="8" rx="4"/></svg></td><td>${withCommas(count)}</td><td>${percent}</td></tr>
`
})}</table>`

const figure = (name: string, value: string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`

const numbers = ({ count, least, most, median, mean, isAbout, bins }: NumberAnswers): Html => {
  if (least === null || most === null) return html``
  const about = isAbout ? 'about ' : ''
  const largest = bins.toSorted((a, b) => b.count - a.count)[0]
  const where =
    largest && largest.from < largest.to
      ? `; ${about}${withCommas(largest.count)} of them from ${roundly(largest.from)} to ${roundly(largest.to)}`
      : ''
  return html`<dl class="figures">${figure('Least', roundly(least))}${median !== null && figure('Median', `${about}${roundly(median)}`)}${figure('Most', roundly(most))}${mean !== null && figure('Mean', roundly(mean))}</dl>
${
  least < most &&
  histogram(
    bins.map((bin) => bin.count),
    `${withCommas(count)} numbers from ${roundly(least)} to ${roundly(most)}${where}`,
    [roundly(least), roundly(most)],
  )
}`
}

/** More could not be told apart. */
const maxSteps = 60

const dates = (months: NonNullable<FieldAnswers['months']>): Html => {
  const [first, last] = [months[0], months.at(-1)]
  if (!first || !last) return html``
  const most = months.reduce((best, one) => (one.count > best.count ? one : best))
  const total = months.reduce((sum, { count }) => sum + count, 0)
  const range =
    first === last
      ? `in ${inWords(first.month)}`
      : `from ${inWords(first.month)} to ${inWords(last.month)}, most in ${inWords(most.month)}: ${withCommas(most.count)}`
  return histogram(inSteps(months, maxSteps), `${withCommas(total)} ${total === 1 ? 'date' : 'dates'} ${range}`, [
    inWords(first.month),
    inWords(last.month),
  ])
}

const names = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** `Mar 2025` */
const inWords = (month: string): string => `${names[Number(month.slice(5)) - 1]} ${month.slice(0, 4)}`
