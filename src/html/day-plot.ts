import { dayMilliseconds } from '../base/durations.ts'
import { short, total } from './charts.ts'
import { dayNumber, isoDay, shortDay, withCommas } from './format.ts'
import { type Html, html } from './html.ts'

/** The days that a plot may show, up to today. */
export const plotDays = [7, 30, 90] as const
type PlotDays = (typeof plotDays)[number]

interface Plot {
  /** Submissions on each day in UTC, the last one today. */
  readonly counts: readonly number[]
  readonly now: number
  /** Leads to the submissions of a day, such as `2026-11-15`. */
  readonly dayPath: (day: string) => string
  /** Leads to the same page with a plot of more or fewer days. */
  readonly plotPath: (days: PlotDays) => string
  /** Whether the list shows the day. */
  readonly isShown: (day: string) => boolean
}

const [width, height] = [180, 28]

/** A day of a plot, as long as it stands in the same place. */
interface Place {
  readonly day: string
  readonly name: string
  /** What it takes of the plot, and what of it a bar takes. */
  readonly x: string
  readonly barX: string
}

interface Axis {
  readonly today: number
  readonly width: string
  readonly barWidth: string
  readonly places: readonly Place[]
}

/** Of each number of days the last one that was shown: most pages of a day have the same. */
const axes = new Map<number, Axis>()

const axisOf = (length: number, now: number): Axis => {
  const today = dayNumber(now)
  const known = axes.get(length)
  if (known?.today === today) return known
  const step = width / length
  const gap = Math.min(1, step / 4)
  const places = Array.from({ length }, (_, i) => {
    const at = (today - (length - 1 - i)) * dayMilliseconds
    return { day: isoDay(at), name: shortDay(at), x: short(i * step), barX: short(i * step + gap) }
  })
  const axis = { today, width: short(step), barWidth: short(step - 2 * gap), places }
  axes.set(length, axis)
  return axis
}

/**
 * Submissions on each of the last days, as bars that lead to theirs. They are no stops of Tab, which would be in the way, and
 * are not read aloud one by one: a sentence before them has the total and the highest day, and the filter leads to the same.
 */
export const dayPlot = ({ counts, now, dayPath, plotPath, isShown }: Plot): Html => {
  const most = Math.max(...counts)
  const axis = axisOf(counts.length, now)
  const bars = axis.places.map(({ day, name, x, barX }, i) => {
    const count = counts[i] as number
    const tall = count === 0 ? 1 : Math.max(2, Math.round((count / most) * (height - 1)))
    return html`<a href="${dayPath(day)}" tabindex="-1"${isShown(day) && html` class="is-in"`}><title>${name}: ${withCommas(count)}</title><rect x="${x}" width="${axis.width}"/><rect${count === 0 && html` class="zero"`} x="${barX}" y="${height - tall}" width="${axis.barWidth}" height="${tall}"/></a>
`
  })
  return html`<div class="plot">
<span class="visually-hidden">${inWords(counts, now)}</span>
<svg viewBox="0 0 ${width} ${height}" aria-hidden="true">
${bars}</svg>
<details class="menu quiet" name="menus"><summary>${counts.length} days</summary>
<ul class="panel items">
${plotDays.map((days) => html`<li><a href="${plotPath(days)}"${days === counts.length && html` aria-current="true"`}>${days} days</a></li>`)}
</ul></details>
</div>`
}

const inWords = (counts: readonly number[], now: number): string => {
  const most = Math.max(...counts)
  if (most === 0) return `Nothing in ${counts.length} days.`
  const at = now - (counts.length - 1 - counts.indexOf(most)) * dayMilliseconds
  return `${withCommas(total(counts))} ${total(counts) === 1 ? 'submission' : 'submissions'} in ${counts.length} days, most on ${shortDay(at)}: ${withCommas(most)}.`
}
