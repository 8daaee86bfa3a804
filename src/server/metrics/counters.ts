import { createHistogram, type Histogram } from '../../base/histogram.ts'
import type { OnAnswer } from '../../http/exchange.ts'
import type { Claimed } from '../../outbox/claim.ts'
import type { OnBackup } from '../../upkeep/jobs/make-backups.ts'
import type { Attempted } from '../../upkeep/jobs/send-deliveries.ts'

/** The counts of one method on one route. */
interface RequestSeries {
  readonly method: string
  /** A pattern, such as `/s/:formId`; `none` if no route matches the path. */
  readonly route: string
  readonly statuses: ReadonlyMap<number, number>
  readonly seconds: Histogram
}

export interface RequestMetrics {
  count(method: string, route: string, status: number, milliseconds: number): void
  series(): Iterable<RequestSeries>
}

const requestBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Counted extends RequestSeries {
  readonly statuses: Map<number, number>
}

/**
 * Counts requests. Clients cannot create series without limit: there are as many as the app has routes, times the few
 * methods that Bun accepts.
 */
export const createRequestMetrics = (): RequestMetrics => {
  const byRoute = new Map<string, Map<string, Counted>>()

  const addRoute = (route: string): Map<string, Counted> => {
    const methods = new Map<string, Counted>()
    byRoute.set(route, methods)
    return methods
  }

  const addMethod = (methods: Map<string, Counted>, method: string, route: string): Counted => {
    const added = { method, route, statuses: new Map(), seconds: createHistogram(requestBounds) }
    methods.set(method, added)
    return added
  }

  return {
    count(method, route, status, milliseconds) {
      const methods = byRoute.get(route) ?? addRoute(route)
      const { statuses, seconds } = methods.get(method) ?? addMethod(methods, method, route)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      seconds.observe(milliseconds / 1000)
    },
    *series() {
      for (const methods of byRoute.values()) yield* methods.values()
    },
  }
}

/** Counts each request when it is answered; one with a long response when all of it was sent. */
export const answerCounter =
  (metrics: RequestMetrics): OnAnswer =>
  ({ request: { method }, startedAt, whenSent }, route, status) => {
    const count = () => metrics.count(method, route, status, performance.now() - startedAt)
    if (whenSent) void whenSent.then(count)
    else count()
  }

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

const attemptBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 45]

/** Counts attempts to deliver since the start. There are five kinds and four results. */
export const createDeliveryMetrics = (): DeliveryMetrics => {
  const byKind = new Map<string, DeliverySeries & { readonly results: Map<Attempted['result'], number> }>()
  return {
    count(kind, { result }, milliseconds) {
      const counted = byKind.get(kind) ?? { kind, results: new Map(), seconds: createHistogram(attemptBounds) }
      byKind.set(kind, counted)
      counted.results.set(result, (counted.results.get(result) ?? 0) + 1)
      counted.seconds.observe(milliseconds / 1000)
    },
    series: () => byKind.values(),
  }
}

type Backup = Parameters<OnBackup>[0]

export interface BackupMetrics {
  readonly count: OnBackup
  /** Attempts since the start. */
  attempts(): Iterable<readonly [labels: Pick<Backup, 'place' | 'result'>, count: number]>
  /** Time of the newest backup in each place, as Unix time in seconds. */
  newest(): Iterable<readonly [labels: Pick<Backup, 'place'>, seconds: number]>
}

export const createBackupMetrics = (): BackupMetrics => {
  const attempts = new Map<string, [Pick<Backup, 'place' | 'result'>, number]>()
  const newest = new Map<string, [Pick<Backup, 'place'>, number]>()
  return {
    count({ place, result, newestAt }) {
      if (result) {
        const [, count] = attempts.get(place + result) ?? []
        attempts.set(place + result, [{ place, result }, (count ?? 0) + 1])
      }
      if (newestAt !== undefined) newest.set(place, [{ place }, newestAt / 1000])
    },
    attempts: () => attempts.values(),
    newest: () => newest.values(),
  }
}
