import { and, desc, eq } from 'drizzle-orm'
import { Elysia } from 'elysia'
import type { Reader } from '../db/reader.ts'
import { keys, param } from '../db/tables.ts'
import type { Writer } from '../db/writer/writer.ts'
import { invalid, notFound } from '../errors.ts'
import { parseFields } from '../html/field.ts'
import { redirect } from '../html/redirect.ts'
import { newId } from '../id.ts'
import { parseExpiry, parseKeyName } from '../keys/key-fields.ts'
import type { KeyWrites } from '../keys/key-writes.ts'
import type { LastUsed } from '../keys/last-used.ts'
import { newKey } from '../keys/token.ts'
import type { KeyRow } from './key-list.ts'
import { keysPage } from './keys-page.ts'
import { createNewValues } from './new-key-values.ts'
import type { Gate } from './page-access.ts'
import { revokePage } from './revoke-key-page.ts'
import type { Session } from './sessions.ts'

interface Options {
  readonly gate: Gate
  readonly reader: Reader
  readonly writer: Writer<KeyWrites>
  readonly lastUsed: LastUsed
  readonly now: () => number
  /** Under which the service is reached, such as `https://forms.example.com`. */
  readonly addressOf: (request: Request) => string
}

const path = '/settings/keys'

/** `/settings/keys`: lists the keys of whoever is signed in, creates and revokes them. */
export const keyPages = ({ gate, reader, writer, lastUsed, now, addressOf }: Options) => {
  const newValues = createNewValues(now)
  const ofUser = eq(keys.userId, param('userId'))
  const list = reader.db.select().from(keys).where(ofUser).orderBy(desc(keys.id)).prepare()
  const one = reader.db
    .select({ id: keys.id, name: keys.name, start: keys.start })
    .from(keys)
    .where(and(ofUser, eq(keys.id, param('id'))))
    .prepare()

  const show = (request: Request, session: Session, rest: Partial<Parameters<typeof keysPage>[0]>): Response => {
    const rows: KeyRow[] = list.all({ userId: session.userId }).map((key) => ({
      ...key,
      lastUsedAt: lastUsed.pending(key.id) ?? key.lastUsedAt,
    }))
    return keysPage({ email: session.email, keys: rows, now: now(), address: addressOf(request), ...rest })
  }

  const create = async (request: Request, session: Session, form: URLSearchParams): Promise<Response> => {
    const typed = {
      name: form.get('name') ?? '',
      expires: form.get('expires') ?? '',
      permission: form.get('permission') ?? 'full',
    }
    const fields = parseFields({
      name: () => parseKeyName(typed.name),
      expires: () => (typed.expires === '' ? null : parseExpiry(typed.expires, now())),
      permission: () => parsePermission(typed.permission),
    })
    if ('errors' in fields) return show(request, session, { status: 400, typed, errors: fields.errors })
    const { name, expires: expiresAt, permission } = fields.values
    const { value, hash, start } = newKey()
    const id = newId(now())
    const isReadOnly = permission === 'read-only'
    await writer.run('createKey', { id, userId: session.userId, name, hash, start, isReadOnly, expiresAt })
    newValues.put(session.hash, id, value)
    return redirect(`${path}?created=${id}`)
  }

  const confirm = (session: Session, id: string): Response => {
    const key = one.get({ userId: session.userId, id })
    if (!key) throw notFound('Key')
    return revokePage({ email: session.email, key })
  }

  const revoke = async (session: Session, id: string): Promise<Response> => {
    await writer.run('revokeKey', { id, userId: session.userId })
    return redirect(`${path}?done=revoked`)
  }

  return new Elysia({ name: 'key-pages', detail: { hide: true } })
    .get(path, ({ request, query }) =>
      gate.page(request, path, (session) => {
        const value = typeof query.created === 'string' ? newValues.take(session.hash, query.created) : null
        return show(request, session, { value, done: query.done })
      }),
    )
    .post(path, ({ request }) => gate.action(request, path, (session, form) => create(request, session, form)), {
      parse: 'none',
    })
    .get(`${path}/:keyId/revoke`, ({ request, params }) =>
      gate.page(request, `${path}/${params.keyId}/revoke`, (session) => confirm(session, params.keyId)),
    )
    .post(
      `${path}/:keyId/revoke`,
      ({ request, params }) => gate.action(request, path, (session) => revoke(session, params.keyId)),
      { parse: 'none' },
    )
}

const parsePermission = (text: string): 'full' | 'read-only' => {
  if (text === 'full' || text === 'read-only') return text
  throw invalid({ field: 'permission', message: 'must be full or read-only' })
}
