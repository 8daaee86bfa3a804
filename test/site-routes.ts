import { links } from '../src/collect/links/links.ts'
import { parseConfig } from '../src/config/config.ts'
import { guides } from '../src/guides/guides.ts'
import { site } from '../src/site/site.ts'

interface SiteRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
}

/** The routes that work without signing in. */
const forEverybody = [
  'GET /setup',
  'POST /setup',
  'GET /sign-in',
  'POST /sign-in',
  'GET /invite/:token',
  'POST /invite/:token',
  'POST /sign-in/go-on',
  'GET /sign-in/oidc',
  'GET /sign-in/code',
  'GET /guides',
  'GET /guides/:name',
  'POST /sign-in/code',
]

/** What a signed link allows. Unlike all other routes that change something, they may be called from anywhere. */
const byLink = [
  'GET /files/:fileId',
  'GET /sheet/:name',
  'GET /c/:token',
  'POST /c/:token',
  'POST /c/:token/not-me',
  'GET /unsubscribe/:token',
  'POST /unsubscribe/:token',
  'POST /unsubscribe/:token/all',
  'POST /unsubscribe/:token/allow',
]

/** All other routes. A test checks that the site has exactly these. */
const forUsers = [
  'GET /',
  'GET /inbox/events',
  'POST /inbox/selected',
  'POST /inbox/read',
  'GET /inbox/export',
  'GET /forms',
  'GET /forms/events',
  'POST /sign-out',
  'GET /personal-data',
  'POST /personal-data',
  'POST /personal-data/export',
  'POST /personal-data/erase',
  'GET /forms/new',
  'POST /forms/new',
  'GET /forms/:formId',
  'GET /forms/:formId/events',
  'GET /forms/:formId/export',
  'GET /forms/:formId/answers',
  'GET /forms/:formId/answers.csv',
  'POST /forms/:formId/columns',
  'POST /forms/:formId/submissions/delete',
  'POST /forms/:formId/submissions/spam',
  'POST /forms/:formId/submissions/read',
  'POST /forms/:formId/submissions/handling',
  'POST /forms/:formId/submissions/:submissionId/notes',
  'POST /forms/:formId/submissions/:submissionId/notes/remove',
  'GET /forms/:formId/spam',
  'GET /forms/:formId/spam/export',
  'POST /forms/:formId/spam',
  'GET /forms/:formId/spam/learned',
  'POST /forms/:formId/spam/learned',
  'GET /forms/:formId/spam/:submissionId/block',
  'POST /forms/:formId/spam/:submissionId/block',
  'GET /forms/:formId/submissions/:submissionId',
  'GET /forms/:formId/submissions/:submissionId/fields/:field',
  'GET /forms/:formId/submissions/:submissionId/files/:fileId',
  'GET /forms/:formId/spam/:submissionId/files/:fileId',
  'GET /forms/:formId/embed',
  'GET /forms/:formId/qr.svg',
  'POST /forms/:formId/embed',
  'GET /forms/:formId/form',
  'POST /forms/:formId/form',
  'POST /forms/:formId/embed/delete',
  'GET /forms/:formId/settings',
  'POST /forms/:formId/settings',
  'GET /forms/:formId/settings/visitors',
  'POST /forms/:formId/settings/visitors',
  'GET /forms/:formId/settings/spam',
  'POST /forms/:formId/settings/spam',
  'GET /forms/:formId/settings/people',
  'POST /forms/:formId/settings/people',
  'GET /forms/:formId/settings/danger',
  'POST /forms/:formId/reply/test',
  'POST /forms/:formId/confirm/test',
  'GET /forms/:formId/settings/told/new',
  'POST /forms/:formId/settings/told/new',
  'GET /forms/:formId/settings/told/:receiverId',
  'POST /forms/:formId/settings/told/:receiverId',
  'POST /forms/:formId/settings/told/:receiverId/test',
  'POST /forms/:formId/settings/told/:receiverId/remove',
  'POST /forms/:formId/webhooks/:webhookId/test',
  'POST /forms/:formId/webhooks/:webhookId/switch',
  'GET /forms/:formId/webhooks/:webhookId/rotate',
  'POST /forms/:formId/webhooks/:webhookId/rotate',
  'GET /forms/:formId/webhooks/:webhookId/delete',
  'POST /forms/:formId/webhooks/:webhookId/delete',
  'GET /forms/:formId/deliveries',
  'POST /forms/:formId/deliveries/retry',
  'POST /forms/:formId/deliveries/stop',
  'POST /forms/:formId/deliveries/:deliveryId/retry',
  'POST /forms/:formId/deliveries/:deliveryId/dismiss',
  'GET /forms/:formId/imports',
  'POST /forms/:formId/imports',
  'GET /forms/:formId/imports/:importId',
  'POST /forms/:formId/imports/:importId',
  'POST /forms/:formId/sheets',
  'POST /forms/:formId/sheets/:sheetId/delete',
  'POST /forms/:formId/members',
  'POST /forms/:formId/members/:memberId',
  'POST /forms/:formId/owner',
  'POST /forms/:formId/leave',
  'GET /forms/:formId/settings/file',
  'POST /forms/:formId/close',
  'POST /forms/:formId/duplicate',
  'POST /forms/:formId/delete',
  'GET /settings/keys',
  'POST /settings/keys',
  'GET /settings/keys/:keyId/revoke',
  'POST /settings/keys/:keyId/revoke',
  'GET /server',
  'POST /server/mail',
  'POST /server/backup',
  'GET /settings/account',
  'POST /settings/account/address',
  'GET /settings/account/address/:token',
  'POST /settings/account/address/:token',
  'POST /settings/account/password',
  'POST /settings/account/sessions/:sessionId/end',
  'POST /settings/account/oidc',
  'POST /settings/account/oidc/disconnect',
  'GET /settings/account/second-factor',
  'POST /settings/account/second-factor',
  'POST /settings/account/second-factor/recovery-codes',
  'POST /settings/account/second-factor/off',
  'POST /settings/account/sign-out-others',
  'POST /settings/account/sign-out-everywhere',
]

