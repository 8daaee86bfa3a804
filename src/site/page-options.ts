import type { PendingSignIns } from '../accounts/sessions/pending-sign-ins.ts'
import type { CheckCredentials } from '../accounts/users/check-credentials.ts'
import type { FailedAttempts } from '../accounts/users/failed-attempts.ts'
import type { CheckCode } from '../accounts/users/second-factor.ts'
import type { SetupToken } from '../accounts/users/setup-token.ts'
import type { Config } from '../config/config.ts'
import type { RecentOrigins } from '../forms/settings/origins.ts'
import type { Reporter } from '../http/error-response.ts'
import type { EventStreams } from '../http/event-streams.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Stores } from '../stores/stores.ts'
import type { BackUpNow } from '../upkeep/jobs/make-backups.ts'
import type { SinceStart } from '../upkeep/since-start.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import type { PageAccess } from './page-access.ts'

/** What the pages stand on, as the server opens it. */
export interface SiteOptions extends Stores {
  readonly config: Config
  readonly setupToken: SetupToken
  readonly signingKey: () => Promise<Uint8Array>
  readonly refusedOrigins: RecentOrigins
  readonly ignoredNext: RecentOrigins
  readonly lostMessages: RecentOrigins
  readonly streams: EventStreams
  readonly sinceStart: SinceStart
  readonly backUpNow: BackUpNow | undefined
  readonly now: () => number
  /** Called with errors that no response shows: in the middle of a long one, or in a write beside it. */
  readonly report: Reporter
}

/** What each page takes what it needs of. */
export interface PageOptions extends Omit<SiteOptions, 'sessions'> {
  readonly pages: PageAccess
  readonly sessions: BrowserSessions
  readonly failedAttempts: FailedAttempts
  readonly check: CheckCredentials
  readonly checkCode: CheckCode
  readonly pendingSignIns: PendingSignIns
  /** The key under which the failed attempts of a client are counted. */
  readonly clientOf: (exchange: Exchange) => string
  /** The address that browsers use for this server, such as `https://forms.example.com`. */
  readonly addressOf: (request: Request) => string
}
