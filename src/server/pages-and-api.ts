import type { AnyElysia } from 'elysia'
import type { LastUsed } from '../accounts/keys/last-used.ts'
import type { SetupToken } from '../accounts/users/setup-token.ts'
import { allOperations } from '../api/all-operations.ts'
import { openApiDocument } from '../api/document/document.ts'
import { reference } from '../api/reference/reference.ts'
import { serveApi } from '../api/serve.ts'
import { links } from '../collect/links/links.ts'
import type { CollectStores } from '../collect/stores.ts'
import type { Config } from '../config/config.ts'
import type { RecentOrigins } from '../forms/settings/origins.ts'
import { guides } from '../guides/guides.ts'
import type { Reporter } from '../http/error-response.ts'
import type { EventStreams } from '../http/event-streams.ts'
import { site } from '../site/site.ts'
import type { ClusterState } from '../storage/cluster/state.ts'
import type { BackUpNow } from '../upkeep/jobs/make-backups.ts'
import type { SinceStart } from '../upkeep/since-start.ts'
import { openStores } from './stores.ts'

interface Options {
  readonly config: Config
  readonly collectStores: CollectStores
  readonly lastUsed: LastUsed
  readonly signingKey: () => Promise<Uint8Array>
  readonly refusedOrigins: RecentOrigins
  readonly ignoredNext: RecentOrigins
  readonly lostMessages: RecentOrigins
  readonly setupToken: SetupToken
  readonly streams: EventStreams
  readonly sinceStart: SinceStart
  readonly backUpNow: BackUpNow | undefined
  /** Undefined on a standalone machine. */
  readonly cluster: ClusterState | undefined
  /** Aborted when the server ends. */
  readonly ending: AbortSignal
  readonly report: Reporter
  readonly now: () => number
}

/** Elysia plugin: the pages, the API and its description, with the stores that only they need. */
export const pagesAndApi = ({ collectStores, lastUsed, ending, ...rest }: Options) => {
  const { config, report, now } = rest
  const stores = openStores({ config, lastUsed, ending, ...collectStores })
  const operations = allOperations(stores)
  const { keys, access } = stores
  const api = { operations, keys, isShutOut: access.isShutOut, config, report, now }
  return (app: AnyElysia): AnyElysia =>
    app
      .use(links({ ...stores, ...rest }))
      .use(site({ ...stores, ...rest }))
      .use(openApiDocument(config, operations))
      .use(reference())
      .use(guides())
      .use(serveApi(api))
}
