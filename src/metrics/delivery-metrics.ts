import { createHistogram, type Histogram } from '../histogram.ts'
import type { Attempted } from '../jobs/send-deliveries.ts'
import type { Claimed } from '../outbox/claim.ts'

/** Attempts to deliver of one kind. */
interface DeliverySeries {
  readonly kind: Claimed['kind']
  readonly results: ReadonlyMap<Attempted['result'], number>
  readonly seconds: Histogram
}

export interface DeliveryMetrics {
  count(kind: Claimed['kind'], attempted: Attempted, milliseconds: number): void
  series(): Iterable<DeliverySeries>
}

const bounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 45]

/** Counts attempts to deliver since the start. There are four kinds and three results. */
export const createDeliveryMetrics = (): DeliveryMetrics => {
  const byKind = new Map<string, DeliverySeries & { readonly results: Map<Attempted['result'], number> }>()
  return {
    count(kind, { result }, milliseconds) {
      const counted = byKind.get(kind) ?? { kind, results: new Map(), seconds: createHistogram(bounds) }
      byKind.set(kind, counted)
      counted.results.set(result, (counted.results.get(result) ?? 0) + 1)
      counted.seconds.observe(milliseconds / 1000)
    },
    series: () => byKind.values(),
  }
}
