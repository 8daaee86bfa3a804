import type { Config } from '../config/config.ts'
import type { DeliveryStore } from '../deliveries/store.ts'
import type { ExportStore } from '../export/store.ts'
import type { RefusedOrigins } from '../forms/origins.ts'
import type { FormStore } from '../forms/store.ts'
import { assets } from '../html/assets.ts'
import { addressKey, clientOf } from '../http/client-address.ts'
import type { Reporter } from '../http/error-response.ts'
import type { EventStreams } from '../http/event-streams.ts'
import { routes } from '../http/exchange.ts'
import { ownAddress } from '../http/host.ts'
import type { KeyStore } from '../keys/store.ts'
import { openDevices } from '../sessions/devices.ts'
import type { SessionStore } from '../sessions/store.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { credentialChecker } from '../users/check-credentials.ts'
import { openFailedAttempts } from '../users/failed-attempts.ts'
import type { SetupToken } from '../users/setup-token.ts'
import type { UserStore } from '../users/store.ts'
import type { WebhookStore } from '../webhooks/store.ts'
import { account } from './account.ts'
import { openBrowserSessions } from './browser-sessions.ts'
import { formDeliveries } from './deliveries.ts'
import { embed, embedPath } from './embed.ts'
import { formExport } from './export.ts'
import { formList } from './form-list.ts'
import { formSettings, settingsPath } from './form-settings.ts'
import { keyPages } from './keys.ts'
import { liveSubmissions } from './live.ts'
import { newForm } from './new-form.ts'
import { pageAccess } from './page-access.ts'
import { revokeKey } from './revoke-key.ts'
import { setup } from './setup.ts'
import { home, signIn } from './sign-in.ts'
import { formSpam, spamPath } from './spam.ts'
import { formSubmission } from './submission.ts'
import { entriesPath, formSubmissions } from './submissions.ts'
import { unsubscribe } from './unsubscribe.ts'
import { formWebhooks } from './webhooks.ts'

interface Options {
  readonly config: Pick<Config, 'publicUrl' | 'trustedProxies'>
  readonly users: UserStore
  readonly forms: FormStore
  readonly submissions: SubmissionStore
  readonly exports: ExportStore
  readonly webhooks: WebhookStore
  readonly deliveries: DeliveryStore
  readonly sessions: SessionStore
  readonly keys: KeyStore
  readonly setupToken: SetupToken
  readonly signingKey: () => Promise<Uint8Array>
  readonly refusedOrigins: RefusedOrigins
  readonly streams: EventStreams
  readonly now: () => number
  /** Told of errors that no answer tells of: in the middle of a long one, or in a write beside it. */
  readonly report: Reporter
}

