/** A name has 253 characters at most (RFC 1035 section 2.3.4), and a port six. The OpenAPI document repeats it 39 times. */
const pattern = /^[\w.:[\]-]{1,259}$/

/**
 * Under which the service is reached, such as `https://forms.example.com`: what the operator said, or else the host as
 * the browser wrote it. For an example to copy, never for a decision.
 */
export const ownAddress = (request: Request, publicUrl: string | null): string => {
  if (publicUrl !== null) return publicUrl
  const host = request.headers.get('host') ?? ''
  return `http://${pattern.test(host) ? host : 'localhost'}`
}
