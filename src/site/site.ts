import type { KeyStore } from '../accounts/keys/store.ts'
import type { MemberStore } from '../accounts/members/store.ts'
import { openDevices } from '../accounts/sessions/devices.ts'
import { openPendingSignIns } from '../accounts/sessions/pending-sign-ins.ts'
import type { SessionStore } from '../accounts/sessions/store.ts'
import type { SheetStore } from '../accounts/sheets/store.ts'
import { credentialChecker } from '../accounts/users/check-credentials.ts'
import { openFailedAttempts } from '../accounts/users/failed-attempts.ts'
import type { IdentityStore } from '../accounts/users/identities.ts'
import { codeChecker, type SecondFactorStore } from '../accounts/users/second-factor.ts'
import type { SetupToken } from '../accounts/users/setup-token.ts'
import type { UserStore } from '../accounts/users/store.ts'
import type { UserReads } from '../accounts/users/user-reads.ts'
import type { Config } from '../config/config.ts'
import type { FormAccess, FormTo } from '../forms/access.ts'
import type { ReadFieldNames } from '../forms/field-names.ts'
import type { Form } from '../forms/form.ts'
import type { FindTitles, FormLists } from '../forms/form-lists.ts'
import type { RecentOrigins } from '../forms/settings/origins.ts'
import type { FormLimits } from '../forms/settings/settings.ts'
import type { ReadSilence } from '../forms/silence-reads.ts'
import type { FormStore } from '../forms/store.ts'
import type { titledForms } from '../forms/titled-forms.ts'
import type { ListTrail } from '../forms/trail.ts'
import type { WebhookStore } from '../forms/webhooks/store.ts'
import { assets } from '../html/assets.ts'
import { html } from '../html/html.ts'
import { addressKey, clientOf } from '../http/client-address.ts'
import type { Reporter } from '../http/error-response.ts'
import type { EventStreams } from '../http/event-streams.ts'
import { type Exchange, routes } from '../http/exchange.ts'
import { ownAddress } from '../http/host.ts'
import type { activityReader } from '../submissions/activity.ts'
import type { AnswersStore } from '../submissions/answers/answers.ts'
import type { DeliveryStore } from '../submissions/deliveries/store.ts'
import type { FileReads } from '../submissions/files/file-reads.ts'
import type { FileStore } from '../submissions/files/store.ts'
import type { HandlingReads } from '../submissions/handling.ts'
import type { InboxStore } from '../submissions/inbox/inbox.ts'
import type { ReplyStore } from '../submissions/replies/store.ts'
import type { SubmissionSearch } from '../submissions/search/search.ts'
import type { spamReasonReads } from '../submissions/spam/reasons.ts'
import type { stateReader } from '../submissions/states.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { UnreadReads } from '../submissions/unread.ts'
import type { ExportStore } from '../transfer/export/store.ts'
import type { ImportStore } from '../transfer/import/store.ts'
import type { PeopleStore } from '../transfer/people/store.ts'
import type { BackUpNow } from '../upkeep/jobs/make-backups.ts'
import type { SinceStart } from '../upkeep/since-start.ts'
import { accountRoutes } from './account.ts'
import { answersRoutes } from './answers.ts'
import { blockTermRoutes } from './block-term.ts'
import { openBrowserSessions } from './browser-sessions.ts'
import { deliveriesRoutes } from './deliveries.ts'
import { embedRoutes } from './embed.ts'
import { exportsRoutes } from './exports.ts'
import { formListRoutes } from './form-list.ts'
import { formSettingsRoutes } from './form-settings.ts'
import { formTabRoutes } from './form-tab.ts'
import { importsRoutes } from './imports.ts'
import { inboxRoutes } from './inbox.ts'
import { inboxActionsRoutes } from './inbox-actions.ts'
import { inboxExportRoutes } from './inbox-export.ts'
import { invitationRoutes } from './invitation.ts'
import { navigation } from './jump-menu.ts'
import { keysRoutes } from './keys.ts'
import { learnedSpamRoutes } from './learned-spam.ts'
import { linkedFileRoutes } from './linked-file.ts'
import { liveRoutes } from './live.ts'
import { membersPart } from './members.ts'
import { newFormRoutes } from './new-form.ts'
import { oidcRoutes } from './oidc.ts'
import { pageAccess } from './page-access.ts'
import { personalDataRoutes } from './personal-data.ts'
import { secondFactorRoutes } from './second-factor.ts'
import { sentFilesRoutes } from './sent-files.ts'
import { serverRoutes } from './server.ts'
import { countToSet, findToSet } from './server-todo.ts'
import { dangerRoutes } from './settings-danger.ts'
import { settingsFrames } from './settings-frame.ts'
import { setupRoutes } from './setup.ts'
import { sheetFileRoutes } from './sheet-file.ts'
import { sheetsPart } from './sheets.ts'
import { signInPages, signInRoutes } from './sign-in.ts'
import { spamRoutes } from './spam.ts'
import { submissionRoutes } from './submission.ts'
import { submissionsRoutes } from './submissions.ts'
import { submissionsActionsRoutes } from './submissions-actions.ts'
import { toldRoutes } from './told.ts'
import { shownDeeds, trailSection } from './trail.ts'
import { unsubscribeRoutes } from './unsubscribe.ts'

