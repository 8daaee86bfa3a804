import { invalid } from '../errors.ts'
import { redirect } from '../html/redirect.ts'
import { parseExpiry, parseKeyName } from '../keys/key-fields.ts'
import type { KeyStore } from '../keys/store.ts'
import type { Session } from '../sessions/store.ts'
import { type KeysPage, keysPage } from './keys-page.ts'
import type { UserSent, UserVisit } from './page-access.ts'
import { parseInputs } from './parse-inputs.ts'
import { openShownOnce } from './shown-once.ts'

interface Options {
  readonly keys: KeyStore
  readonly now: () => number
  /** The address that browsers use for this server, such as `https://forms.example.com`. */
  readonly addressOf: (request: Request) => string
}

/** `/settings/keys`: lists the keys of a user, and creates one. */
export const keyPages = ({ keys, now, addressOf }: Options) => {
  const newValues = openShownOnce(now)

  const page = (request: Request, { userId, email }: Session, rest: Partial<KeysPage>): Response => {
    const newestFirst = keys.listKeys(userId).toReversed()
    return keysPage({ email, keys: newestFirst, now: now(), address: addressOf(request), ...rest })
  }

  return {
    show({ request, session, query }: UserVisit): Response {
      const value = newValues.take(session.hash, query.created)
      return page(request, session, { value, done: query.done })
    },

    async create({ request, session, form }: UserSent): Promise<Response> {
      const typed = typedIn(form)
      const inputs = parseInputs({
        name: () => parseKeyName(typed.name),
        expires: () => (typed.expires === '' ? null : parseExpiry(typed.expires, now())),
        permission: () => parsePermission(typed.permission),
      })
      if ('errors' in inputs) return page(request, session, { status: 400, typed, errors: inputs.errors })
      const { name, expires: expiresAt, permission } = inputs.values
      const isReadOnly = permission === 'read-only'
      const { id, value } = await keys.createKey(session.userId, session.hash, { name, isReadOnly, expiresAt })
      newValues.put(session.hash, id, value)
      return redirect(`/settings/keys?created=${id}#created`)
    },

    showUnsaved: ({ request, session, form }: UserSent): Response =>
      page(request, session, { typed: typedIn(form), isUnsaved: true }),
  }
}

const typedIn = (sent: URLSearchParams) => ({
  name: sent.get('name') ?? '',
  expires: sent.get('expires') ?? '',
  permission: sent.get('permission') ?? 'full',
})

const parsePermission = (text: string): 'full' | 'read-only' => {
  if (text === 'full' || text === 'read-only') return text
  throw invalid({ field: 'permission', message: 'must be full or read-only' })
}
