import type { ListedSession, Session } from '../accounts/sessions/store.ts'
import { creationTime } from '../base/id.ts'
import { endSessionPath, signOutEverywherePath, signOutOthersPath } from '../config/addresses.ts'
import { ago, time } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'

export interface ShownSessions {
  /** The session of the browser that shows the page. */
  readonly session: Session
  /** Browsers in which the user is signed in, including this one, those used last first. */
  readonly sessions: readonly ListedSession[]
  /** How many there are. */
  readonly sessionCount: number
  readonly now: number
}

/** The section of the account's page that lists where the user is signed in, and signs out there. */
export const sessionsSection = ({
  session,
  sessions,
  sessionCount,
  now,
}: ShownSessions): Html => html`<section class="card" aria-labelledby="sessions-heading">
<div class="between"><h2 id="sessions-heading">Where you are signed in</h2>
${
  sessionCount > 1 &&
  html`<form method="post" action="${signOutOthersPath()}">
<button>Sign out ${sessionCount === 2 ? 'the other browser' : `${sessionCount - 1} other browsers`}</button>
</form>`
}</div>
<p class="lead">${
  sessionCount === 1 ? 'No other browser is signed in.' : `${sessionCount} browsers are signed in, including this one.`
} API keys keep working if you sign out.</p>
<ul class="things">
${sessions.map((listed) => sessionItem(listed, session, now))}
</ul>
${sessionCount > sessions.length && html`<p class="hint">Only those used last are listed. To end the others, sign out everywhere.</p>`}
<form method="post" action="${signOutEverywherePath()}">
<button>Sign out everywhere</button>
</form>
</section>
`

const sessionItem = ({ id, browser, lastUsedAt }: ListedSession, current: Session, now: number): Html => {
  const isCurrent = id === current.id
  const signedInAt = creationTime(id)
  return html`<li class="${isCurrent ? 'is-ok' : 'is-none'}">
<div class="what"><p><strong>${browser}</strong>${isCurrent && html` <span class="chip">This browser</span>`}</p>
<p class="muted">Signed in ${time(signedInAt)}${!isCurrent && html`, last used ${ago(lastUsedAt, now, 48, time(lastUsedAt))}`}</p></div>
${
  !isCurrent &&
  html`<div class="does"><form method="post" action="${endSessionPath(id)}">
<button aria-label="Sign out ${browser}, signed in ${isoMinute(signedInAt)}">Sign out</button>
</form></div>`
}
</li>`
}

const isoMinute = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