interface Options {
  readonly config: Config
  readonly access: FormAccess
  readonly formLimits: FormLimits
  readonly formLists: FormLists
  readonly findTitles: FindTitles
  readonly listTitled: ReturnType<typeof titledForms>
  readonly readFieldNames: ReadFieldNames
  readonly readSilence: ReadSilence
  readonly listTrail: ListTrail
  readonly describe: (find: () => FormTo<'configure'>) => Promise<string>
  readonly userReads: UserReads
  readonly users: UserStore
  readonly forms: FormStore
  readonly findForm: (id: string) => Form | undefined
  readonly submissions: SubmissionStore
  readonly unreadReads: UnreadReads
  readonly handlingReads: HandlingReads
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
  readonly replies: ReplyStore
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

/** The pages. Each is one file beside this one, which says its routes and takes of the options what it needs. */
export const site = (options: Options) => {
  const { userReads, secondFactors, now, report, config } = options
  const { publicUrl, trustedProxies } = config
  const sessions = openBrowserSessions({
    sessions: options.sessions,
    devices: openDevices({ users: userReads, now }),
    publicUrl,
  })
  const signInPage = signInPages(config.oidc)
  const failedAttempts = openFailedAttempts(now)
  const shared = {
    ...options,
    pages: pageAccess({
      ...{ sessions, signInPage, publicUrl, report, navigate: navigation(options) },
      countToSet: () => countToSet(findToSet(config, options.sinceStart.senders())),
    }),
    sessions,
    signInPage,
    failedAttempts,
    check: credentialChecker({ users: userReads, failedAttempts }),
    checkCode: codeChecker({ secondFactors, failedAttempts, now }),
    pendingSignIns: openPendingSignIns({ users: userReads, now }),
    clientOf: (exchange: Exchange): string => addressKey(clientOf(exchange, trustedProxies)),
    addressOf: (request: Request): string => ownAddress(request, publicUrl),
  }
  const settingsFrame = settingsFrames(shared)
  const told = toldRoutes({ ...shared, settingsFrame })
  const [members, sheets] = [membersPart(shared), sheetsPart(shared)]
  const settings = formSettingsRoutes({
    ...shared,
    settingsFrame,
    above: ({ name }, visit, form) =>
      name === 'told' ? told.section(visit, form) : name === 'people' && members.section(visit, form),
    below({ name }, visit, form) {
      if (name !== 'people') return false
      const { deeds } = options.listTrail(form, { page: 1, perPage: shownDeeds })
      return html`${sheets.section(visit, form)}${trailSection(form.id, deeds)}`
    },
  })
  const all = [
    setupRoutes(shared),
    invitationRoutes(shared),
    unsubscribeRoutes(shared),
    linkedFileRoutes(shared),
    accountRoutes(shared),
    serverRoutes(shared),
    secondFactorRoutes(shared),
    keysRoutes(shared),
    inboxRoutes(shared),
    inboxActionsRoutes(shared),
    inboxExportRoutes(shared),
    formListRoutes(shared),
    newFormRoutes(shared),
    submissionsRoutes(shared),
    submissionsActionsRoutes(shared),
    answersRoutes(shared),
    exportsRoutes(shared),
    liveRoutes(shared),
    spamRoutes(shared),
    blockTermRoutes(shared),
    learnedSpamRoutes(shared),
    submissionRoutes(shared),
    sentFilesRoutes(shared),
    formTabRoutes(shared),
    embedRoutes(shared),
    deliveriesRoutes({ ...shared, settingsFrame }),
    personalDataRoutes(shared),
    importsRoutes(shared),
    sheetFileRoutes(shared),
    signInRoutes({
      ...shared,
      // Where the provider alone signs in, a password works for an hour after the operator has set it: the way back in.
      ...(config.oidc?.isOnly && {
        check: credentialChecker({
          users: userReads,
          failedAttempts,
          mayUsePassword: ({ passwordUntil }) => passwordUntil > now(),
        }),
      }),
    }),
    // A count of its own: a provider whose responses are wrong must keep no one from the password.
    oidcRoutes({ ...shared, failedAttempts: openFailedAttempts(now) }),
    told.routes,
    dangerRoutes({ ...shared, settingsFrame }),
    settings.routes,
    ...[members, sheets].map((part) => part.routes(settings.showPeople)),
  ].flat()
  const app = routes('site').use(assets())
  for (const { method, path, handle } of all)
    method === 'GET' ? app.get(path, handle as never) : app.post(path, handle as never, unread)
  return app
}

/** Elysia leaves the body alone: `readForm` reads it, after the checks that come first. */
const unread = { parse: 'none' } as const
