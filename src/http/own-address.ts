/**
 * Under which the service is reached, such as `https://forms.example.com`: what the operator said, or else the host as
 * the browser wrote it. For an example to copy, never for a decision.
 */
export const ownAddress = (request: Request, publicUrl: string | null): string => {
  if (publicUrl !== null) return publicUrl
  const host = request.headers.get('host') ?? ''
  return `http://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}`
}
