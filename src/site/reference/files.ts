import { promisify } from 'node:util'
import type { ZlibOptions } from 'node:zlib'
import { Elysia } from 'elysia'
import libraryStyle from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import libraryScript from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { acceptsGzip, isUnchanged } from '../../http/headers.ts'
import { hashOf } from './hash-of.ts' with { type: 'macro' }
import ownStyle from './reference-page.css' with { type: 'file' }
import ownScript from './reference-page.js' with { type: 'file' }

const bundled = (name: string, extension: 'js' | 'css', file: string, hash: string) => ({
  path: `/docs/${name}-${hash}.${extension}`,
  file,
  hash,
  type: extension === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
})

// What is under a path never changes, for the path holds a hash of it.
const all = {
  libraryScript: bundled('swagger-ui', 'js', libraryScript, hashOf('swagger-ui-dist/swagger-ui-bundle.js')),
  libraryStyle: bundled('swagger-ui', 'css', libraryStyle, hashOf('swagger-ui-dist/swagger-ui.css')),
  ownScript: bundled('reference', 'js', ownScript, hashOf('./reference-page.js')),
  ownStyle: bundled('reference', 'css', ownStyle, hashOf('./reference-page.css')),
}

export const filePaths = {
  libraryScript: all.libraryScript.path,
  libraryStyle: all.libraryStyle.path,
  ownScript: all.ownScript.path,
  ownStyle: all.ownStyle.path,
}

const compress = async (bytes: ArrayBuffer): Promise<Buffer<ArrayBuffer>> => {
  // Loaded here, because it takes 3 ms, and the start would wait for it.
  const { gzip } = await import('node:zlib')
  return promisify<ArrayBuffer, ZlibOptions, Buffer<ArrayBuffer>>(gzip)(bytes, { level: 9 })
}

/**
 * The scripts and styles of the page at `/docs`. They stay in the executable until somebody asks. What was asked for is
 * kept: half a megabyte, compressed in a thread that holds nobody up, and 1.9 MB where somebody does not take gzip. A
 * `Blob` is sent as it is; of bytes Bun makes a copy for each answer, 880 MB for 500 clients that do not read theirs.
 */
export const referenceFiles = () => {
  const app = new Elysia({ name: 'reference-files' })
  for (const { path, file, hash, type } of Object.values(all)) {
    let plain: Promise<Blob> | undefined
    let small: Promise<Blob> | undefined
    const read = () => Bun.file(file).arrayBuffer()
    const plainBody = () => (plain ??= read().then((bytes) => new Blob([bytes])))
    const smallBody = () =>
      (small ??= read()
        .then(compress)
        .then((bytes) => new Blob([bytes])))
    app.get(path, async ({ request }) => {
      const isSmall = acceptsGzip(request.headers.get('accept-encoding'))
      const etag = `"${hash}${isSmall ? '-gzip' : ''}"`
      const headers = {
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'same-origin',
        etag,
        vary: 'Accept-Encoding',
      }
      if (isUnchanged(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
      const body = await (isSmall ? smallBody() : plainBody())
      return new Response(body, {
        headers: {
          ...headers,
          'content-type': type,
          'content-length': String(body.size),
          ...(isSmall && { 'content-encoding': 'gzip' }),
        },
      })
    })
  }
  return app
}
