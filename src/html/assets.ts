import { Elysia } from 'elysia'
import { sha256 } from '../base/hash.ts'
import { assetPath, robotsPath } from '../config/addresses.ts'
import base from './base.css' with { type: 'text' }
import colors from './colors.css' with { type: 'text' }
import desk from './desk.css' with { type: 'text' }
import deskNarrow from './desk-narrow.css' with { type: 'text' }
import deskSetup from './desk-setup.css' with { type: 'text' }
import enhance from './enhance.js' with { type: 'text' }
import formTab from './form-tab.js' with { type: 'text' }
import frame from './frame.css' with { type: 'text' }
import icon from './icon.svg' with { type: 'text' }
import lists from './lists.js' with { type: 'text' }
import live from './live.js' with { type: 'text' }
import liveList from './live-list.js' with { type: 'text' }
import shortcuts from './shortcuts.js' with { type: 'text' }
import times from './times.js' with { type: 'text' }
import visitors from './visitors.css' with { type: 'text' }

// The path contains a hash of the content, so what a path stands for never changes and browsers need not ask again.
const asset = (name: string, extension: string, type: string, content: string) => {
  const file = `${name}-${sha256(content, 'hex').slice(0, 12)}.${extension}`
  return { file, type, body: new Blob([content]) }
}

const iconAsset = asset('icon', 'svg', 'image/svg+xml', icon)

/** The grounds of the bar above each page, by the scheme. */
export const themeColors = { light: '#ffffff', dark: '#1b1f1e' } as const

/** With it, a phone keeps Formbox on its first screen as an application. There is no service worker: pages are never old. */
const manifest = {
  name: 'Formbox',
  // Seen from the file itself, so it holds below any path.
  start_url: '../',
  scope: '../',
  display: 'standalone',
  background_color: '#f5f6f5',
  theme_color: themeColors.light,
  icons: [{ src: iconAsset.file, sizes: 'any', type: 'image/svg+xml' }],
}

const all = {
  desk: asset('desk', 'css', 'text/css', [colors, base, frame, desk, deskSetup, deskNarrow].join('\n')),
  colors: asset('colors', 'css', 'text/css', colors),
  visitors: asset('visitors', 'css', 'text/css', [colors, base, visitors].join('\n')),
  script: asset(
    'enhance',
    'js',
    'text/javascript',
    [times, enhance, shortcuts, lists, liveList, live, formTab].join('\n'),
  ),
  icon: iconAsset,
  manifest: asset('formbox', 'webmanifest', 'application/manifest+json', JSON.stringify(manifest)),
}

export const deskPath = (): string => assetPath(all.desk.file)
export const colorsPath = (): string => assetPath(all.colors.file)
export const visitorsStylePath = (): string => assetPath(all.visitors.file)
export const scriptPath = (): string => assetPath(all.script.file)
export const iconPath = (): string => assetPath(all.icon.file)
export const manifestPath = (): string => assetPath(all.manifest.file)

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
