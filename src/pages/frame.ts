import { type Html, html } from './html.ts'
import { style, styleHash } from './style.ts'

interface Page {
  readonly status?: number
  readonly title: string
  readonly body: Html
}

/** What every page shares: the frame, the style and the headers that keep other sites and scripts out. */
export const frame = ({ status = 200, title, body }: Page): Response => {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${style}
</head>
<body>
<main>${body}</main>
</body>
</html>
`
  return new Response(page.markup, { status, headers: securityHeaders })
}

const securityHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}
