import { type Html, html } from '../html/html.ts'
import type { DeliveryState } from '../submissions/deliveries/delivery-reads.ts'

const marks: Readonly<Record<DeliveryState, (x: number) => Html>> = {
  delivered: (x) => html`<rect x="${x}" y="2" width="5" height="14" rx="1"/>`,
  failed: (x) => html`<rect class="is-failed" x="${x}" y="8" width="5" height="8" rx="1"/>`,
  pending: (x) => html`<rect class="is-waiting" x="${x + 0.75}" y="2.75" width="3.5" height="12.5" rx="1"/>`,
  skipped: (x) => html`<rect class="zero" x="${x}" y="14" width="5" height="2"/>`,
}

const stateWords = { delivered: 'accepted', failed: 'failed', pending: 'waiting', skipped: 'not sent' } as const

/** The last deliveries to a receiver, a mark each. @param states newest first; those on the page are oldest first */
export const latelyStrip = (states: readonly DeliveryState[]): Html => {
  const width = Math.max(5, states.length * 8 - 3)
  const counts = Object.entries(stateWords).flatMap(([state, words]) => {
    const count = states.filter((one) => one === state).length
    return count === 0 ? [] : [`${count === states.length ? 'all' : count} ${words}`]
  })
  return html`<svg class="lately" viewBox="0 0 ${width} 18" width="${width}" height="18" role="img" aria-label="The last ${states.length}: ${counts.join(', ')}">${[...states].reverse().map((state, at) => marks[state](at * 8))}</svg>`
}
