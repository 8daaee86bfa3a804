import { openDevices } from '../accounts/sessions/devices.ts'
import { openPendingSignIns } from '../accounts/sessions/pending-sign-ins.ts'
import { credentialChecker } from '../accounts/users/check-credentials.ts'
import { openFailedAttempts } from '../accounts/users/failed-attempts.ts'
import { codeChecker } from '../accounts/users/second-factor.ts'
import { assets } from '../html/assets.ts'
import { html } from '../html/html.ts'
import { addressKey, clientOf } from '../http/client-address.ts'
import { type Exchange, routes } from '../http/exchange.ts'
import { ownAddress } from '../http/host.ts'
import { accountRoutes } from './account.ts'
import { accountAddressRoutes } from './account-address.ts'
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
import { invitationRoutes } from './invitation.ts'
import { keysRoutes } from './keys.ts'
import { learnedSpamRoutes } from './learned-spam.ts'
import { liveRoutes } from './live.ts'
import { membersPart } from './members.ts'
import { newFormRoutes } from './new-form.ts'
import { oidcRoutes } from './oidc.ts'
import { pageAccess } from './page-access.ts'
import type { SiteOptions } from './page-options.ts'
import { personalDataRoutes } from './personal-data.ts'
import { secondFactorRoutes } from './second-factor.ts'
import { sentFilesRoutes } from './sent-files.ts'
import { serverRoutes } from './server.ts'
import { dangerRoutes } from './settings-danger.ts'
import { settingsFrames } from './settings-frame.ts'
import { setupRoutes } from './setup.ts'
import { sheetsPart } from './sheets.ts'
import { signInPages, signInRoutes } from './sign-in.ts'
import { spamRoutes } from './spam.ts'
import { submissionRoutes } from './submission.ts'
import { submissionsRoutes } from './submissions.ts'
import { submissionsActionsRoutes } from './submissions-actions.ts'
import { toldRoutes } from './told.ts'
import { trailSection } from './trail.ts'

/** The pages. Each is one file beside this one, which says its routes and takes of the options what it needs. */
export const site = (options: SiteOptions) => {
  const { userReads, secondFactors, now, config } = options
  const { publicUrl, trustedProxies } = config
  const sessions = openBrowserSessions({
    sessions: options.sessions,
    devices: openDevices({ users: userReads, now }),
    publicUrl,
  })
  const signInPage = signInPages(config)
  const failedAttempts = openFailedAttempts(now)
  const shared = {
    ...options,
    pages: pageAccess({ ...options, sessions, signInPage }),
    sessions,
    signInPage,
    failedAttempts,
    check: credentialChecker({ ...options, failedAttempts }),
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
      return html`${sheets.section(visit, form)}${trailSection(options.listTrail, form, visit.query.activity)}`
    },
  })
  const all = [
    setupRoutes(shared),
    invitationRoutes(shared),
    accountRoutes(shared),
    accountAddressRoutes(shared),
    serverRoutes(shared),
    secondFactorRoutes(shared),
    keysRoutes(shared),
    inboxRoutes(shared),
    inboxActionsRoutes(shared),
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
    signInRoutes(shared),
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
