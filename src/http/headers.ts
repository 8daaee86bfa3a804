import { AppError } from '../base/errors.ts'
import { maxHeaderCharacters, parseOnce } from '../base/parse-once.ts'

/** The media type of the body in lower case, without its parameters (RFC 9110 section 8.3.1). */
export const mediaType = (request: Request): string => {
  const header = request.headers.get('content-type') ?? ''
  const end = header.indexOf(';')
  return (end === -1 ? header : header.slice(0, end)).trim().toLowerCase()
}

/**
 * Whether the client wants a page: it names `text/html` with a weight above 0 (RFC 9110 section 12.5.1). `*` and
 * `text/*` do not count: scripts and `curl` send them, and want JSON.
 */
export const acceptsHtml = (accept: string | null): boolean => (weightsIn(accept ?? '').get('text/html') ?? 0) > 0

/** Whether the client accepts gzip (RFC 9110 section 12.5.3). Without the header the answer is no. */
export const acceptsGzip = (acceptEncoding: string | null): boolean => {
  const weights = weightsIn(acceptEncoding ?? '')
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0
}

/** The weight of each item in the list, from 0 (not acceptable) to 1 (RFC 9110 section 12.4.2). */
const weightsIn = parseOnce((list): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>()
  for (const item of list.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    weights.set(name, weight === undefined ? 1 : Number(weight))
  }
  return weights
}, maxHeaderCharacters)

/**
 * Whether the client already has the version with this strong `etag`, and a 304 is enough (RFC 9110 section 13.1.2).
 */
export const isUnchanged = (ifNoneMatch: string | null, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((item) => item.trim() === '*' || item.trim().replace(/^W\//, '') === etag)

/**
 * The token in `Authorization: Bearer TOKEN`; the case of `Bearer` does not matter (RFC 6750 section 2.1). Undefined if
 * the header has another form.
 *
 * @throws AppError `unauthenticated` if the header is missing
 */
export const bearerToken = (request: Request): string | undefined => {
  const authorization = request.headers.get('authorization')
  if (authorization === null) throw new AppError('unauthenticated', 'Authorization not provided')
  return /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1]
}
