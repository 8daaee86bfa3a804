/** Redirects the browser to one of our pages, which it requests with GET. May set or remove cookies. */
export const redirect = (path: string, ...cookies: readonly string[]): Response => answer(303, path, cookies)

/** Redirects the browser to one of our pages, where it sends the same form once more. May set or remove cookies. */
export const redirectWithForm = (path: string, ...cookies: readonly string[]): Response => answer(307, path, cookies)

const answer = (status: 303 | 307, path: string, cookies: readonly string[]): Response => {
  const headers = new Headers({ location: path, 'cache-control': 'no-store', 'referrer-policy': 'same-origin' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status, headers })
}
