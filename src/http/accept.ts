/**
 * Whether the client wants a page: it names `text/html`, and not as what it refuses (RFC 9110 section 12.5.1). `*` and
 * `text/*` do not count: scripts and `curl` send them, who want JSON.
 */
export const acceptsHtml = (accept: string | null): boolean => (weightsIn(accept ?? '').get('text/html') ?? 0) > 0

/** Whether the client takes gzip (RFC 9110 section 12.5.3). Without the header it would take anything: it gets plain bytes. */
export const acceptsGzip = (acceptEncoding: string | null): boolean => {
  const weights = weightsIn(acceptEncoding ?? '')
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0
}

/** Of each item of such a list, how much the client wants it: from 0, not at all, to 1 (RFC 9110 section 12.4.2). */
const weightsIn = (list: string): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>()
  for (const item of list.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    weights.set(name, weight === undefined ? 1 : Number(weight))
  }
  return weights
}

/** Whether the client has what the strong `etag` names, quotes included (RFC 9110 section 13.1.2): then 304 is enough. */
export const isUnchanged = (ifNoneMatch: string | null, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((item) => item.trim() === '*' || item.trim().replace(/^W\//, '') === etag)
