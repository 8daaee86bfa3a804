import { withCommas } from './format.ts'
import { type Html, html } from './html.ts'

/** Submissions on each of the last days, as bars in a row of a list. */
export const sparkline = (days: readonly number[]): Html => {
  const most = Math.max(...days)
  const sum = total(days)
  const width = days.length * 4 - 1
  let bars = ''
  for (const [day, number] of days.entries())
    if (number > 0) bars += `M${day * 4} 20v-${Math.max(2, Math.round((number / most) * 19))}h3V20z`
  // A dashed line for the days without: a page has many of these.
  return html`<svg class="spark" viewBox="0 0 ${width} 20" preserveAspectRatio="none" role="img" aria-label="${withCommas(sum)} in ${days.length} days"><path class="zero" d="M0 19.5h${width}"/>${bars !== '' && html`<path d="${bars}"/>`}</svg>`
}

export const total = (days: readonly number[]): number => days.reduce((sum, number) => sum + number, 0)

const height = 72

/** Bars from the first value to the last. @param label says what they show */
export const histogram = (counts: readonly number[], label: string, [first, last]: readonly [string, string]): Html => {
  const most = Math.max(1, ...counts)
  const step = 100 / counts.length
  return html`<svg class="histogram" viewBox="0 0 100 ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${counts.map(
    (count, i) => {
      const high = count === 0 ? 0 : Math.max(1, Math.round((count / most) * (height - 2)))
      return html`<rect x="${(i * step + step * 0.05).toFixed(2)}" width="${(step * 0.9).toFixed(2)}" y="${height - high}" height="${high}"/>`
    },
  )}</svg>
<p class="scale"><span>${first}</span>${first !== last && html`<span>${last}</span>`}</p>
`
}

/** A part of a bar. */
interface StackPart {
  /** In units of the bar; a part without any is left out. */
  readonly width: number
  readonly look: Look
}

/** A class for its colour, and how strong that is. */
export type Look = readonly [name: string, opacity: number]

/** @returns the attributes of a `rect` */
export const lookOf = ([name, opacity]: Look): Html => html`class="${name}" fill-opacity="${opacity}"`

/** One bar of several parts, a unit apart. @param units of the whole bar @param about says what it shows, or that it is hidden */
export const stack = (parts: readonly StackPart[], units: number, about: Html): Html => {
  let x = 0
  const rects = parts.map(({ width, look }) => {
    if (width === 0) return html``
    const rect = html`<rect ${lookOf(look)} x="${short(x)}" width="${short(width)}" height="8"/>`
    x += width + 1
    return rect
  })
  return html`<svg class="stack" viewBox="0 0 ${units} 8" preserveAspectRatio="none" ${about}>${rects}</svg>`
}

/** A number of a picture, to hundredths. */
export const short = (number: number): string => String(Math.round(number * 100) / 100)
