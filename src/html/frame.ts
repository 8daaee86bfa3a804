import { assetPaths } from './assets.ts'
import { type Html, html } from './html.ts'

interface Framed {
  readonly status?: number
  readonly title: string
  readonly body: Html
  /** Above the page, for a user who is signed in. */
  readonly header?: Html
  /** `narrow` for a page that says or asks one thing. */
  readonly width?: 'narrow' | 'wide'
  /** Added to `pageHeaders`, or instead of those with the same names. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A page: the frame and style that all pages share, and the headers that keep other sites and scripts out. */
export const frame = ({ status = 200, title, body, header, width = 'narrow', headers = {} }: Framed): Response => {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${assetPaths.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPaths.style}">
<script src="${assetPaths.script}" defer></script>
</head>
<body class="${width}">
${header}
<main id="main">
${body}
</main>
</body>
</html>
`
  // For the request log.
  const length = String(Buffer.byteLength(page.markup))
  return new Response(page.markup, { status, headers: { ...pageHeaders, ...headers, 'content-length': length } })
}

/** The headers of every page. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Not `no-referrer`: with that, browsers send `Origin: null` even to ourselves.
  'referrer-policy': 'same-origin',
}
