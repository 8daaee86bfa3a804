import type { Context } from 'elysia'
import { AppError } from '../base/errors.ts'
import type { Form } from '../forms/form.ts'
import { isAllowedOrigin, type RecentOrigins, toAppOrigin } from '../forms/settings/origins.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { isOwnOrigin } from '../http/host.ts'
import { foreign } from '../languages/foreign.ts'
import { because } from '../languages/texts.ts'

interface Options {
  readonly form: Pick<Form, 'id' | 'settings'>
  readonly request: Request
  readonly publicUrl: string | null
}

/**
 * Sets CORS of a form that takes submissions from some pages only, on every response about the form: the origin of the
 * request is named if it is one of them, and none otherwise.
 */
export const nameOrigin = (headers: Context['set']['headers'], { form, request, publicUrl }: Options): void => {
  if (parseSettings(form.settings).allowedOrigins.length === 0) return
  headers.vary = 'Origin'
  const origin = originIn(request.headers.get('origin'))
  if (origin !== null && isAllowed(origin, { form, request, publicUrl }))
    headers['access-control-allow-origin'] = origin
  else delete headers['access-control-allow-origin']
}

/**
 * Refuses a submission from a page that may not send to this form. A program may send any origin: this stops other
 * people's pages from using the form, and nothing else.
 *
 * @param refused notes the origin of the page
 * @throws AppError `wrong_origin`
 */
export const refuseOtherOrigins = (
  { form, request, publicUrl }: Options,
  refused: Pick<RecentOrigins, 'add'>,
): void => {
  if (parseSettings(form.settings).allowedOrigins.length === 0) return
  // `Origin: null` says that the browser hides the origin, so `Referer` does not count either.
  const sent = request.headers.get('origin') || request.headers.get('referer')
  // Not from a page: browsers always send one of the two.
  if (!sent) throw wrongOrigin(null, 'missing')
  const origin = originIn(sent)
  if (origin !== null && isAllowed(origin, { form, request, publicUrl })) return
  refused.add(form, origin)
  throw wrongOrigin(origin, origin ?? 'null: the page keeps it secret, as with Referrer-Policy no-referrer')
}

/** @param found the origin, or why there is none */
const wrongOrigin = (origin: string | null, found: string): AppError =>
  new AppError('wrong_origin', 'This form does not take submissions from this origin', {
    issues: [{ field: 'Origin', message: `must be one of the allowed origins of the form, is ${found}` }],
    reason: origin === null ? because('unknownPage') : because('otherPage', foreign(origin)),
  })

/** Formbox's own pages may always send, whatever origins the form lists. */
const isAllowed = (origin: string, { form, request, publicUrl }: Options): boolean =>
  isAllowedOrigin(parseSettings(form.settings).allowedOrigins, origin) || isOwnOrigin(origin, request, publicUrl)

/** The origin of the page that sent a request; null if it is unknown. */
export const originOf = ({ headers }: Request): string | null =>
  originIn(headers.get('origin') || headers.get('referer'))

/** Whether a browser comes from a page, not from its address bar or a bookmark. Over plain HTTP, `Referer` alone says so. */
export const isFromPage = ({ headers }: Request): boolean => {
  const site = headers.get('sec-fetch-site')
  return site === null ? headers.has('referer') : site !== 'none'
}

/** The origin in an `Origin` or `Referer`. Null if there is none, or if it has no host, such as that of a file. */
const originIn = (header: string | null): string | null => {
  const url = header ? URL.parse(header) : null
  if (!header || !url) return null
  // That of an app may be a Referer too, with a path.
  return /^https?:$/.test(url.protocol) ? url.origin : toAppOrigin(header.split('/', 3).join('/'))
}
