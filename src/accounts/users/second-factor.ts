import { eq } from 'drizzle-orm'
import { sha256 } from '../../base/hash.ts'
import { creationTime, newId } from '../../base/id.ts'
import type { Reader } from '../../storage/reader.ts'
import { param, secondFactors } from '../../storage/tables.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import { countedBy, type Origin } from './check-credentials.ts'
import type { CountedBy, FailedAttempts } from './failed-attempts.ts'
import {
  type CheckedCode,
  type Guess,
  parseRecoveryCodes,
  parseWrongCodes,
  type RefusedCode,
  type SecondFactorWrites,
  type UsedCode,
  waitFor,
} from './second-factor-writes.ts'
import { stepOf } from './totp.ts'
import { strangers, type WrongCodes, waitAfter } from './wrong-codes.ts'

interface SecondFactor {
  readonly id: string
  readonly secret: string
  readonly lastStep: number
  /** The hashes of those that were not used yet. */
  readonly recoveryCodes: readonly string[]
  readonly wrongCodes: WrongCodes
}

type SecondFactorStore = ReturnType<typeof openSecondFactorStore>

interface Options {
  readonly reader: Reader
  readonly writer: Writer<SecondFactorWrites>
  readonly now: () => number
}

/**
 * The codes that are asked for after the password, if the user has turned that on: then only the person with the phone gets
 * in.
 */
export const openSecondFactorStore = ({ reader, writer, now }: Options) => {
  const find = reader.db
    .select()
    .from(secondFactors)
    .where(eq(secondFactors.userId, param('userId')))
    .prepare()

  return {
    /** Null if it is off. */
    findSecondFactor(userId: string): SecondFactor | null {
      const found = find.get({ userId })
      if (!found) return null
      const { recoveryCodes, wrongCodes } = found
      return { ...found, recoveryCodes: parseRecoveryCodes(recoveryCodes), wrongCodes: parseWrongCodes(wrongCodes) }
    },

    /** Returns as the command does. */
    countWrongCode: (input: Parameters<SecondFactorWrites['countWrongCode']>[0]): Promise<number> =>
      writer.run('countWrongCode', input),

    /** Returns the recovery codes. @throws AppError as the command does */
    async turnOnSecondFactor(
      input: Omit<Parameters<SecondFactorWrites['turnOnSecondFactor']>[0], 'id' | 'recoveryCodes'>,
    ): Promise<readonly string[]> {
      const codes = newRecoveryCodes()
      await writer.run('turnOnSecondFactor', { ...input, id: newId(now()), recoveryCodes: codes.map(hashRecoveryCode) })
      return codes
    },

    /** @throws AppError as the command does */
    turnOffSecondFactor: (input: Parameters<SecondFactorWrites['turnOffSecondFactor']>[0]): Promise<UsedCode> =>
      writer.run('turnOffSecondFactor', input),

    /** Returns the new recovery codes, if the code was right. @throws AppError as the command does */
    async replaceRecoveryCodes(input: Parameters<SecondFactorWrites['turnOffSecondFactor']>[0]) {
      const codes = newRecoveryCodes()
      const used = await writer.run('replaceRecoveryCodes', { ...input, recoveryCodes: codes.map(hashRecoveryCode) })
      return used.state === 'right' ? { ...used, codes } : used
    },
  }
}

type CodeResult = { readonly state: 'right'; readonly code: CheckedCode } | { readonly state: 'wrong' } | RefusedCode

export type CheckCode = (
  user: { readonly userId: string; readonly email: string },
  typed: string,
  origin: Origin,
) => Promise<CodeResult>

interface CheckOptions {
  readonly secondFactors: Pick<SecondFactorStore, 'findSecondFactor' | 'countWrongCode'>
  readonly failedAttempts: FailedAttempts
  readonly now: () => number
}

/**
 * Checks a code of the user's app, or a recovery code. A wrong one counts as a wrong password does, and codes of the app have
 * a limit of a day as well, for all strangers together, and for each known browser and each session: so strangers cannot keep
 * the owner's browser out, and recovery codes always let the owner in.
 * A browser that last signed in before the second factor was turned on is a stranger: someone who had the password then could
 * have signed in with a thousand of them, to guess with each.
 * The limit of a day is counted in the file, for all machines of a cluster. Only someone who knows the password can
 * raise it.
 *
 * The command that follows decides whether the code works: this check may be out of date.
 */
export const codeChecker =
  ({ secondFactors: { findSecondFactor, countWrongCode }, failedAttempts, now }: CheckOptions): CheckCode =>
  async ({ userId, email }, typed, origin) => {
    const factor = findSecondFactor(userId)
    if (!factor) return { state: 'wrong' }
    const keys = countedBy(withoutOlder(origin, factor), email)
    const attempt = failedAttempts.begin(keys)
    if (!attempt.isAllowed) return { state: 'wait', retryAfterSeconds: attempt.retryAfterSeconds }
    const code = typed.toLowerCase().replaceAll(/[^0-9a-z]/g, '')
    const guess = { guesser: guesserOf(keys), at: now() }
    // No one guesses a recovery code.
    const isRecovery = code.length === recoveryCodeLength
    const wait = isRecovery ? 0 : waitAfter(factor.wrongCodes, guess.guesser, guess.at)
    const checked = wait > 0 ? waitFor(wait) : compare(factor, code, guess)
    const isNoFailure = checked.state === 'right' || checked.state === 'wait'
    if (isNoFailure) attempt.takeBack()
    if (isNoFailure || isRecovery) return checked
    const waitNow = await countWrongCode({ userId, factor: factor.id, ...guess })
    return waitNow > 0 ? waitFor(waitNow) : checked
  }

/** An address is that of many. */
const guesserOf = ({ device, session }: CountedBy): string =>
  (device ?? session) ? sha256(`${session ? 'session' : 'device'} ${device ?? session}`, 'base64url') : strangers

const withoutOlder = (origin: Origin, { id }: SecondFactor): Origin =>
  'device' in origin && origin.device && origin.device.since < creationTime(id) ? { ...origin, device: null } : origin

const compare = ({ id, secret, lastStep, recoveryCodes }: SecondFactor, code: string, guess: Guess): CodeResult => {
  if (code.length === recoveryCodeLength) {
    const recoveryCode = hashRecoveryCode(code)
    return recoveryCodes.includes(recoveryCode) ? { state: 'right', code: { recoveryCode } } : { state: 'wrong' }
  }
  const step = stepOf(secret, code, guess.at)
  if (step === null) return { state: 'wrong' }
  return step > lastStep ? { state: 'right', code: { factor: id, step, ...guess } } : { state: 'used' }
}

const recoveryCodeCount = 10
const recoveryCodeLength = 16
const alphabet = '23456789abcdefghijkmnpqrstuvwxyz'

/** Ten codes of 80 random bits, in groups of four. With that many bits, a quick hash is enough. */
const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodeCount }, () => {
    const bytes = crypto.getRandomValues(new Uint8Array(recoveryCodeLength))
    const code = [...bytes].map((byte) => alphabet[byte & 31]).join('')
    return code.replaceAll(/(?<=.)(?=(?:.{4})+$)/g, '-')
  })

const hashRecoveryCode = (code: string): string => sha256(code.replaceAll('-', ''), 'base64url')
