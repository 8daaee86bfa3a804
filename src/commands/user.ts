import { parseEmail } from '../accounts/users/email.ts'
import { checkPassword, hashPassword, newPassword, unknownPasswordHash } from '../accounts/users/passwords.ts'
import { type UserReads, userReads } from '../accounts/users/user-reads.ts'
import { sharedFormsOf } from '../accounts/users/user-writes.ts'
import { hourMilliseconds } from '../base/durations.ts'
import { AppError, invalid } from '../base/errors.ts'
import { createdAt, newId } from '../base/id.ts'
import { inLowerAscii } from '../base/mail-address.ts'
import { OperatorError } from '../base/operator-errors.ts'
import { amount } from '../base/short-text.ts'
import { oneSlice } from '../submissions/slices.ts'
import { showStep } from '../upkeep/backups/progress.ts'
import type { Command, Flag, Flags } from './command.ts'
import { existingUser, withDataFolder, withNewWrites, withWrites } from './data-folder.ts'
import { dataFlag } from './flags.ts'
import { jsonFlag, printJson, printTable } from './output.ts'

const passwordStdinFlag: Flag = {
  name: 'password-stdin',
  help: 'read the password from standard input instead of generating one',
}

const noPasswordFlag: Flag = {
  name: 'no-password',
  help: 'for a user who signs in through the OpenID Connect provider',
}

const userCreate: Command = {
  words: ['user', 'create'],
  operands: ['EMAIL'],
  summary: 'create a user and print a generated password',
  flags: [
    passwordStdinFlag,
    noPasswordFlag,
    { name: 'operator', help: 'let the user see the page of the server' },
    { name: 'if-missing', help: 'change nothing, and succeed, if there is such a user already' },
    dataFlag,
  ],
  run: async (flags, [operand = '']) => {
    const email = parseEmail(operand)
    const hasPassword = flags['no-password'] !== true
    if (!hasPassword && flags['password-stdin'] === true)
      throw invalid({ message: 'use only one of --password-stdin and --no-password' })
    const { password, isMade } = hasPassword ? await readOrMakePassword(flags) : { password: '', isMade: false }
    const passwordHash = hasPassword ? await hashPassword(password) : unknownPasswordHash()
    const now = Date.now()
    const passwordUntil = hasPassword ? now + hourMilliseconds : 0
    const ifMissing = flags['if-missing'] === true
    const user = { id: newId(now), email, passwordHash, hasPassword, passwordUntil }
    const isOperator = flags.operator === true
    const isNew = await withNewWrites(flags, async ({ db, write }) => {
      // Also if no one has proved the address: that account would be replaced.
      if (ifMissing && userReads(db).findUser(email)) return false
      try {
        await write('createUser', { ...user, isOperator, now })
        return true
      } catch (error) {
        if (!(error instanceof AppError && error.issues.some(({ field }) => field === 'email'))) throw error
        if (ifMissing) return false
        throw new OperatorError(`there is already a user ${email}`)
      }
    })
    if (isNew && isMade) process.stdout.write(`${password}\n`)
    return 0
  },
}

/**
 * The password from standard input with `--password-stdin`, otherwise a random one, which the caller has to print.
 *
 * @throws AppError `invalid` if the given password is too short, too long or not UTF-8
 */
const readOrMakePassword = async (flags: Flags): Promise<{ password: string; isMade: boolean }> =>
  flags['password-stdin'] === true
    ? { password: checkPassword(decode(await Bun.stdin.bytes()).replace(/\r?\n$/, '')), isMade: false }
    : { password: newPassword(), isMade: true }

/** Strict, because a password with U+FFFD in place of invalid bytes could never be typed again. */
const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid({ field: 'password', message: 'must be UTF-8' })
  }
}

