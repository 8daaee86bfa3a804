/** A name has at most 253 characters (RFC 1035 section 2.3.4), a port six. The OpenAPI document repeats it in each sample. */
const pattern = /^[\w.:[\]-]{1,259}$/

/**
 * The address of the service, such as `https://forms.example.com`: the public URL if it is configured, otherwise the
 * host in the request. A client can send any host, so this is only for examples that people copy.
 */
export const ownAddress = (request: Request, publicUrl: string | null): string => {
  if (publicUrl !== null) return publicUrl
  const host = request.headers.get('host') ?? ''
  return `http://${pattern.test(host) ? host : 'localhost'}`
}
