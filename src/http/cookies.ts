import { basePath } from '../config/addresses.ts'
import { ownAddress } from './host.ts'

interface CookieOptions {
  readonly name: string
  /** Matches its values. Any other value was not set by Formbox. */
  readonly shape: RegExp
  readonly lifetimeSeconds: number
  /** Below which it is sent; absent for all of the server. */
  readonly path?: string
  readonly publicUrl: string | null
}

/** Those of servers at other ports that a browser keeps: all together must fit into the headers of a request. */
const maxOthers = 10

/** A cookie that scripts and other sites cannot read. */
export const defineCookie = ({
  name: ownName,
  shape,
  lifetimeSeconds,
  path = basePath(),
  publicUrl,
}: CookieOptions) => {
  // Browsers use https only.
  const isSecure = publicUrl?.startsWith('https:') ?? false
  // With these prefixes, browsers refuse a cookie of that name over plain http, and with the first from another host. That one
  // is for the root alone.
  const base = isSecure ? `${path === '' ? '__Host-' : '__Secure-'}${ownName}` : ownName
  const attributes = `Path=${path || '/'}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

  /** Cookies do not know ports (RFC 6265 section 8.5): two servers on one host would sign each other's users out. */
  const nameFor = (request: Request): string => {
    const { port } = new URL(ownAddress(request, publicUrl))
    return port === '' ? base : `${base}_${port}`
  }
  const removalOf = (name: string): string => `${name}=; Max-Age=0; ${attributes}`

  return {
    read(request: Request): string | undefined {
      const name = nameFor(request)
      for (const [key, value] of cookiesOf(request)) if (key === name && shape.test(value)) return value
      return undefined
    },

    /** The `Set-Cookie` header that sets it. */
    set: (request: Request, value: string, seconds = lifetimeSeconds): string =>
      `${nameFor(request)}=${value}; Max-Age=${seconds}; ${attributes}`,

    /** The `Set-Cookie` header that removes it. */
    remove: (request: Request): string => removalOf(nameFor(request)),

    /** Removes the oldest of other ports, which browsers send first: `formbox demo` may have another port each time. */
    removeOldest(request: Request): string[] {
      const [own, ofOthers] = [nameFor(request), new RegExp(`^${base}_\\d{1,5}$`)]
      const others = cookiesOf(request).flatMap(([name]) => (name !== own && ofOthers.test(name) ? [name] : []))
      return others.slice(0, -maxOthers).map(removalOf)
    },
  }
}

const cookiesOf = (request: Request): [name: string, value: string][] =>
  (request.headers.get('cookie') ?? '').split(';').map((pair) => {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    return [name, value]
  })
