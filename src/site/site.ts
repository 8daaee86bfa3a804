import type { Config } from '../config/config.ts'
import type { DeliveryStore } from '../deliveries/store.ts'
import type { ExportStore } from '../export/store.ts'
import type { FileStore } from '../files/store.ts'
import type { RecentOrigins } from '../forms/origins.ts'
import type { FormStore } from '../forms/store.ts'
import { assets } from '../html/assets.ts'
import { addressKey, clientOf } from '../http/client-address.ts'
import type { Reporter } from '../http/error-response.ts'
import type { EventStreams } from '../http/event-streams.ts'
import { type Exchange, routes } from '../http/exchange.ts'
import { ownAddress } from '../http/host.ts'
import type { KeyStore } from '../keys/store.ts'
import type { MemberStore } from '../members/store.ts'
import type { PeopleStore } from '../people/store.ts'
import { openDevices } from '../sessions/devices.ts'
import { openPendingSignIns } from '../sessions/pending-sign-ins.ts'
import type { SessionStore } from '../sessions/store.ts'
import type { SheetStore } from '../sheets/store.ts'
import type { ReplyStore } from '../submissions/reply-store.ts'
import type { SubmissionSearch } from '../submissions/search.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { credentialChecker } from '../users/check-credentials.ts'
import { openFailedAttempts } from '../users/failed-attempts.ts'
import type { IdentityStore } from '../users/identities.ts'
import { codeChecker, type SecondFactorStore } from '../users/second-factor.ts'
import type { SetupToken } from '../users/setup-token.ts'
import type { UserStore } from '../users/store.ts'
import type { WebhookStore } from '../webhooks/store.ts'
import { accountHandlers } from './account.ts'
import { home } from './after-sign-in.ts'
import { blockTermHandlers } from './block-term.ts'
import { openBrowserSessions } from './browser-sessions.ts'
import { deliveriesHandlers } from './deliveries.ts'
import { embedHandlers } from './embed.ts'
import { exportsHandlers } from './exports.ts'
import { formListHandlers } from './form-list.ts'
import { formSettingsHandlers } from './form-settings.ts'
import { invitationHandlers } from './invitation.ts'
import { keysHandlers } from './keys.ts'
import { linkedFileHandlers } from './linked-file.ts'
import { liveHandlers } from './live.ts'
import { membersHandlers } from './members.ts'
import { newFormHandlers } from './new-form.ts'
import { oidcHandlers } from './oidc.ts'
import { pageAccess } from './page-access.ts'
import { peopleHandlers } from './people.ts'
import { secondFactorHandlers } from './second-factor.ts'
import { fileHandlers } from './sent-files.ts'
import { setupHandlers } from './setup.ts'
import { sheetFileHandlers } from './sheet-file.ts'
import { sheetsHandlers } from './sheets.ts'
import { signInHandlers, signInPages } from './sign-in.ts'
import { spamHandlers } from './spam.ts'
import { submissionHandlers } from './submission.ts'
import { submissionsHandlers } from './submissions.ts'
import { submissionsActions } from './submissions-actions.ts'
import { unsubscribeHandlers } from './unsubscribe.ts'
import { webhooksHandlers } from './webhooks.ts'

interface Options {
  readonly config: Pick<Config, 'publicUrl' | 'trustedProxies' | 'oidc' | 'webhookAllowed'>
  readonly users: UserStore
  readonly forms: FormStore
  readonly submissions: SubmissionStore
  readonly searches: SubmissionSearch
  readonly files: FileStore
  readonly exports: ExportStore
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
  readonly streams: EventStreams
  readonly now: () => number
  /** Called with errors that no answer shows: in the middle of a long one, or in a write beside it. */
  readonly report: Reporter
}

