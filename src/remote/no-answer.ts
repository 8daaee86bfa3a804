/** Why there was no response. The message is for the owner of the form. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/** The host of a URL is, or resolves to, nothing but addresses that Formbox must not connect to. */
export const refusedAddress = (): NoAnswerError =>
  new NoAnswerError('The address is not public. FORMBOX_WEBHOOK_ALLOW can allow it')

/** Puts any error in words for the owner. Names no address: a private one is none of their business. */
export const toReason = (error: unknown): string => {
  if (error instanceof NoAnswerError) return error.message
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown }
  if (name === 'AbortError') return 'The attempt was stopped'
  if (typeof code !== 'string') return 'The connection ended before there was a response'
  const [, reason] = reasons.find(([pattern]) => pattern.test(code)) ?? []
  return reason ?? `The connection failed (${code})`
}

/** Reasons by the codes of the system, of the resolver, of TLS and of the HTTP parser. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^DNS_(ENOTFOUND|ENODATA|ENONAME|EBADNAME)$/, 'There is no host with this name'],
  [/^DNS_/, 'The name of the host cannot be resolved at the moment'],
  [/^ECONNREFUSED$/, 'The connection was refused'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|ERR_SOCKET_CLOSED)$/, 'The connection ended before there was a response'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN)$/, 'The host cannot be reached'],
  [/^ETIMEDOUT$/, 'The host did not accept the connection in time'],
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, 'The certificate of the host is not valid today'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'The certificate is for another host'],
  [/SELF_SIGNED|UNABLE_TO_/, 'The certificate of the host is not signed by a known authority'],
  [/^CERT_|TLS|SSL|^EPROTO$/, 'TLS with the host failed'],
  [/^HPE_HEADER_OVERFLOW$/, 'The headers of the response are too long'],
  [/^HPE_/, 'The response was not HTTP'],
]
