import { Elysia } from 'elysia'
import { allOperations } from './api/all-operations.ts'
import { openApiDocument } from './api/document/document.ts'
import { serveApi } from './api/serve.ts'
import type { ClusterState } from './cluster/state.ts'
import { clusterCopy } from './cluster-copy/serve-copy.ts'
import { collect } from './collect/collect.ts'
import type { WriteMetrics } from './db/writer/histograms.ts'
import { dueReader } from './deliveries/due.ts'
import { openRefusedOrigins } from './forms/origins.ts'
import { health } from './health.ts'
import { errorResponse, type Reporter } from './http/error-response.ts'
import type { EventStreams } from './http/event-streams.ts'
import { Exchange, type OnAnswer, reportAnswers, routes } from './http/exchange.ts'
import { checkHost } from './http/host.ts'
import { answerLogger, type RequestLog } from './log/log-lines.ts'
import {
  answerCounter,
  type BackupMetrics,
  countSubmissions,
  createBackupMetrics,
  createDeliveryMetrics,
  createRequestMetrics,
  type DeliveryMetrics,
} from './metrics/counters.ts'
import { metricsPage } from './metrics/page.ts'
import { openSigningKey } from './secrets/signing-key.ts'
import { reference } from './site/reference/reference.ts'
import { site } from './site/site.ts'
import { openStores, type StoreOptions } from './stores.ts'
import type { SetupToken } from './users/setup-token.ts'

interface Options extends StoreOptions {
  readonly setupToken: SetupToken
  readonly streams: EventStreams
  readonly report: Reporter
  readonly requestLog: RequestLog | undefined
  /** Whether the server has been told to stop. */
  readonly isStopping?: () => boolean
  /** Attempts to deliver. */
  readonly deliveryMetrics?: DeliveryMetrics
  /** How far this machine has executed the log of its cluster; undefined on a standalone machine. */
  readonly cluster?: ClusterState | undefined
  /** Attempts to make backups. */
  readonly backupMetrics?: BackupMetrics
  /** What the writer's thread measures; undefined if `/metrics` is off. */
  readonly writeMetrics?: WriteMetrics | undefined
}

/** The whole service. A request passes the parts in this order. */
export const createApp = (options: Options) => {
  const { config, reader, writer, lastUsed, onDeleted, onDue, setupToken, streams, now, report, requestLog } = options
  const { isStopping = () => false, cluster, writeMetrics } = options
  const { deliveryMetrics = createDeliveryMetrics(), backupMetrics = createBackupMetrics() } = options
  const stores = openStores({ config, reader, writer, lastUsed, onDeleted, onDue, now })
  const operations = allOperations(stores, config.publicUrl)
  const metrics = writeMetrics && {
    requests: createRequestMetrics(),
    writes: writeMetrics,
    submissions: countSubmissions(stores.submissions),
    deliveries: deliveryMetrics,
    cluster,
    backups: backupMetrics,
  }
  const refusedOrigins = openRefusedOrigins(now)
  const signingKey = openSigningKey({ reader, writer })
  const submissions = metrics?.submissions ?? stores.submissions
  const onAnswer = both(
    requestLog && answerLogger(requestLog, config.trustedProxies),
    metrics && answerCounter(metrics.requests),
  )

  const app = new Elysia({
    // Otherwise Elysia looks for the start of the path in the wrong place if a request has `Host: x`.
    handler: { standardHostname: false },
    normalize: false,
  })
  return app
    .use(routes('root'))
    .headers(defaultHeaders)
    .onRequest((context) => {
      // Not `context.server`: Elysia would define that property for each request.
      const exchange = new Exchange(context.request, app.server, context.set.headers)
      context.exchange = exchange
      // By the end of a slow handler, the connection may be closed and its address unknown.
      if (requestLog) exchange.socketAddress()
      checkHost(exchange.request)
    })
    .use(onAnswer && reportAnswers(onAnswer))
    .onError({ as: 'global' }, errorResponse(report, onAnswer))
    .use(health({ dataFolder: config.dataFolder, reader, writer, isStopping, cluster }))
    .use(config.cluster !== null && clusterCopy({ dataFolder: config.dataFolder, cluster: config.cluster, report }))
    .use(metrics && metricsPage({ config, writer, metrics, findDue: dueReader(reader.db), now }))
    .use(collect({ config, submissions, files: stores.files, signingKey, refusedOrigins, report, now }))
    .use(site({ config, ...stores, submissions, setupToken, signingKey, refusedOrigins, streams, now, report }))
    .use(openApiDocument(config, operations))
    .use(reference())
    .use(
      serveApi({
        operations,
        keys: stores.keys,
        isShutOut: stores.forms.isShutOut,
        rateLimit: config.rateLimit,
        report,
        now,
      }),
    )
}

/** On every answer. Answers contain what visitors sent, and no browser must take such JSON for a page or a script. */
const defaultHeaders = { 'x-content-type-options': 'nosniff' }

const both = (first: OnAnswer | undefined, second: OnAnswer | undefined): OnAnswer | undefined => {
  if (!first || !second) return first ?? second
  return (...answered) => {
    first(...answered)
    second(...answered)
  }
}
