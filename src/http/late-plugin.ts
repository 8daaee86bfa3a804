import type { AnyElysia } from 'elysia'
import { lazily } from '../base/lazily.ts'
import { withoutBase } from './host.ts'

const everything = '/*'

type Plugin = (app: AnyElysia) => AnyElysia

/**
 * A plugin whose modules are loaded with the first request that no other route answers. From then on its routes are the
 * app's own. If it cannot be loaded, that request is answered with the error, and the next one tries again.
 */
export class LatePlugin {
  private readonly loaded = Promise.withResolvers<Plugin>()
  /** The requests that are being answered, if nothing could be loaded for them. */
  private readonly failures = new Map<Request, unknown>()
  private app: AnyElysia | undefined

  /** For the app's options: until the plugin is loaded, the server calls this for requests without a route. */
  readonly serve: { readonly routes: Record<string, (request: Request) => Promise<Response>> } = {
    routes: { [everything]: (request) => this.answer(request) },
  }

  /** @param basePath below which requests may arrive, and are answered as if they had not. */
  constructor(
    private readonly load: () => Promise<Plugin>,
    private readonly basePath: string,
  ) {
    if (basePath === '') return
    const answer = (request: Request) => this.answer(withoutBase(request, basePath))
    this.serve.routes[basePath] = answer
    this.serve.routes[`${basePath}/*`] = answer
  }

  /** To be used by the app, after all that goes before. */
  readonly plugin = (app: AnyElysia): AnyElysia => {
    this.app = app
    this.answerEarly(app)
    return app.use(this.loaded.promise)
  }

  /** Loads the plugin, if that was not done yet. */
  readonly loadNow = lazily(() => this.loadOnce())

  /** @throws the error for which nothing could be loaded, when the app begins to answer such a request */
  check(request: Request): void {
    if (this.failures.size > 0 && this.failures.has(request)) throw this.failures.get(request)
  }

  /** What goes before is answered below the path without the plugin, too. */
  private answerEarly(app: AnyElysia): void {
    const { basePath } = this
    if (basePath === '') return
    for (const { path } of app.routes)
      this.serve.routes[basePath + path] = async (request) => app.fetch(withoutBase(request, basePath))
  }

  private async loadOnce(): Promise<void> {
    const plugin = await this.load()
    delete this.serve.routes[everything]
    this.loaded.resolve(plugin)
    await this.app?.modules
  }

  private async answer(request: Request): Promise<Response> {
    await this.loadNow().catch((error) => this.failures.set(request, error))
    try {
      return await (this.app as AnyElysia).fetch(request)
    } finally {
      this.failures.delete(request)
    }
  }
}
