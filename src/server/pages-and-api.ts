import type { AnyElysia } from 'elysia'
import type { LastUsed } from '../accounts/keys/last-used.ts'
import { allOperations } from '../api/all-operations.ts'
import { openApiDocument } from '../api/document/document.ts'
import { reference } from '../api/reference/reference.ts'
import { serveApi } from '../api/serve.ts'
import { links } from '../collect/links/links.ts'
import { guides } from '../guides/guides.ts'
import type { SiteOptions } from '../site/page-options.ts'
import { site } from '../site/site.ts'
import type { CollectStores } from '../stores/collect-stores.ts'
import { openStores, type Stores } from '../stores/stores.ts'

interface Options extends Omit<SiteOptions, keyof Stores> {
  readonly collectStores: CollectStores
  readonly lastUsed: LastUsed
  /** Aborted when the server ends. */
  readonly ending: AbortSignal
}

/** Elysia plugin: the pages, the API and its description, with the stores that only they need. */
export const pagesAndApi = ({ collectStores, lastUsed, ending, ...rest }: Options) => {
  const { config, report, now } = rest
  const stores = openStores({ lastUsed, ending, ...collectStores })
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
