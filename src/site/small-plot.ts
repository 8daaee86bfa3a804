import { dayMilliseconds } from '../base/durations.ts'
import { shortDay, withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'

const height = 32

/** Submissions on each of the days up to today, as bars. The text alternative has the total and the highest day. */
export const smallPlot = (days: readonly number[], now: number): Html => {
  const most = Math.max(...days)
  const bars = days.map((number, day) => {
    const tall = number === 0 ? 1 : Math.max(2, Math.round((number / most) * height))
    return { isZero: number === 0, path: `M${day * 10 + 1} ${height}v-${tall}h8v${tall}z` }
  })
  const path = (isZero: boolean): string =>
    bars
      .filter((bar) => bar.isZero === isZero)
      .map((bar) => bar.path)
      .join('')
  return html`<svg class="plot" viewBox="0 0 ${days.length * 10} ${height}" preserveAspectRatio="none" role="img" aria-label="${alternative(days, now)}"><path class="zero" d="${path(true)}"/><path d="${path(false)}"/></svg>`
}

const alternative = (days: readonly number[], now: number): string => {
  const most = Math.max(...days)
  if (most === 0) return `Last ${days.length} days: nothing`
  const at = now - (days.length - 1 - days.indexOf(most)) * dayMilliseconds
  return `Last ${days.length} days: ${withCommas(total(days))}, most on ${shortDay(at)} with ${withCommas(most)}`
}

export const total = (days: readonly number[]): number => days.reduce((sum, number) => sum + number, 0)