/** The pages. Each is one file beside this one. */
export const site = ({
  config,
  users,
  forms,
  submissions,
  exports,
  webhooks,
  deliveries,
  sessions: store,
  keys,
  setupToken,
  signingKey,
  refusedOrigins,
  streams,
  now,
  report,
}: Options) => {
  const { publicUrl, trustedProxies } = config
  const isSecure = publicUrl?.startsWith('https:') ?? false
  const sessions = openBrowserSessions({ sessions: store, devices: openDevices({ users, now }), isSecure })
  const check = credentialChecker({ users, failedAttempts: openFailedAttempts(now) })
  const { visitorPage, visitorAction, linkAction, userPage, userAction } = pageAccess({ sessions, publicUrl, report })

  const setupPages = setup({ sessions, users, token: setupToken })
  const signInPages = signIn({
    sessions,
    users,
    check,
    addressOf: (exchange) => addressKey(clientOf(exchange, trustedProxies)),
  })
  const accountPages = account({ sessions, users, check })
  const addressOf = (request: Request): string => ownAddress(request, publicUrl)
  const pagesOfKeys = keyPages({ keys, now, addressOf })
  const revocation = revokeKey(keys)
  const list = formList({ forms, submissions, deliveries, now })
  const creation = newForm(forms)
  const entries = formSubmissions({ forms, submissions, deliveries, refusedOrigins, now, report })
  const entry = formSubmission({ forms, submissions, deliveries, sessions, now, report })
  const quarantine = formSpam({ forms, submissions })
  const files = formExport({ forms, exports, sessions, report })
  const live = liveSubmissions({ forms, submissions, sessions, streams })
  const hooks = formWebhooks({ forms, webhooks, deliveries, now })
  const told = formDeliveries({ forms, deliveries })
  const settings = formSettings({ forms, submissions, refusedOrigins, webhookSection: hooks.section })
  const mailStop = unsubscribe({ forms, signingKey })
  const embedding = embed({ forms, submissions, addressOf })

  return routes('site')
    .use(assets())
    .get('/setup', visitorPage(setupPages.show))
    .post('/setup', visitorAction(setupPages.createUser), unread)
    .get('/sign-in', visitorPage(signInPages.show))
    .post('/sign-in', visitorAction(signInPages.signIn), unread)
    .get('/unsubscribe/:token', visitorPage(mailStop.show))
    .post('/unsubscribe/:token', linkAction(mailStop.stop), unread)
    .post('/unsubscribe/:token/all', linkAction(mailStop.stopAll), unread)
    .post('/unsubscribe/:token/allow', linkAction(mailStop.allow), unread)
    .post('/sign-out', userAction(home, signInPages.signOut), unread)
    .get('/settings/account', userPage(accountPages.show))
    .post('/settings/account/password', userAction('/settings/account', accountPages.changePassword), unread)
    .post(
      '/settings/account/sign-out-everywhere',
      userAction('/settings/account', accountPages.signOutEverywhere),
      unread,
    )
    .get('/settings/keys', userPage(pagesOfKeys.show))
    .post('/settings/keys', userAction('/settings/keys', pagesOfKeys.create, pagesOfKeys.showUnsaved), unread)
    .get('/settings/keys/:keyId/revoke', userPage(revocation.show))
    .post('/settings/keys/:keyId/revoke', userAction('/settings/keys', revocation.revoke), unread)
    .get('/', userPage(list.show))
    .get('/forms/new', userPage(creation.show))
    .post('/forms/new', userAction('/forms/new', creation.create, creation.showUnsaved), unread)
    .get('/forms/:formId', userPage(entries.show))
    .get('/forms/:formId/export', userPage(files.download))
    .get('/forms/:formId/events', userPage(live.watch))
    .post('/forms/:formId/submissions/delete', userAction(entriesPath, entries.delete, entries.askToDelete), unread)
    .post('/forms/:formId/submissions/spam', userAction(entriesPath, entries.markSpam, entries.askToMarkSpam), unread)
    .get('/forms/:formId/spam', userPage(quarantine.show))
    .post('/forms/:formId/spam', userAction(spamPath, quarantine.act, quarantine.ask), unread)
    .get('/forms/:formId/submissions/:submissionId', userPage(entry.show))
    .get('/forms/:formId/submissions/:submissionId/fields/:field', userPage(entry.download))
    .get('/forms/:formId/embed', userPage(embedding.show))
    .post('/forms/:formId/embed', userAction(embedPath, embedding.send, embedding.showUnsent), unread)
    .get('/forms/:formId/settings', userPage(settings.show))
    .post('/forms/:formId/settings', userAction(settingsPath, settings.update, settings.showUnsaved), unread)
    .get('/forms/:formId/webhooks/new', userPage(hooks.showNew))
    .post('/forms/:formId/webhooks/new', userAction(settingsPath, hooks.create, hooks.showUnsavedNew), unread)
    .get('/forms/:formId/webhooks/:webhookId', userPage(hooks.show))
    .post('/forms/:formId/webhooks/:webhookId', userAction(settingsPath, hooks.update, hooks.showUnsaved), unread)
    .post('/forms/:formId/webhooks/:webhookId/test', userAction(settingsPath, hooks.test), unread)
    .post('/forms/:formId/webhooks/:webhookId/switch', userAction(settingsPath, hooks.switch), unread)
    .get('/forms/:formId/webhooks/:webhookId/rotate', userPage(hooks.showRotate))
    .post('/forms/:formId/webhooks/:webhookId/rotate', userAction(settingsPath, hooks.rotate), unread)
    .get('/forms/:formId/webhooks/:webhookId/delete', userPage(hooks.showDelete))
    .post('/forms/:formId/webhooks/:webhookId/delete', userAction(settingsPath, hooks.delete), unread)
    .get('/forms/:formId/deliveries', userPage(told.show))
    .post('/forms/:formId/deliveries/retry', userAction(settingsPath, told.retryAll), unread)
    .post('/forms/:formId/deliveries/:deliveryId/retry', userAction(settingsPath, told.retry), unread)
    .post('/forms/:formId/duplicate', userAction(settingsPath, settings.duplicate), unread)
    .post('/forms/:formId/delete', userAction(settingsPath, settings.delete), unread)
}

/** Elysia leaves the body alone: `readForm` reads it, after the checks that come first. */
const unread = { parse: 'none' } as const