const toRoute = (route: string): SiteRoute => {
  const [method, path] = route.split(' ') as [SiteRoute['method'], string]
  return { method, path }
}

export const userRoutes: readonly SiteRoute[] = forUsers.map(toRoute)
export const linkRoutes: readonly SiteRoute[] = byLink.map(toRoute)
export const siteRoutes: readonly SiteRoute[] = [...forEverybody.map(toRoute), ...linkRoutes, ...userRoutes]

/** All routes of the site, of links and of the guides, except for the files that pages load. */
export const servedRoutes = (): SiteRoute[] => {
  // What pages look into before anyone asks for them.
  const parts = { secondFactors: {}, formLimits: {}, userReads: {}, submissions: {} }
  const options = { config: parseConfig({}), ...parts } as never
  const [ofSite, ofLinks] = [site(options), links(options)]
  return [...ofLinks.routes, ...guides().routes, ...ofSite.routes]
    .filter(({ path }) => !path.startsWith('/assets/') && path !== '/robots.txt')
    .map(({ method, path }) => ({ method: method as SiteRoute['method'], path }))
}

/** The path with these identifiers, or with unknown ones. */
export const fillIn = (
  path: string,
  ids: {
    readonly [name in
      | 'formId'
      | 'submissionId'
      | 'fileId'
      | 'webhookId'
      | 'receiverId'
      | 'deliveryId'
      | 'sheetId'
      | 'importId'
      | 'memberId']?: string
  } = {},
): string => {
  const all: Readonly<Record<string, string>> = { field: '0', ...ids }
  return path.replaceAll(/:(\w+)/g, (_, name: string) => all[name] ?? '01kahp5x2r00v7m3k9qd4tznwe8c')
}
