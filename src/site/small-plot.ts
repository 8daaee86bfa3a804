import { withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'

/** Submissions on each of the last days, as bars in a row of a list. */
export const sparkline = (days: readonly number[]): Html => {
  const most = Math.max(...days)
  const sum = total(days)
  const bar = (number: number, day: number): string =>
    `M${day * 4} 20v-${number === 0 ? 1 : Math.max(2, Math.round((number / most) * 19))}h3V20z`
  const bars = (isZero: boolean): string =>
    days.map((number, day) => ((number === 0) === isZero ? bar(number, day) : '')).join('')
  return html`<svg class="spark" viewBox="0 0 ${days.length * 4 - 1} 20" preserveAspectRatio="none" role="img" aria-label="${withCommas(sum)} in ${days.length} days"><path class="zero" d="${bars(true)}"/><path d="${bars(false)}"/></svg>`
}

export const total = (days: readonly number[]): number => days.reduce((sum, number) => sum + number, 0)
