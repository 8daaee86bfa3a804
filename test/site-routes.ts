import { parseConfig } from '../src/config.ts'
import { site } from '../src/site/site.ts'

interface SiteRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
}

/** The routes of pages that somebody who is not signed in may use. */
const forEverybody = ['GET /setup', 'POST /setup', 'GET /sign-in', 'POST /sign-in']

/** Every other one. A test checks that the site has these and no more. */
const forUsers = [
  'GET /',
  'POST /sign-out',
  'GET /forms/new',
  'POST /forms/new',
  'GET /forms/:formId/embed',
  'POST /forms/:formId/embed',
  'GET /forms/:formId/settings',
  'POST /forms/:formId/settings',
  'POST /forms/:formId/duplicate',
  'POST /forms/:formId/delete',
  'GET /settings/keys',
  'POST /settings/keys',
  'GET /settings/keys/:keyId/revoke',
  'POST /settings/keys/:keyId/revoke',
  'GET /settings/account',
  'POST /settings/account/password',
  'POST /settings/account/sign-out-everywhere',
]

const toRoute = (route: string): SiteRoute => {
  const [method, path] = route.split(' ') as [SiteRoute['method'], string]
  return { method, path }
}

export const userRoutes: readonly SiteRoute[] = forUsers.map(toRoute)
export const siteRoutes: readonly SiteRoute[] = [...forEverybody.map(toRoute), ...userRoutes]

/** What the site serves, but for the files that pages refer to. */
export const servedRoutes = (): SiteRoute[] => {
  const none = {} as never
  const { routes } = site({
    config: parseConfig({}),
    users: none,
    forms: none,
    submissions: none,
    submitTexts: none,
    sessions: none,
    keys: none,
    setupToken: none,
    now: Date.now,
  })
  return routes
    .filter(({ path }) => !path.startsWith('/assets/'))
    .map(({ method, path }) => ({ method: method as SiteRoute['method'], path }))
}

/** The path with these identifiers, or with ones that no record has. */
export const fillIn = (path: string, ids: { formId?: string; submissionId?: string } = {}): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name as keyof typeof ids] ?? '01kahp5x2r00v7m3k9qd4tznwe8c')