const userList: Command = {
  words: ['user', 'list'],
  summary: 'list all users, and how they sign in',
  flags: [jsonFlag, dataFlag],
  run: async (flags) => {
    const users = await withDataFolder(flags, (db) => userReads(db).listUsers())
    if (flags.json === true)
      return printJson(
        users.map(
          ({ id, email, formCount, disabledAt, hasSecondFactor, isConnected, isProved, isOperator, invitedBy }) => ({
            id,
            email,
            forms: formCount,
            state: stateOf(disabledAt),
            twoStep: hasSecondFactor,
            sso: isConnected,
            proved: isProved,
            operator: isOperator,
            invitedBy,
            createdAt: createdAt(id),
          }),
        ),
      )
    return printTable(
      ['EMAIL', 'FORMS', 'STATE', 'TWO-STEP', 'SSO', 'PROVED', 'OPERATOR', 'CREATED'],
      users.map(({ id, email, formCount, disabledAt, hasSecondFactor, isConnected, isProved, isOperator }) => [
        email,
        String(formCount),
        stateOf(disabledAt),
        hasSecondFactor ? 'on' : 'off',
        isConnected ? 'yes' : 'no',
        isProved ? 'yes' : 'no',
        isOperator ? 'yes' : 'no',
        createdAt(id),
      ]),
    )
  },
}

const stateOf = (disabledAt: number | null): string => (disabledAt === null ? 'active' : 'disabled')

const userPassword: Command = {
  words: ['user', 'password'],
  operands: ['EMAIL'],
  summary: 'set a generated password and print it; ends sessions, keeps keys',
  flags: [passwordStdinFlag, dataFlag],
  run: async (flags, [operand = '']) => {
    const email = parseEmail(operand)
    const { password, isMade } = await readOrMakePassword(flags)
    const passwordHash = await hashPassword(password)
    const now = Date.now()
    const isReplaced = await withWrites(flags, ({ db, write }) =>
      write('resetPassword', {
        userId: existingUser(db, email).id,
        passwordHash,
        passwordUntil: now + hourMilliseconds,
        id: newId(now),
        now,
      }),
    )
    if (isReplaced)
      process.stderr.write(
        `formbox: the address ${email} was not proved: its former user has lost the account, with its keys and memberships\n`,
      )
    if (isMade) process.stdout.write(`${password}\n`)
    return 0
  },
}

const userResetSecondFactor: Command = {
  words: ['user', 'reset-2fa'],
  operands: ['EMAIL'],
  summary: 'turn off two-step sign-in for a user who lost the phone',
  flags: [dataFlag],
  run: async (flags, [operand = '']) => {
    const email = parseEmail(operand)
    await withWrites(flags, async ({ db, write }) => {
      const wasOn = await write('resetSecondFactor', { userId: existingUser(db, email).id })
      if (!wasOn) throw new OperatorError(`${email} has not turned on two-step sign-in`)
    })
    return 0
  },
}

const userDisable: Command = {
  words: ['user', 'disable'],
  operands: ['EMAIL'],
  summary: 'block sign-in, keys and deliveries of a user; forms keep collecting',
  flags: [dataFlag],
  run: async (flags, [operand = '']) => {
    const email = parseEmail(operand)
    await withWrites(flags, ({ db, write }) =>
      write('disableUser', { userId: existingUser(db, email).id, now: Date.now() }),
    )
    return 0
  },
}

const userEnable: Command = {
  words: ['user', 'enable'],
  operands: ['EMAIL'],
  summary: 'enable a disabled user again',
  flags: [dataFlag],
  run: async (flags, [operand = '']) => {
    const email = parseEmail(operand)
    await withWrites(flags, ({ db, write }) => write('enableUser', { userId: existingUser(db, email).id }))
    return 0
  },
}

const userAllow: Command = {
  words: ['user', 'allow'],
  operands: ['EMAIL'],
  summary: 'let an invited user create forms',
  flags: [dataFlag],
  run: async (flags, [operand = '']) => {
    const email = parseEmail(operand)
    await withWrites(flags, ({ db, write }) => write('allowForms', { userId: existingUser(db, email).id }))
    return 0
  },
}

const userOperator: Command = {
  words: ['user', 'operator'],
  operands: ['EMAIL'],
  summary: 'let a user see the page of the server, its settings and users',
  flags: [{ name: 'off', help: 'no longer' }, dataFlag],
  run: async (flags, [operand = '']) => {
    const email = parseEmail(operand)
    const isOperator = flags.off !== true
    await withWrites(flags, async ({ db, write }) => {
      if (!(await write('setOperator', { userId: existingUser(db, email).id, isOperator }))) throw notProved(email)
    })
    return 0
  },
}

