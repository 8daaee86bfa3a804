import type { SeenUser } from '../accounts/users/seen-users.ts'
import { copyable } from '../html/copyable.ts'
import { ago, counted, time } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { RunBy } from '../upkeep/ways-to-run.ts'
import type { Facts } from './server-rows.ts'

export interface ListedUsers {
  readonly count: number
  readonly first: readonly SeenUser[]
  /** The one who looks. */
  readonly ownId: string
}

/** The users of the server, with the commands that change them. */
export const usersPart = ({ count, first, ownId }: ListedUsers, way: RunBy, facts: Facts): Html => {
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
const seen = ({ lastSeenAt: at }: SeenUser, isOwn: boolean, now: number): Html | string => {
  if (isOwn) return 'now'
  if (at === null) return 'not signed in'
  return html`last here ${ago(at, now, 24, time(at)) || time(at)}`
}
