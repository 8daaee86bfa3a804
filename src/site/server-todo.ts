import { guidePath, serverPath } from '../config/addresses.ts'
import { isPrivate } from '../config/networks.ts'
import { codeBox, copyable } from '../html/copyable.ts'
import { type Html, html } from '../html/html.ts'
import { countToSet, type ToSet } from '../upkeep/server-needs.ts'
import { type RunBy, ways } from '../upkeep/ways-to-run.ts'

interface Options {
  readonly toSet: ToSet
  readonly way: RunBy
  /** Scheme, host and port by which the operator's browser came. */
  readonly address: string
  /** The address that this request came from, if it is that of a proxy. */
  readonly proxy: string | null
}

/** All that is to be set, in one go. */
export const todoCard = (options: Options): Html | false => {
  const { toSet, way } = options
  const count = countToSet(toSet)
  if (count === 0) return false
  const lines = linesOf(options)
  const mailLine = lines.findIndex(([name]) => name === 'FORMBOX_MAIL_URL') + 1
  return html`<section class="card" aria-labelledby="todo">
<div class="between"><h2 id="todo">${inWords[count]} to set${count > 1 && ', in one go'}</h2><ul class="segments" aria-label="How this server runs">${ways.map(
    ({ name, title }) =>
      html`<li><a href="${serverPath()}?run=${name}"${name === way.name && html` aria-current="true"`}>${title}</a></li>`,
  )}</ul></div>
<ol class="todo">
<li><p>Write ${lines.length === 1 ? 'this line' : 'these lines'} to <code>${way.place}</code>, with your own names.</p>
${codeBox('env', lines.map(([name, value]) => way.toLine(name, value)).join('\n'), 'Settings to write')}</li>
<li><p>Restart, then come back to this page.</p>
${copyable('restart', way.restart, 'Copy')}</li>
</ol>
<p class="hint">All steps, from an empty server on: <a href="${guidePath('production')}">From zero to production</a></p>
${mailLine > 0 && lines.length > 2 && html`<p class="hint">No mail provider yet? Leave out lines ${mailLine} and ${mailLine + 1}, and add them later.</p>`}
</section>`
}

const inWords = ['', 'One thing', 'Two things', 'Three things', 'Four things']

/** The settings that are missing, with values to begin with. */
const linesOf = ({ toSet, way, address, proxy }: Options): [name: string, value: string][] => {
  const { host, hostname } = new URL(address)
  const lines: [string, string][] = []
  if (toSet.address) lines.push(['FORMBOX_URL', `https://${isPrivate(hostname) ? 'forms.example.com' : host}`])
  if (toSet.mail)
    lines.push(
      ['FORMBOX_MAIL_URL', 'smtps://USER:PASSWORD@smtp.provider.example'],
      ['FORMBOX_MAIL_FROM', 'Formbox <forms@example.com>'],
    )
  if (toSet.proxy) lines.push(['FORMBOX_TRUST_PROXY', proxy ?? way.proxy])
  if (toSet.backups) lines.push(['FORMBOX_BACKUP_EVERY', '24h'])
  return lines
}
