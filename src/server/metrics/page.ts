import { version } from '../../../package.json'
import { AppError, forbidden } from '../../base/errors.ts'
import { secureCompare } from '../../base/secure-compare.ts'
import { metricsPath } from '../../config/addresses.ts'
import type { Config } from '../../config/config.ts'
import type { Networks } from '../../config/networks.ts'
import type { TrustedProxies } from '../../config/proxies.ts'
import { clientAddress, clientOf } from '../../http/client-address.ts'
import { type Exchange, routes } from '../../http/exchange.ts'
import { bearerToken } from '../../http/headers.ts'
import { type ClusterState, isReady } from '../../storage/cluster/state.ts'
import { sizeOf } from '../../storage/files.ts'
import { dataFile } from '../../storage/open.ts'
import type { WriteMetrics } from '../../storage/writer/histograms.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { Due } from '../../submissions/deliveries/due.ts'
import type { BackupMetrics, DeliveryMetrics, RequestMetrics } from './counters.ts'
import { contentType, counter, gauge, histogram } from './text.ts'

interface Metrics {
  readonly requests: RequestMetrics
  readonly writes: WriteMetrics
  /** Submissions stored since the start. */
  readonly submissions: { storedCount(): number }
  readonly deliveries: DeliveryMetrics
  /** Undefined on a standalone machine. */
  readonly cluster: ClusterState | undefined
  readonly backups: BackupMetrics
}

interface Options {
  readonly config: Config
  // biome-ignore lint/suspicious/noExplicitAny: which commands it takes does not matter
  readonly writer: Pick<Writer<any>, 'queued' | 'isFailing'>
  readonly metrics: Metrics
  readonly findDue: (now: number) => Due
  readonly now: () => number
}

const startedAtSeconds = (performance.timeOrigin / 1000).toFixed(3)

/** `GET /metrics`, which a Prometheus server requests every few seconds. All text is made at that time. */
export const metricsPage = ({ config, writer, metrics, findDue, now }: Options) => {
  const check = createMetricsCheck(config.metrics, config.trustedProxies)
  return routes('metrics').get(metricsPath.route, ({ exchange }) => {
    check(exchange)
    const at = now()
    const text = [
      ...ofRequests(metrics),
      ...ofDeliveries(metrics.deliveries, findDue(at), at),
      ...ofWriter(writer, metrics),
      ...ofBackups(metrics.backups),
      ...(metrics.cluster ? ofCluster(metrics.cluster) : []),
      ...ofProcess(config.dataFolder),
    ].join('')
    const length = String(Buffer.byteLength(text))
    return new Response(text, {
      headers: { 'content-type': contentType, 'content-length': length, 'cache-control': 'no-store' },
    })
  })
}

const ofRequests = ({ requests, submissions }: Metrics): string[] => {
  const series = [...requests.series()]
  const byStatus = series.flatMap(({ method, route, statuses }) =>
    [...statuses].map(([status, count]) => [{ method, route, status }, count] as const),
  )
  const durations = series.map(({ method, route, seconds }) => [{ method, route }, seconds] as const)
  return [
    counter('formbox_http_requests_total', 'Answered requests.', byStatus),
    histogram('formbox_http_request_duration_seconds', 'Time from a request to its response.', durations),
    counter('formbox_submissions_total', 'Submissions that came into an inbox, at once or confirmed.', [
      [{}, submissions.storedCount()],
    ]),
  ]
}

const ofDeliveries = (metrics: DeliveryMetrics, { count, oldestAt }: Due, now: number): string[] => {
  const series = [...metrics.series()]
  const byResult = series.flatMap(({ kind, results }) =>
    [...results].map(([result, attempts]) => [{ kind, result }, attempts] as const),
  )
  const age = oldestAt === null ? 0 : Math.max(0, now - oldestAt) / 1000
  return [
    counter('formbox_delivery_attempts_total', 'Attempts to deliver.', byResult),
    histogram(
      'formbox_delivery_attempt_duration_seconds',
      'Time of an attempt to deliver.',
      series.map(({ kind, seconds }) => [{ kind }, seconds] as const),
    ),
    gauge('formbox_deliveries_due', 'Deliveries that are due, at most 100000.', [[{}, count]]),
    gauge('formbox_deliveries_oldest_due_seconds', 'For how long the oldest one has been due.', [[{}, age]]),
  ]
}