const userEmail: Command = {
  words: ['user', 'email'],
  operands: ['EMAIL', 'NEW'],
  summary: 'change the address of a user; ends sessions, keeps forms and keys',
  flags: [dataFlag],
  run: async (flags, [operand = '', next = '']) => {
    const [before, email] = [parseEmail(operand), parseEmail(next)]
    await withWrites(flags, async ({ db, write }) => {
      const { id: userId } = existingUser(db, before)
      if (before !== email && userReads(db).findUser(email)) throw new OperatorError(`there is already a user ${email}`)
      await write('changeEmail', { userId, email })
    })
    return 0
  },
}

const notProved = (email: string): OperatorError =>
  new OperatorError(`the address ${email} is not proved; formbox user password gives the account to its owner`)

/**
 * Pause between two slices. A server that waits for the file retries at most every 100 ms. Without a pause it kept
 * meeting the next slice, and its writes waited for up to 2.7 s.
 */
const pauseMilliseconds = 30

const userDelete: Command = {
  words: ['user', 'delete'],
  operands: ['EMAIL'],
  summary: 'delete a user with all forms, submissions and keys; asks first',
  flags: [
    { name: 'yes', help: 'do not ask for confirmation' },
    { name: 'shared-to', value: 'EMAIL', help: 'hand forms that are shared with others to this user' },
    { name: 'delete-shared', help: 'delete those, too' },
    dataFlag,
  ],
  run: async (flags, [operand = '']) => {
    const email = parseEmail(operand)
    const heir = flags['shared-to'] === undefined ? undefined : parseEmail(flags['shared-to'] as string)
    if (heir === email) throw new OperatorError('--shared-to must name another user')
    const found = await withDataFolder(flags, (db) => {
      const { id } = existingUser(db, email)
      if (heir !== undefined && !existingUser(db, heir).isProved) throw notProved(heir)
      return { ...userReads(db).countBelongings(id), shared: sharedFormsOf(db, id).length }
    })
    const deleteShared = flags['delete-shared'] === true
    if (heir === undefined && !deleteShared) refuseSharing(email, found.shared)
    if (flags.yes !== true && !(await isConfirmed(email, found, heir))) {
      process.stderr.write('formbox: nothing was deleted\n')
      return 1
    }
    await withWrites(flags, async ({ db, write }) => {
      const shared = heir === undefined ? { deleteShared } : { sharedTo: existingUser(db, heir).id }
      // One may have been shared since the question.
      refuseSharing(
        email,
        await write('deleteUser', { userId: existingUser(db, email).id, now: Date.now(), ...shared }),
      )
      // If this is interrupted, the server continues when it starts.
      for (let total = 0; ; ) {
        const count = await write('removeDeletedSlice', oneSlice)
        if (count === 0) return
        total += count
        showStep(`${total} submissions, deliveries and forms removed`)
        await Bun.sleep(pauseMilliseconds)
      }
    }).finally(() => showStep(null))
    return 0
  },
}

/** In the order of `--help`. */
export const userCommands: readonly Command[] = [
  userCreate,
  userList,
  userPassword,
  userResetSecondFactor,
  userDisable,
  userEnable,
  userAllow,
  userEmail,
  userOperator,
  userDelete,
]

const refuseSharing = (email: string, shared: number): void => {
  if (shared > 0)
    throw new OperatorError(
      `${email} shares ${amount(shared, 'form')} with others. Use --shared-to EMAIL to hand these to another user, or ` +
        '--delete-shared to delete them for everyone',
    )
}

const isConfirmed = async (
  email: string,
  { forms, submissions, keys, shared }: ReturnType<UserReads['countBelongings']> & { readonly shared: number },
  heir: string | undefined,
) => {
  const what =
    shared === 0
      ? ''
      : heir === undefined
        ? ` Others share ${amount(shared, 'form')} of these, and lose access.`
        : ` Of these, ${amount(shared, 'form')} that others see ${shared === 1 ? 'goes' : 'go'} to ${heir} instead, with all submissions.`
  process.stderr.write(
    `This deletes ${email} with ${amount(forms, 'form')}, ${amount(submissions, 'submission')} and ${amount(keys, 'key')}. ` +
      `${what.trimStart()}${what && ' '}This cannot be undone. Type the email address to confirm: `,
  )
  // Loaded here, because it takes 2 ms, and every command would wait for it.
  const { createInterface } = await import('node:readline')
  const lines = createInterface({ input: process.stdin })
  try {
    for await (const line of lines) return inLowerAscii(line.trim()) === email
    process.stderr.write('\n')
    return false
  } finally {
    lines.close()
  }
}
