/** Redirects the browser to one of our pages, which it requests with GET. May set or remove cookies. */
export const redirect = (path: string, ...cookies: readonly string[]): Response => {
  const headers = new Headers({ location: path, 'cache-control': 'no-store', 'referrer-policy': 'same-origin' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}
