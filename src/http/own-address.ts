/**
 * A name has at most 253 characters (RFC 1035 section 2.3.4), a port six. The OpenAPI document repeats the host 39
 * times.
 */
const pattern = /^[\w.:[\]-]{1,259}$/

/**
 * The address of the service, such as `https://forms.example.com`: the configured one, or else the host in the request.
 * Only for examples that people copy, never for decisions.
 */
export const ownAddress = (request: Request, publicUrl: string | null): string => {
  if (publicUrl !== null) return publicUrl
  const host = request.headers.get('host') ?? ''
  return `http://${pattern.test(host) ? host : 'localhost'}`
}
