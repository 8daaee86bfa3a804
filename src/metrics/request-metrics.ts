import { createHistogram, type Histogram } from '../histogram.ts'
import type { OnAnswer } from '../http/exchange.ts'
import { whenSent } from '../http/streamed.ts'
import { toPattern } from '../log/request-log.ts'

/** The counts of one method on one route. */
interface RequestSeries {
  readonly method: string
  /** A pattern, such as `/s/:formId`; `none` if no route matches the path. */
  readonly route: string
  readonly statuses: ReadonlyMap<number, number>
  readonly seconds: Histogram
}

export interface RequestMetrics {
  count(method: string, route: string | undefined, status: number, milliseconds: number): void
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
  const byRoute = new Map<string | undefined, Map<string, Counted>>()
  const byPattern = new Map<string, Map<string, Counted>>()

  // To Elysia `/forms` and `/forms/` are two routes. Here they are one.
  const addRoute = (route: string | undefined): Map<string, Counted> => {
    const pattern = toPattern(route)
    const methods = byPattern.get(pattern) ?? new Map<string, Counted>()
    byPattern.set(pattern, methods)
    byRoute.set(route, methods)
    return methods
  }

  const addMethod = (methods: Map<string, Counted>, method: string, route: string | undefined): Counted => {
    const added = { method, route: toPattern(route), statuses: new Map(), seconds: createHistogram(bounds) }
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
      for (const methods of byPattern.values()) yield* methods.values()
    },
  }
}

/** Counts each request when it is answered; one with a long answer when all of it was sent. */
export const answerCounter =
  (metrics: RequestMetrics): OnAnswer =>
  ({ request: { method }, startedAt }, route, status, answer) => {
    const count = () => metrics.count(method, route, status, performance.now() - startedAt)
    const sent = whenSent(answer)
    if (sent) void sent.then(count)
    else count()
  }
