import { Elysia } from 'elysia'
import { sha256 } from '../base/hash.ts'
import { assetPath, robotsPath } from '../config/addresses.ts'
import enhance from './enhance.js' with { type: 'text' }
import formPagesStyle from './form-pages.css' with { type: 'text' }
import icon from './icon.svg' with { type: 'text' }
import lists from './lists.js' with { type: 'text' }
import live from './live.js' with { type: 'text' }
import liveList from './live-list.js' with { type: 'text' }
import shortcuts from './shortcuts.js' with { type: 'text' }
import style from './style.css' with { type: 'text' }
import times from './times.js' with { type: 'text' }

// The path contains a hash of the content, so what a path stands for never changes and browsers need not ask again.
const asset = (name: string, extension: string, type: string, content: string) => {
  const file = `${name}-${sha256(content, 'hex').slice(0, 12)}.${extension}`
  return { file, type, body: new Blob([content]) }
}

const all = {
  style: asset('style', 'css', 'text/css', `${style}\n${formPagesStyle}`),
  script: asset('enhance', 'js', 'text/javascript', [times, enhance, shortcuts, lists, liveList, live].join('\n')),
  icon: asset('icon', 'svg', 'image/svg+xml', icon),
}

export const stylePath = (): string => assetPath(all.style.file)
export const scriptPath = (): string => assetPath(all.script.file)
export const iconPath = (): string => assetPath(all.icon.file)

const robots = new Blob(['User-agent: *\nDisallow: /\n'])

/** The files that pages refer to, and `/robots.txt`. */
export const assets = () => {
  const app = new Elysia({ name: 'assets' })
  for (const { file: name, type, body } of Object.values(all))
    app.get(assetPath.route.replace(':file', name), () => file(body, type, 'public, max-age=31536000, immutable'))
  return app.get(robotsPath.route, () => file(robots, 'text/plain', 'public, max-age=86400'))
}

const file = (body: Blob, type: string, caching: string): Response =>
  new Response(body, {
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': caching,
      'cross-origin-resource-policy': 'same-origin',
      // Bun sets it too, but only after the log has read it.
      'content-length': String(body.size),
    },
  })
