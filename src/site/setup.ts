import { Elysia } from 'elysia'
import type { Writer } from '../db/writer/writer.ts'
import { notFound } from '../errors.ts'
import { parseFields } from '../html/field.ts'
import { redirect } from '../html/redirect.ts'
import { newId } from '../id.ts'
import { parseEmail } from '../users/email.ts'
import { checkPassword, hashPassword } from '../users/passwords.ts'
import type { AccountWrites } from '../users/user-writes.ts'
import type { Gate } from './page-access.ts'
import type { Sessions } from './sessions.ts'
import { expiredSetupPage, setupPage } from './setup-page.ts'
import type { SetupToken } from './setup-token.ts'

interface Options {
  readonly gate: Gate
  readonly sessions: Sessions
  readonly writer: Writer<AccountWrites>
  readonly token: SetupToken
  readonly hasUsers: () => boolean
  readonly now: () => number
}

/** `/setup`: makes the first account. With an account there, it does not exist. */
export const setup = ({ gate, sessions, writer, token, hasUsers, now }: Options) => {
  const create = async (request: Request, form: URLSearchParams): Promise<Response> => {
    if (hasUsers()) throw notFound()
    if (!token.matches(form.get('token') ?? '')) return expiredSetupPage()
    const typed = form.get('email') ?? ''
    const fields = parseFields({
      email: () => parseEmail(typed),
      password: () => checkPassword(form.get('password') ?? ''),
    })
    if ('errors' in fields) return setupPage({ status: 400, token: token.value, email: typed, errors: fields.errors })
    const { email, password } = fields.values
    const passwordHash = await hashPassword(password)
    const userId = newId(now())
    await writer.run('createFirstUser', { id: userId, email, passwordHash })
    return redirect('/settings/keys', ...(await sessions.start(request, userId, passwordHash)))
  }

  return new Elysia({ name: 'setup', detail: { hide: true } })
    .get('/setup', ({ query }) => {
      if (hasUsers()) throw notFound()
      return token.matches(query.token ?? '') ? setupPage({ token: token.value }) : expiredSetupPage()
    })
    .post('/setup', ({ request }) => gate.publicAction(request, (form) => create(request, form)), { parse: 'none' })
}
