import type { KeyStore } from '../accounts/keys/store.ts'
import type { AddressStore } from '../accounts/members/address-store.ts'
import type { MemberStore } from '../accounts/members/store.ts'
import type { PendingSignIns } from '../accounts/sessions/pending-sign-ins.ts'
import type { SessionStore } from '../accounts/sessions/store.ts'
import type { SheetStore } from '../accounts/sheets/store.ts'
import type { CheckCredentials } from '../accounts/users/check-credentials.ts'
import type { FailedAttempts } from '../accounts/users/failed-attempts.ts'
import type { IdentityStore } from '../accounts/users/identities.ts'
import type { CheckCode, SecondFactorStore } from '../accounts/users/second-factor.ts'
import type { SetupToken } from '../accounts/users/setup-token.ts'
import type { UserStore } from '../accounts/users/store.ts'
import type { UserReads } from '../accounts/users/user-reads.ts'
import type { Config } from '../config/config.ts'
import type { FormAccess, FormTo } from '../forms/access.ts'
import type { ReadFieldNames } from '../forms/field-names.ts'
import type { Form } from '../forms/form.ts'
import type { FindTitles } from '../forms/form-titles.ts'
import type { FormLists } from '../forms/lists/store.ts'
import type { FormLimits } from '../forms/settings/form-limits.ts'
import type { RecentOrigins } from '../forms/settings/origins.ts'
import type { ReadSilence } from '../forms/silence-reads.ts'
import type { FormStore } from '../forms/store.ts'
import type { ListTrail } from '../forms/trail.ts'
import type { WebhookStore } from '../forms/webhooks/store.ts'
import type { Reporter } from '../http/error-response.ts'
import type { EventStreams } from '../http/event-streams.ts'
import type { Exchange } from '../http/exchange.ts'
import type { TestAddresses } from '../sending/mail/address-test.ts'
import type { aboutReader } from '../submissions/about-submission.ts'
import type { activityReader } from '../submissions/activity.ts'
import type { AnswersStore } from '../submissions/answers/store.ts'
import type { ConfirmReads } from '../submissions/confirm/confirm-reads.ts'
import type { DeliveryStore } from '../submissions/deliveries/store.ts'
import type { FileReads } from '../submissions/files/file-reads.ts'
import type { FileStore } from '../submissions/files/store.ts'
import type { HandlingReads } from '../submissions/handling.ts'
import type { InboxStore } from '../submissions/inbox/inbox.ts'
import type { MailPreviews } from '../submissions/replies/mail-previews.ts'
import type { SubmissionSearch } from '../submissions/search/search.ts'
import type { spamReasonReads } from '../submissions/spam/reason-reads.ts'
import type { stateReader } from '../submissions/states.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { UnreadReads } from '../submissions/unread.ts'
import type { ExportStore } from '../transfer/export/store.ts'
import type { ImportStore } from '../transfer/import/store.ts'
import type { PeopleStore } from '../transfer/people/store.ts'
import type { BackUpNow } from '../upkeep/jobs/make-backups.ts'
import type { SinceStart } from '../upkeep/since-start.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import type { PageAccess } from './page-access.ts'

/** What the pages stand on, as the server opens it. */
export interface SiteOptions {
  readonly config: Config
  readonly access: FormAccess
  readonly formLimits: FormLimits
  readonly formLists: FormLists
  readonly findTitles: FindTitles
  readonly readFieldNames: ReadFieldNames
  readonly readSilence: ReadSilence
  readonly listTrail: ListTrail
  readonly describe: (find: () => FormTo<'configure'>) => Promise<string>
  readonly userReads: UserReads
  readonly users: UserStore
  readonly addresses: AddressStore
  readonly forms: FormStore
  readonly findForm: (id: string) => Form | undefined
  readonly submissions: SubmissionStore
  readonly unreadReads: UnreadReads
  readonly handlingReads: HandlingReads
  readonly confirmReads: ConfirmReads
  readonly aboutSubmission: ReturnType<typeof aboutReader>
  readonly ofState: ReturnType<typeof stateReader>
  readonly countReasons: ReturnType<typeof spamReasonReads>['countReasons']
  readonly countByDay: ReturnType<typeof activityReader>
  readonly searches: SubmissionSearch
  readonly answers: AnswersStore
  readonly inbox: InboxStore
  readonly fileReads: FileReads
  readonly files: FileStore
  readonly exports: ExportStore
  readonly imports: ImportStore
  readonly webhooks: WebhookStore
  readonly deliveries: DeliveryStore
  readonly mailPreviews: MailPreviews
  readonly testAddresses: TestAddresses
  readonly people: PeopleStore
  readonly members: MemberStore
  readonly identities: IdentityStore
  readonly secondFactors: SecondFactorStore
  readonly sessions: SessionStore
  readonly keys: KeyStore
  readonly sheets: SheetStore
  readonly setupToken: SetupToken
  readonly signingKey: () => Promise<Uint8Array>
  readonly refusedOrigins: RecentOrigins
  readonly ignoredNext: RecentOrigins
  readonly lostMessages: RecentOrigins
  readonly streams: EventStreams
  readonly sinceStart: SinceStart
  readonly backUpNow: BackUpNow | undefined
  /** Counts a test mail of this user. Returns the seconds to wait after too many. */
  readonly countTest: (userId: string) => number | null
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
