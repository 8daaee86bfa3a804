import { sessionLifetimeSeconds } from '../accounts/sessions/store.ts'
import type { SeenUser } from '../accounts/users/user-reads.ts'
import { backUpPath, serverPath, testMailPath } from '../config/addresses.ts'
import { copyable } from '../html/copyable.ts'
import { ago, counted, time } from '../html/format.ts'
import { frame, notice, ownPage } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import type { NodeState } from '../storage/cluster/describe.ts'
import { findToSet } from '../upkeep/server-needs.ts'
import type { RunBy } from '../upkeep/ways-to-run.ts'
import {
  addressRow,
  backupRow,
  type Facts,
  machinesRow,
  mailRow,
  proxyRow,
  type Row,
  spaceRow,
  versionRow,
} from './server-rows.ts'
import { todoCard } from './server-todo.ts'

interface Shown {
  readonly email: string
  readonly facts: Facts
  /** As the browser came. */
  readonly address: string
  readonly users: { readonly count: number; readonly first: readonly SeenUser[]; readonly ownId: string }
  /** Null on a standalone machine. */
  readonly machines: readonly NodeState[] | string | null
  /** Whether jobs run that can make a backup. */
  readonly canBackUp: boolean
  readonly said?: { readonly kind: 'done' | 'failed'; readonly text: string | Html } | undefined
}

/** The page `/server`. */
export const serverPage = ({ email, facts, address, users, machines, canBackUp, said }: Shown): Response => {
  const { config, way, asked, sinceStart, version } = facts
  const isHidden = config.trustedProxies.isEmpty && asked.isForwarded
  const toSet = findToSet(config, sinceStart.senders(), isHidden)
  const run = `?run=${way.name}`
  const test = html`<form method="post" action="${testMailPath()}${run}#notice"><button>Send a test to me</button></form>`
  const backUp =
    canBackUp && html`<form method="post" action="${backUpPath()}${run}#notice"><button>Back up now</button></form>`
  const rows = [
    addressRow(facts),
    mailRow(facts, test),
    proxyRow(facts),
    backupRow(facts, backUp),
    spaceRow(facts),
    versionRow(facts),
    ...(machines === null ? [] : [machinesRow(machines)]),
  ]
  return frame({
    ...ownPage('Server', serverPath, email),
    body: html`<div class="head"><h1>Server</h1><p class="end muted">Formbox ${version} at ${new URL(address).host}</p></div>
<div class="parts">${said && notice(said.kind, said.text)}${todoCard({ toSet, way, address, proxy: isHidden ? asked.socket : sinceStart.senders().only })}
<ul class="things card">
${rows.map(rowItem)}</ul>
${usersPart(users, way, facts)}</div>`,
  })
}

const chipOf = { ok: '', wait: '', off: '', look: ' is-warn', bad: ' is-bad' } as const

const rowItem = ({ is, name, chip, says, fold, picture, does }: Row): Html => html`<li class="is-${is}">
<div class="what"><p><strong>${name}</strong>${chip && html` <span class="chip${chipOf[is]}">${chip}</span>`}</p>
<p class="muted">${says}</p>
${picture}${fold && html`<details class="fold"><summary>${fold[0]}</summary><div class="within">${fold[1]}</div></details>`}</div>
${does && html`<div class="does">${does}</div>`}
</li>
`

const usersPart = ({ count, first, ownId }: Shown['users'], way: RunBy, facts: Facts): Html => {
  const { dataFolder } = facts.config
  const command = (id: string, words: string) => copyable(id, way.command(words, dataFolder), 'Copy')
  return html`<section class="parts" aria-labelledby="users">
<div class="between"><h2 id="users">Users</h2><p class="muted">${count === 1 ? 'Only you' : `${counted(count, 'account')}`}</p></div>
<ul class="things card">
${first.map((user) => userItem(user, user.id === ownId, facts.now))}</ul>
${count > first.length && html`<p class="muted">These are the first ${first.length}. <code>${way.command('user list', dataFolder)}</code> lists all.</p>`}
<details class="fold"><summary>Add, disable or delete someone</summary><div class="within"><p>People come in by an invitation to a form, or by a command on the server:</p>
${command('user-create', 'user create someone@example.com')}
${command('user-disable', 'user disable someone@example.com')}
${command('user-operator', 'user operator someone@example.com')}</div></details>
</section>`
}

const userItem = (user: SeenUser, isOwn: boolean, now: number): Html => html`<li class="is-none">
<div class="what"><p><strong><bdi>${user.email}</bdi></strong>${chipsOf(user).map((chip) => html` <span class="chip">${chip}</span>`)}</p>
<p class="muted">${isOwn && 'You. '}${formsOf(user)} · ${wayIn(user)} · ${seen(user, isOwn, now)}</p></div>
</li>
`

const chipsOf = ({ isOperator, isProved, disabledAt }: SeenUser): string[] => [
  ...(isOperator ? ['Operator'] : []),
  ...(isProved ? [] : ['Address not proved']),
  ...(disabledAt === null ? [] : ['Disabled']),
]

const formsOf = ({ formCount, sharedCount }: SeenUser): string => {
  const own = formCount === 0 ? '' : counted(formCount, 'form')
  if (sharedCount === 0) return own || 'No form'
  return own ? `${own}, and ${sharedCount} shared` : `${counted(sharedCount, 'form')} shared`
}

const wayIn = ({ hasPassword, hasSecondFactor, isConnected }: SeenUser): string => {
  const ways = [...(hasPassword ? ['password'] : []), ...(isConnected || !hasPassword ? ['single sign-on'] : [])]
  return `${ways.join(' or ')}${hasSecondFactor ? ' and two steps' : ''}`
}

/** A session that has ended is forgotten after a month. */
const seen = ({ sessionEndsAt }: SeenUser, isOwn: boolean, now: number): Html | string => {
  if (isOwn) return 'now'
  if (sessionEndsAt === null) return 'not signed in'
  const at = sessionEndsAt - sessionLifetimeSeconds * 1000
  return html`last here ${ago(at, now, 24, time(at)) || time(at)}`
}
