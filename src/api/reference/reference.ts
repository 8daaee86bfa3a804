import { Elysia } from 'elysia'
import libraryStyle from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import libraryScript from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { sha256 } from '../../base/hash.ts'
import { formsPath, homePath, keysPath, openApiPath, referenceFilePath, referencePath } from '../../config/addresses.ts'
import { colorsPath, iconPath } from '../../html/assets.ts'
import { pageHeaders } from '../../html/frame.ts'
import { html } from '../../html/html.ts'
import { isUnchanged } from '../../http/headers.ts'
import { sameForAll } from '../../http/same-for-all.ts'
import { hashOf } from './hash-of.ts' with { type: 'macro' }
import ownStyle from './reference-page.css' with { type: 'file' }
import ownScript from './reference-page.js' with { type: 'file' }

/** `GET /docs`: Swagger UI on the description of the API, from files of this executable alone. */
export const reference = () => {
  const text = page()
  const body = new Blob([text])
  const headers = {
    ...pageOwnHeaders,
    etag: `"${sha256(text, 'hex').slice(0, 12)}"`,
    'content-length': String(body.size),
  }
  return new Elysia({ name: 'reference' }).use(referenceFiles()).get(referencePath.route, ({ request }) => {
    if (isUnchanged(request.headers.get('if-none-match'), headers.etag))
      return new Response(null, { status: 304, headers })
    return new Response(body, { headers })
  })
}

const bundled = (name: string, extension: 'js' | 'css', file: string, hash: string) => ({
  name: `${name}-${hash}.${extension}`,
  file,
  hash,
  type: extension === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
})

// A path always stands for the same content, for it holds a hash of it.
const files = {
  libraryScript: bundled('swagger-ui', 'js', libraryScript, hashOf('swagger-ui-dist/swagger-ui-bundle.js')),
  libraryStyle: bundled('swagger-ui', 'css', libraryStyle, hashOf('swagger-ui-dist/swagger-ui.css')),
  ownScript: bundled('reference', 'js', ownScript, hashOf('./reference-page.js')),
  ownStyle: bundled('reference', 'css', ownStyle, hashOf('./reference-page.css')),
}

// Not the frame of the other pages: its style sheet would dress the buttons and tables of Swagger UI too.
const page = (): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Formbox</title>
<link rel="icon" href="${iconPath()}" type="image/svg+xml">
<link rel="stylesheet" href="${referenceFilePath(files.libraryStyle.name)}">
<link rel="stylesheet" href="${colorsPath()}">
<link rel="stylesheet" href="${referenceFilePath(files.ownStyle.name)}">
<script src="${referenceFilePath(files.libraryScript.name)}" defer></script>
<script src="${referenceFilePath(files.ownScript.name)}" type="module"></script>
</head>
<body>
<header class="top">
<a class="brand" href="${homePath()}"><img src="${iconPath()}" alt="" width="24" height="24">Formbox</a>
<nav aria-label="Formbox"><a href="${homePath()}">Inbox</a>
<a href="${formsPath()}">Forms</a>
<a href="${keysPath()}">API keys</a>
<a href="${openApiPath()}">OpenAPI document</a></nav>
</header>
<div id="reference"><p class="notice" role="status">Loading the description of the API…</p></div>
<noscript><p class="notice">This page needs JavaScript. What it shows is in the OpenAPI document, above.</p></noscript>
</body>
</html>
`.markup

const pageOwnHeaders = {
  ...pageHeaders,
  // It is the same for everyone, and names its files by what is in them.
  'cache-control': 'no-cache',
  // The policy of the other pages, and `connect-src` for the description and for trying operations out. Swagger UI
  // sets its styles through the DOM, which `style-src 'self'` allows: 'unsafe-inline' is not needed. It has no form
  // that is sent.
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
}

/**
 * The scripts and styles of the page at `/docs`. They stay in the executable until the first request. Then they stay
 * in memory: half a megabyte, and 1.9 MB for clients that do not take gzip.
 */
const referenceFiles = () => {
  const app = new Elysia({ name: 'reference-files' })
  for (const { name, file, hash, type } of Object.values(files)) {
    const answer = sameForAll({
      type,
      hash: () => hash,
      read: async () => new Blob([await Bun.file(file).arrayBuffer()]),
      headers: {
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'same-origin',
      },
    })
    app.get(referenceFilePath.route.replace(':file', name), ({ request }) => answer(request))
  }
  return app
}
