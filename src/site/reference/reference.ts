import { Elysia } from 'elysia'
import { sha256 } from '../../hash.ts'
import { assetPaths } from '../../html/assets.ts'
import { pageHeaders } from '../../html/frame.ts'
import { html } from '../../html/html.ts'
import { isUnchanged } from '../../http/headers.ts'
import { filePaths, referenceFiles } from './files.ts'

/** `GET /docs`: Swagger UI on the description of the API, from files of this executable alone. */
export const reference = () =>
  new Elysia({ name: 'reference' }).use(referenceFiles()).get('/docs', ({ request }) => {
    if (isUnchanged(request.headers.get('if-none-match'), headers.etag))
      return new Response(null, { status: 304, headers })
    return new Response(body, { headers })
  })

// Not the frame of the other pages: its style sheet would dress the buttons and tables of Swagger UI too.
const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Formbox</title>
<link rel="icon" href="${assetPaths.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${filePaths.libraryStyle}">
<link rel="stylesheet" href="${filePaths.ownStyle}">
<script src="${filePaths.libraryScript}" defer></script>
<script src="${filePaths.ownScript}" type="module"></script>
</head>
<body>
<header class="top">
<a class="brand" href="/"><img src="${assetPaths.icon}" alt="" width="24" height="24">Formbox</a>
<nav aria-label="Formbox"><a href="/settings/keys">API keys</a>
<a href="/api/v1/openapi.json">OpenAPI document</a></nav>
</header>
<div id="reference"><p class="notice" role="status">Loading the description of the API…</p></div>
<noscript><p class="notice">This page needs JavaScript. What it shows is in the OpenAPI document, above.</p></noscript>
</body>
</html>
`.markup

const body = new Blob([page])

const headers = {
  ...pageHeaders,
  // It is the same for everybody, and names its files by what is in them.
  'cache-control': 'no-cache',
  etag: `"${sha256(page, 'hex').slice(0, 12)}"`,
  'content-length': String(body.size),
  // The policy of the other pages, and `connect-src` for the description and for trying operations out. Swagger UI
  // sets its styles through the DOM, which `style-src 'self'` allows: 'unsafe-inline' is not needed. It has no form
  // that is sent.
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
}
