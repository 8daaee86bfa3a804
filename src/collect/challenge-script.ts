import script from '../html/challenge.js' with { type: 'text' }

export const challengeScriptPath = '/challenge.js'

const body = new Blob([script])
const etag = `"${new Bun.CryptoHasher('sha256').update(script).digest('hex').slice(0, 16)}"`

/**
 * The script that solves challenges. Pages of other sites load it, and their authors copied its address long ago, so the
 * address stays the same, and browsers ask once a day whether the script is still the same.
 */
export const challengeScript = (request: Request): Response => {
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=86400',
    'cross-origin-resource-policy': 'cross-origin',
    etag,
  }
  if (request.headers.get('if-none-match')?.includes(etag)) return new Response(null, { status: 304, headers })
  return new Response(body, { headers: { ...headers, 'content-length': String(body.size) } })
}