const ofWriter = (writer: Options['writer'], { writes: { batchSizes, commitSeconds }, cluster }: Metrics): string[] => [
  gauge('formbox_writer_queue_depth', 'Writes waiting for their commit.', [[{}, writer.queued()]]),
  gauge('formbox_writer_failing', '1 if the last write to the disk failed.', [
    // In a cluster, the writer also refuses writes that the cluster's log does not take.
    [{}, cluster ? cluster.get('failing') : Number(writer.isFailing())],
  ]),
  histogram('formbox_writer_batch_size', 'Writes in one transaction.', [[{}, batchSizes]]),
  histogram('formbox_writer_commit_duration_seconds', 'Time of a commit, including its fsync.', [[{}, commitSeconds]]),
]

const ofCluster = (state: ClusterState): string[] => {
  const [applied, end, caughtUpAt] = [state.get('applied'), state.get('end'), state.get('caughtUpAt')]
  return [
    gauge('formbox_cluster_ready', '1 if writes are taken.', [[{}, Number(isReady(state))]]),
    gauge('formbox_cluster_applied', 'Number of the row of the log that was executed last.', [[{}, applied]]),
    gauge('formbox_cluster_behind', 'Rows of the log that were not executed yet.', [[{}, Math.max(0, end - applied)]]),
    gauge('formbox_cluster_caught_up', 'When all of the log was executed last, as Unix time; 0 for never.', [
      [{}, caughtUpAt / 1000],
    ]),
    counter('formbox_cluster_rows_total', 'Rows of the log executed.', [[{}, state.get('executed')]]),
    counter('formbox_cluster_errors_total', 'Times that the engine of the log did not respond.', [
      [{}, state.get('errors')],
    ]),
    histogram('formbox_cluster_append_duration_seconds', 'Time until an appended row was durable.', [
      [{}, state.appendSeconds],
    ]),
  ]
}

const ofBackups = (metrics: BackupMetrics): string[] => [
  counter('formbox_backups_total', 'Attempts to make a backup, or to put it to S3.', [...metrics.attempts()]),
  gauge('formbox_backup_newest_timestamp_seconds', 'When the newest backup in a place was made, as Unix time.', [
    ...metrics.newest(),
  ]),
]

const ofProcess = (dataFolder: string): string[] => {
  const { user, system } = process.cpuUsage()
  const main = dataFile(dataFolder)
  return [
    gauge('formbox_database_size_bytes', 'Size of the data file and of its write-ahead log.', [
      [{ file: 'main' }, sizeOf(main)],
      [{ file: 'wal' }, sizeOf(`${main}-wal`)],
    ]),
    gauge('formbox_build_info', 'Always 1; its labels are the versions.', [[{ version, bun: Bun.version }, 1]]),
    counter('process_cpu_seconds_total', 'CPU time used.', [[{}, (user + system) / 1e6]]),
    gauge('process_resident_memory_bytes', 'Memory in use.', [[{}, process.memoryUsage.rss()]]),
    gauge('process_start_time_seconds', 'Start of the process, as Unix time.', [[{}, Number(startedAtSeconds)]]),
  ]
}

interface MetricsAccess {
  /** Sent by a scraper as `Authorization: Bearer …`; null if no token is configured. */
  readonly token: string | null
  /** Clients that need no token. */
  readonly allowed: Networks
}

/** `/metrics` is off if neither is configured. */
export const isMeasured = ({ token, allowed }: MetricsAccess): boolean => token !== null || !allowed.isEmpty

/**
 * Checks that a request has the token, or comes from an address that needs none.
 *
 * @throws AppError `unauthenticated` if a token is configured, otherwise `forbidden`
 */
const createMetricsCheck = ({ token, allowed }: MetricsAccess, trustedProxies: TrustedProxies) => {
  const isAllowed = (exchange: Exchange): boolean => {
    const client = clientOf(exchange, trustedProxies)
    const isForwarded = exchange.request.headers.has('x-forwarded-for')
    // The proxy is not trusted, so its address, perhaps this machine's, would count for everyone behind it.
    const isHidden = isForwarded && client === clientAddress(exchange.socketAddress(), null, trustedProxies)
    return !isHidden && allowed.contains(client)
  }

  return (exchange: Exchange): void => {
    if (isAllowed(exchange)) return
    if (token === null) throw forbidden()
    const given = bearerToken(exchange.request)
    if (given === undefined || !secureCompare(given, token)) throw new AppError('unauthenticated', 'Invalid token')
  }
}