/** The pages. Each is one file beside this one, and takes of the options what it needs. */
export const site = (options: Options) => {
  const { users, secondFactors, now, report, config } = options
  const { publicUrl, trustedProxies } = config
  const isSecure = publicUrl?.startsWith('https:') ?? false
  const sessions = openBrowserSessions({ sessions: options.sessions, devices: openDevices({ users, now }), isSecure })
  const signInPage = signInPages(config.oidc)
  const { visitorPage, visitorAction, linkAction, userPage, userAction } = pageAccess({
    sessions,
    signInPage,
    publicUrl,
    report,
  })
  const failedAttempts = openFailedAttempts(now)
  const shared = {
    ...options,
    sessions,
    signInPage,
    failedAttempts,
    check: credentialChecker({ users, failedAttempts }),
    checkCode: codeChecker({ secondFactors, failedAttempts, now }),
    pendingSignIns: openPendingSignIns({ users, now }),
    clientOf: (exchange: Exchange): string => addressKey(clientOf(exchange, trustedProxies)),
    addressOf: (request: Request): string => ownAddress(request, publicUrl),
  }
  const setup = setupHandlers(shared)
  const signIn = signInHandlers({
    ...shared,
    // Where the provider alone signs in, a password works for an hour after the operator has set it: the way back in.
    ...(config.oidc?.isOnly && {
      check: credentialChecker({ users, failedAttempts, mayUsePassword: ({ passwordUntil }) => passwordUntil > now() }),
    }),
  })
  const invitation = invitationHandlers(shared)
  const unsubscribe = unsubscribeHandlers(shared)
  const linkedFile = linkedFileHandlers(shared)
  const account = accountHandlers(shared)
  const oidc = oidcHandlers({
    ...shared,
    // A count of its own: a provider whose answers are wrong must keep nobody from the password.
    failedAttempts: openFailedAttempts(now),
  })
  const secondFactor = secondFactorHandlers(shared)
  const keys = keysHandlers(shared)
  const formList = formListHandlers(shared)
  const newForm = newFormHandlers(shared)
  const submissions = submissionsHandlers(shared)
  const selected = submissionsActions(shared)
  const exports = exportsHandlers(shared)
  const live = liveHandlers(shared)
  const spam = spamHandlers(shared)
  const blockTerm = blockTermHandlers(shared)
  const submission = submissionHandlers(shared)
  const files = fileHandlers(shared)
  const embed = embedHandlers(shared)
  const webhooks = webhooksHandlers(shared)
  const settings = formSettingsHandlers({ ...shared, webhookSection: webhooks.section })
  const deliveries = deliveriesHandlers(shared)
  const people = peopleHandlers(shared)
  const sheets = sheetsHandlers(shared)
  const members = membersHandlers(shared)
  const sheetFile = sheetFileHandlers(shared)

  return routes('site')
    .use(assets())
    .get('/setup', visitorPage(setup.show))
    .post('/setup', visitorAction(setup.createUser), unread)
    .get('/sign-in', visitorPage(signIn.show))
    .post('/sign-in', visitorAction(signIn.signIn), unread)
    .post('/sign-in/go-on', visitorAction(signIn.goOn), unread)
    .get('/sign-in/oidc', visitorPage(oidc.show))
    .get('/sign-in/code', visitorPage(signIn.startAgain))
    .post('/sign-in/code', visitorAction(signIn.sendCode), unread)
    .get('/invite/:token', visitorPage(invitation.show))
    .post('/invite/:token', visitorAction(invitation.accept), unread)
    .get('/unsubscribe/:token', visitorPage(unsubscribe.show))
    .post('/unsubscribe/:token', linkAction(unsubscribe.stop), unread)
    .post('/unsubscribe/:token/all', linkAction(unsubscribe.stopAll), unread)
    .post('/unsubscribe/:token/allow', linkAction(unsubscribe.allow), unread)
    .get('/sheet/:name', visitorPage(sheetFile.download))
    .get('/files/:fileId', visitorPage(linkedFile.download))
    .post('/sign-out', userAction(home, signIn.signOut), unread)
    .get('/settings/account', userPage(account.show))
    .post('/settings/account/password', userAction('/settings/account', account.changePassword), unread)
    .post('/settings/account/sign-out-others', userAction('/settings/account', account.signOutOthers), unread)
    .post('/settings/account/sign-out-everywhere', userAction('/settings/account', account.signOutEverywhere), unread)
    .post('/settings/account/sessions/:sessionId/end', userAction('/settings/account', account.endSession), unread)
    .post('/settings/account/oidc', userAction('/settings/account', oidc.connect), unread)
    .post('/settings/account/oidc/disconnect', userAction('/settings/account', oidc.disconnect), unread)
    .get('/settings/account/second-factor', userPage(secondFactor.show))
    .post('/settings/account/second-factor', userAction('/settings/account/second-factor', secondFactor.turnOn), unread)
    .post(
      '/settings/account/second-factor/recovery-codes',
      userAction('/settings/account/second-factor', secondFactor.replaceRecoveryCodes),
      unread,
    )
    .post(
      '/settings/account/second-factor/off',
      userAction('/settings/account/second-factor', secondFactor.turnOff),
      unread,
    )
    .get('/settings/keys', userPage(keys.show))
    .post('/settings/keys', userAction('/settings/keys', keys.create, keys.showUnsaved), unread)
    .get('/settings/keys/:keyId/revoke', userPage(keys.showRevoke))
    .post('/settings/keys/:keyId/revoke', userAction('/settings/keys', keys.revoke), unread)
    .get('/people', userPage(people.show))
    .post('/people', userAction('/people', people.search, people.search), unread)
    .post('/people/export', userAction('/people', people.export, people.search), unread)
    .post('/people/erase', userAction('/people', people.erase, people.search), unread)
    .get('/', userPage(formList.show))
    .get('/events', userPage(live.watchForms))
    .get('/shared', userPage(formList.showShared))
    .get('/shared/events', userPage(live.watchShared))
    .get('/forms/new', userPage(newForm.show))
    .post('/forms/new', userAction('/forms/new', newForm.create, newForm.showUnsaved), unread)
    .get('/forms/:formId', userPage(submissions.show))
    .get('/forms/:formId/export', userPage(exports.download))
    .post('/forms/:formId/columns', userAction('/forms/:formId', submissions.chooseColumns), unread)
    .get('/forms/:formId/events', userPage(live.watch))
    .post(
      '/forms/:formId/submissions/delete',
      userAction('/forms/:formId', selected.delete, selected.askToDelete),
      unread,
    )
    .post(
      '/forms/:formId/submissions/spam',
      userAction('/forms/:formId', selected.markSpam, selected.askToMarkSpam),
      unread,
    )
    .post('/forms/:formId/submissions/read', userAction('/forms/:formId', selected.markRead), unread)
    .post(
      '/forms/:formId/submissions/handling',
      userAction('/forms/:formId', selected.handle, selected.askToHandle),
      unread,
    )
    .post(
      '/forms/:formId/submissions/:submissionId/note',
      userAction('/forms/:formId/submissions/:submissionId', submission.saveNote, submission.showUnsavedNote),
      unread,
    )
    .get('/forms/:formId/spam', userPage(spam.show))
    .get('/forms/:formId/spam/export', userPage(exports.downloadSpam))
    .post('/forms/:formId/spam', userAction('/forms/:formId/spam', spam.act, spam.ask), unread)
    .get('/forms/:formId/spam/:submissionId/block', userPage(blockTerm.show))
    .post(
      '/forms/:formId/spam/:submissionId/block',
      userAction('/forms/:formId/spam', blockTerm.save, blockTerm.showUnsaved),
      unread,
    )
    .get('/forms/:formId/submissions/:submissionId', userPage(submission.show))
    .get('/forms/:formId/submissions/:submissionId/fields/:field', userPage(submission.download))
    .get('/forms/:formId/submissions/:submissionId/files/:fileId', userPage(files.download))
    .get('/forms/:formId/spam/:submissionId/files/:fileId', userPage(files.downloadSpam))
    .get('/forms/:formId/embed', userPage(embed.show))
    .post('/forms/:formId/embed', userAction('/forms/:formId/embed', embed.send, embed.showUnsent), unread)
    .get('/forms/:formId/settings', userPage(settings.show))
    .post(
      '/forms/:formId/settings',
      userAction('/forms/:formId/settings', settings.update, settings.showUnsaved),
      unread,
    )
    .post('/forms/:formId/reply/test', userAction('/forms/:formId/settings', settings.testReply), unread)
    .get('/forms/:formId/webhooks/new', userPage(webhooks.showNew))
    .post(
      '/forms/:formId/webhooks/new',
      userAction('/forms/:formId/settings', webhooks.create, webhooks.showUnsavedNew),
      unread,
    )
    .get('/forms/:formId/webhooks/:webhookId', userPage(webhooks.show))
    .post(
      '/forms/:formId/webhooks/:webhookId',
      userAction('/forms/:formId/settings', webhooks.update, webhooks.showUnsaved),
      unread,
    )
    .post('/forms/:formId/webhooks/:webhookId/test', userAction('/forms/:formId/settings', webhooks.test), unread)
    .post('/forms/:formId/webhooks/:webhookId/switch', userAction('/forms/:formId/settings', webhooks.switch), unread)
    .get('/forms/:formId/webhooks/:webhookId/rotate', userPage(webhooks.showRotate))
    .post('/forms/:formId/webhooks/:webhookId/rotate', userAction('/forms/:formId/settings', webhooks.rotate), unread)
    .get('/forms/:formId/webhooks/:webhookId/delete', userPage(webhooks.showDelete))
    .post('/forms/:formId/webhooks/:webhookId/delete', userAction('/forms/:formId/settings', webhooks.delete), unread)
    .get('/forms/:formId/deliveries', userPage(deliveries.show))
    .post('/forms/:formId/deliveries/retry', userAction('/forms/:formId/settings', deliveries.retryAll), unread)
    .post('/forms/:formId/deliveries/stop', userAction('/forms/:formId/deliveries', deliveries.stop), unread)
    .post(
      '/forms/:formId/deliveries/:deliveryId/retry',
      userAction('/forms/:formId/settings', deliveries.retry),
      unread,
    )
    .get('/forms/:formId/sheets', userPage(sheets.show))
    .post('/forms/:formId/sheets', userAction('/forms/:formId/sheets', sheets.create, sheets.showUnsaved), unread)
    .post('/forms/:formId/sheets/:sheetId/delete', userAction('/forms/:formId/sheets', sheets.delete), unread)
    .get('/forms/:formId/members', userPage(members.show))
    .post('/forms/:formId/members', userAction('/forms/:formId/members', members.add, members.showUnsaved), unread)
    .post('/forms/:formId/members/:memberId', userAction('/forms/:formId/members', members.change), unread)
    .post('/forms/:formId/owner', userAction('/forms/:formId/members', members.handOver), unread)
    .post('/forms/:formId/leave', userAction('/shared', members.leave), unread)
    .post('/forms/:formId/duplicate', userAction('/forms/:formId/settings', settings.duplicate), unread)
    .post('/forms/:formId/delete', userAction('/forms/:formId/settings', settings.delete), unread)
}

/** Elysia leaves the body alone: `readForm` reads it, after the checks that come first. */
const unread = { parse: 'none' } as const
