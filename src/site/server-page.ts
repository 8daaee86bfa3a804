import { guidePath, serverPath } from '../config/addresses.ts'
import { isPrivate } from '../config/networks.ts'
import { codeBox, copyable } from '../html/copyable.ts'
import { frame, notice, ownPage } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { countToSet, findToSet, type ToSet } from '../upkeep/server-needs.ts'
import { type RunBy, ways } from '../upkeep/ways-to-run.ts'
import { type Facts, type Row, serverRows } from './server-rows.ts'
import { type ListedUsers, usersPart } from './server-users.ts'

interface Shown {
  readonly email: string
  readonly facts: Facts
  /** As the browser came. */
  readonly address: string
  readonly users: ListedUsers
  readonly said?: { readonly kind: 'done' | 'failed'; readonly text: string | Html } | undefined
}

/** The page `/server`. */
export const serverPage = ({ email, facts, address, users, said }: Shown): Response => {
  const { config, way, asked, sinceStart, version } = facts
  const isHidden = config.trustedProxies.isEmpty && asked.isForwarded
  const toSet = findToSet(config, sinceStart.senders(), isHidden)
  return frame({
    ...ownPage('Server', serverPath, email),
    body: html`<div class="head"><h1>Server</h1><p class="end muted">Formbox ${version} at ${new URL(address).host}</p></div>
<div class="parts">${said && notice(said.kind, said.text)}${todoCard({ toSet, way, address, proxy: isHidden ? asked.socket : sinceStart.senders().only })}
<ul class="things card">
${serverRows(facts).map(rowItem)}</ul>
${usersPart(users, way, facts)}</div>`,
  })
}

interface ToDo {
  readonly toSet: ToSet
  readonly way: RunBy
  /** Scheme, host and port by which the operator's browser came. */
  readonly address: string
  /** The address that this request came from, if it is that of a proxy. */
  readonly proxy: string | null
}

/** All that is to be set, in one go. */
const todoCard = (options: ToDo): Html | false => {
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
<li><p>Write ${lines.length === 1 ? 'this line' : 'these lines'} to ${way.place}, with your own names.</p>
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
const linesOf = ({ toSet, way, address, proxy }: ToDo): [name: string, value: string][] => {
  const { host, hostname } = new URL(address)
  const lines: Readonly<Record<keyof ToSet, [name: string, value: string][]>> = {
    address: [['FORMBOX_URL', `https://${isPrivate(hostname) ? 'forms.example.com' : host}`]],
    mail: [
      ['FORMBOX_MAIL_URL', 'smtps://USER:PASSWORD@smtp.provider.example'],
      ['FORMBOX_MAIL_FROM', 'Formbox <forms@example.com>'],
    ],
    proxy: [['FORMBOX_TRUST_PROXY', proxy ?? way.proxy]],
    backups: [['FORMBOX_BACKUP_EVERY', '24h']],
  }
  return Object.entries(lines).flatMap(([name, its]) => (toSet[name as keyof ToSet] ? its : []))
}

const chipOf = { ok: '', wait: '', off: '', look: ' is-warn', bad: ' is-bad' } as const

const rowItem = ({ is, name, chip, says, fold, picture, does }: Row): Html => html`<li class="is-${is}">
<div class="what"><p><strong>${name}</strong>${chip && html` <span class="chip${chipOf[is]}">${chip}</span>`}</p>
<p class="muted">${says}</p>
${picture}${fold && html`<details class="fold"><summary>${fold[0]}</summary><div class="within">${fold[1]}</div></details>`}</div>
${does && html`<div class="does">${does}</div>`}
</li>
`
