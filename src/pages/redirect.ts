/** Leads the browser to another page of ours, which it asks for with GET, and may set or remove the session's cookie. */
export const redirect = (path: string, cookie: string | null = null): Response => {
  const headers = new Headers({ location: path, 'cache-control': 'no-store', 'referrer-policy': 'same-origin' })
  if (cookie !== null) headers.set('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}
