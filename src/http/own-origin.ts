/**
 * Whether an origin is this server's. Behind a proxy, `Host` may be the proxy's name for this server. The browser knows
 * the public address.
 */
export const isOwnOrigin = (origin: string, request: Request, publicUrl: string | null): boolean => {
  if (origin === publicUrl) return true
  const url = URL.parse(origin)
  const host = request.headers.get('host')?.toLowerCase()
  if (!url || !/^https?:$/.test(url.protocol) || url.host !== host) return false
  // The public host with the other scheme is not ours: anybody on the network path can forge pages over plain http.
  return publicUrl === null || url.host !== new URL(publicUrl).host
}
