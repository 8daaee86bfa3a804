import type { Context } from 'elysia'
import { wrongOrigin } from '../errors.ts'
import { isAllowedOrigin } from '../forms/origins.ts'
import type { Form } from '../forms/ownership.ts'
import { parseSettings } from '../forms/settings.ts'
import { isOwnOrigin } from '../http/host.ts'

interface Options {
  readonly form: Pick<Form, 'settings'>
  readonly request: Request
  readonly publicUrl: string | null
}

/**
 * CORS of a form that takes submissions from some pages only: instead of all origins, that of the request is named if it is
 * one of them, and none otherwise. Stands on every answer about the form.
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
 * Refuses what was sent from a page that may not send to this form. Whoever writes a program may send any origin: this keeps
 * other people's pages from using the form, and nothing else out.
 *
 * @param onRefused called with the origin of the page, or null if it keeps it secret
 * @throws AppError `wrong_origin`
 */
export const refuseOtherOrigins = (
  { form, request, publicUrl }: Options,
  onRefused: (origin: string | null) => void,
): void => {
  if (parseSettings(form.settings).allowedOrigins.length === 0) return
  // `Origin: null` says that the browser keeps the origin secret, so that `Referer` is not asked either.
  const sent = request.headers.get('origin') || request.headers.get('referer')
  // No page: those always send one of the two.
  if (!sent) throw wrongOrigin('missing')
  const origin = originIn(sent)
  if (origin !== null && isAllowed(origin, { form, request, publicUrl })) return
  onRefused(origin)
  throw wrongOrigin(origin ?? 'null: the page keeps it secret, as with Referrer-Policy no-referrer')
}

/** Our own pages may send whatever the form's owner entered. */
const isAllowed = (origin: string, { form, request, publicUrl }: Options): boolean =>
  isAllowedOrigin(parseSettings(form.settings).allowedOrigins, origin) || isOwnOrigin(origin, request, publicUrl)

/** Of an `Origin` or `Referer`. Null if there is none, or if it has no host, such as that of a file. */
const originIn = (header: string | null): string | null => {
  const url = header ? URL.parse(header) : null
  return url && /^https?:$/.test(url.protocol) ? url.origin : null
}
