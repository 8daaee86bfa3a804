import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The guides as markup, by their names; their list has the empty name. A link to one is `"guide:` and its name, because
 * the path of the server is not known yet.
 */
export interface GuidePages {
  readonly [name: string]: { readonly title: string; readonly markup: string }
}

const root = join(import.meta.dir, '../..')

/**
 * A macro: the bundler writes all guides into the executable, compressed: 100 kB as text. Zstandard, because its output is the
 * same on every kind of processor, as a build that anyone can repeat must be.
 */
export const packGuides = (): string =>
  Bun.zstdCompressSync(JSON.stringify(readGuides()), { level: 19 }).toString('base64')

/** Those that the README lists, with its list as the first page. What is for those who change Formbox is not there. */
const readGuides = (): GuidePages => {
  const [, rest = ''] = read('README.md').split('\n## Guides\n')
  const list = (rest.match(/^\|.*$/gm) ?? []).join('\n')
  const names = new Set([...list.matchAll(/\(docs\/([a-z-]+)\.md/g)].map(([, name = '']) => name))
  const all = [...names].map((name) => [name, toPage(read(`docs/${name}.md`), names)] as const)
  return { '': toPage(`# Guides\n\n${list}\n`, names), ...Object.fromEntries(all) }
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const toPage = (text: string, names: ReadonlySet<string>): GuidePages[string] => ({
  title: /^# (.*)/.exec(text)?.[1]?.replaceAll('`', '') ?? '',
  markup: Bun.markdown
    .html(text, { headings: { ids: true } })
    .replaceAll(/<!--.*?-->|<p><img [^>]*><\/p>/gs, '')
    .replaceAll(/<([ou]l)/g, '<$1 class="how"')
    .replaceAll('<table>', '<div class="scrolls" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll(/<a href="([^"]*)">(.*?)<\/a>/gs, (link, target, words) => toLink(target, words, names) ?? link),
})

/** A link to a file of the source that is no guide leads nowhere from here: its words stay. */
const toLink = (target: string, words: string, names: ReadonlySet<string>): string | undefined => {
  if (/^(?:#|https?:)/.test(target)) return undefined
  const [, name = '', anchor = ''] = /^(?:docs\/)?([a-z-]+)\.md(#.*)?$/.exec(target) ?? []
  return names.has(name) ? `<a href="guide:${name}${anchor}">${words}</a>` : words
}
