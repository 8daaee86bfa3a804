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
<h2 id="sessions-heading">Where you are signed in</h2>
<p class="lead">${
  sessionCount === 1 ? 'No other browser is signed in.' : `${sessionCount} browsers are signed in, including this one.`
} API keys keep working if you sign out.</p>
<ul class="plain">
${sessions.map((listed) => sessionItem(listed, session, now))}
</ul>
${sessionCount > sessions.length && html`<p class="hint">Only those used last are listed. To end the others, sign out everywhere.</p>`}
<div class="actions">
${
  sessionCount > 1 &&
  html`<form method="post" action="${signOutOthersPath()}">
<button>Sign out ${sessionCount === 2 ? 'the other browser' : `${sessionCount - 1} other browsers`}</button>
</form>`
}
<form method="post" action="${signOutEverywherePath()}">
<button>Sign out everywhere</button>
</form>
</div>
</section>
`

const sessionItem = ({ id, browser, lastUsedAt }: ListedSession, current: Session, now: number): Html => {
  const isCurrent = id === current.id
  const signedInAt = creationTime(id)
  return html`<li>
<p><strong>${browser}</strong>${isCurrent && html` <span class="state active">This browser</span>`}<br>
<span class="hint">Signed in ${time(signedInAt)}${!isCurrent && html`, last used ${ago(lastUsedAt, now, 48, time(lastUsedAt))}`}</span></p>
${
  !isCurrent &&
  html`<form method="post" action="${endSessionPath(id)}">
<button aria-label="Sign out ${browser}, signed in ${isoMinute(signedInAt)}">Sign out</button>
</form>`
}
</li>`
}

const isoMinute = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
