/** Whether the client takes gzip (RFC 9110 section 12.5.3). Without the header it would take anything: it gets plain bytes. */
export const acceptsGzip = (acceptEncoding: string | null): boolean => {
  const weights = new Map<string, number>()
  for (const item of (acceptEncoding ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    weights.set(coding, weight === undefined ? 1 : Number(weight))
  }
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0
}

/** Whether the client has what the strong `etag` names, quotes included (RFC 9110 section 13.1.2): then 304 is enough. */
export const isUnchanged = (ifNoneMatch: string | null, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((item) => item.trim() === '*' || item.trim().replace(/^W\//, '') === etag)
