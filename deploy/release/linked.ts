import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A library or package inside Bun's own executable, as its documentation names it. */
export interface Linked {
  readonly name: string
  readonly url: string
  /** In its words, which are no SPDX expression. */
  readonly license: string
}

/**
 * Bun's page about its licence and those of all that it links, as the package of its types has it. That package must
 * have Bun's own version.
 */
export const readLinked = (root: string): { readonly text: string; readonly libraries: readonly Linked[] } => {
  const folder = join(root, 'node_modules/bun-types')
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const page = join(folder, 'docs/project/license.mdx')
  if (version !== Bun.version || !existsSync(page))
    throw new Error(`bun-types ${version} has no page about the licences of Bun ${Bun.version}`)
  const text = readFileSync(page, 'utf8').replace(/^---\n.*?\n---\n\n/s, '')
  const rows = [...text.matchAll(/^\| ([^|\n]*\[[^|\n]*\]\([^|\n]*)\| ([^|\n]+)\|$/gm)]
  // The one that it tells of in a paragraph of its own.
  if (rows.length < 40 || !text.includes('statically links JavaScriptCore (and WebKit), which is LGPL-2 licensed'))
    throw new Error(`the page about the licences of Bun ${version} is not built as those before it`)
  const engine = { name: 'JavaScriptCore', url: 'https://github.com/oven-sh/webkit', license: 'LGPL-2' }
  return { text, libraries: [engine, ...rows.map(([, what = '', license = '']) => toLinked(what, license))] }
}

/** A row such as ``| [`sqlite`](https://sqlite.org) (on Linux) | [public domain](https://…) |``. */
const toLinked = (what: string, license: string): Linked => {
  const [, label = '', url = ''] = /\[([^\]]+)\]\(([^)]+)\)/.exec(what) ?? []
  const name = label.startsWith('`') ? label.replaceAll('`', '') : what.replaceAll(link, '$1').trim()
  return { name, url, license: license.replaceAll(link, '$1, $2').trim() }
}
const link = /\[([^\]]+)\]\(([^)]+)\)/g
