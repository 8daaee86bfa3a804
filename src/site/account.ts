import { Elysia } from 'elysia'
import type { Writer } from '../db/writer/writer.ts'
import { AppError, invalid } from '../errors.ts'
import { type FieldErrors, parseFields } from '../html/field.ts'
import { redirect } from '../html/redirect.ts'
import { type CheckCredentials, tooManyTries } from '../users/credentials.ts'
import { checkPassword, hashPassword } from '../users/passwords.ts'
import type { AccountWrites } from '../users/user-writes.ts'
import { accountPage } from './account-page.ts'
import type { Devices } from './devices.ts'
import type { Gate } from './page-access.ts'
import type { Session, Sessions } from './sessions.ts'

interface Options {
  readonly gate: Gate
  readonly sessions: Sessions
  readonly devices: Devices
  readonly writer: Writer<AccountWrites>
  readonly check: CheckCredentials
}

const path = '/settings/account'

export const account = ({ gate, sessions, devices, writer, check }: Options) => {
  const changePassword = async (session: Session, form: URLSearchParams): Promise<Response> => {
    const { userId, email } = session
    const sessionCount = sessions.count(userId)
    const refuse = (errors: FieldErrors, status = 400, headers: Record<string, string> = {}) =>
      accountPage({ email, sessionCount, errors, status, headers })

    const current = form.get('current') ?? ''
    const fields = parseFields({
      current: () => requireFilled(current),
      new: () => checkPassword(form.get('new') ?? ''),
    })
    if ('errors' in fields) return refuse(fields.errors)
    const outcome = await check(email, current, { session: session.hash })
    if (outcome === 'wrong') return refuse({ current: 'This is not your password.' })
    if ('retryAfterSeconds' in outcome) {
      const { retryAfterSeconds } = outcome
      return refuse({ current: tooManyTries(retryAfterSeconds) }, 429, { 'retry-after': String(retryAfterSeconds) })
    }
    const passwordHash = await hashPassword(fields.values.new)
    try {
      await writer.run('changePassword', {
        userId,
        oldHash: outcome.passwordHash,
        passwordHash,
        session: session.hash,
      })
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') return redirect(path)
      throw error
    }
    return redirect(`${path}?done=password`, devices.remember(session, passwordHash))
  }

  return new Elysia({ name: 'account', detail: { hide: true } })
    .get(path, ({ request, query }) =>
      gate.page(request, path, ({ userId, email }) =>
        accountPage({ email, sessionCount: sessions.count(userId), done: query.done }),
      ),
    )
    .post(
      `${path}/password`,
      ({ request }) => gate.action(request, path, (session, form) => changePassword(session, form)),
      { parse: 'none' },
    )
    .post(
      `${path}/sign-out-everywhere`,
      ({ request }) =>
        gate.action(request, path, async (session) =>
          redirect('/sign-in?done=signed-out-everywhere', await sessions.endAll(session)),
        ),
      { parse: 'none' },
    )
}

const requireFilled = (text: string): string => {
  if (text !== '') return text
  throw invalid({ field: 'current password', message: 'must be given' })
}
