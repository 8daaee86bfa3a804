import { createHistogram, type Histogram } from '../histogram.ts'
import type { OnAnswer } from '../http/exchange.ts'

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

const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

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
    const added = { method, route, statuses: new Map(), seconds: createHistogram(bounds) }
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

/** Counts each request when it is answered; one with a long answer when all of it was sent. */
export const answerCounter =
  (metrics: RequestMetrics): OnAnswer =>
  ({ request: { method }, startedAt, whenSent }, route, status) => {
    const count = () => metrics.count(method, route, status, performance.now() - startedAt)
    if (whenSent) void whenSent.then(count)
    else count()
  }
