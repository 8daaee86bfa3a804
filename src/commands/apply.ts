import { resolve } from 'node:path'
import { parseEmail } from '../accounts/users/email.ts'
import { AppError, invalid, issueLine } from '../base/errors.ts'
import { submitPath } from '../config/addresses.ts'
import { readUpTo } from '../config/read-variables.ts'
import { withSenders } from '../config/senders.ts'
import { type DescribedForm, maxFileBytes } from '../forms/as-files/described.ts'
import type { Step } from '../forms/as-files/plan.ts'
import { formLimitsOf } from '../forms/settings/form-limits.ts'
import { rotationMilliseconds } from '../outbox/webhook-secret.ts'
import type { Connection } from '../storage/open.ts'
import { type InputOf, runCommand } from '../storage/writer/batch.ts'
import type { Writes } from '../upkeep/all-writes.ts'
import type { Command, Flags } from './command.ts'
import { existingForm, existingUser, withConnection, withDataFolder, withWrites } from './data-folder.ts'
import { configFor, dataFlag } from './flags.ts'

/** The exit code of `--check` if something would change. */
const differsCode = 3

export const apply: Command = {
  words: ['apply'],
  operands: ['FILE'],
  summary: 'create or update forms from FILE (TOML; - is standard input); deletes none',
  flags: [
    { name: 'user', value: 'EMAIL', help: 'owner of the forms', isRequired: true },
    { name: 'check', help: 'change nothing; the exit code is 3 if something would change' },
    dataFlag,
  ],
  run: async (flags, [operand = '']) => {
    parseEmail(flags.user as string)
    const name = operand === standardInput ? 'standard input' : operand
    const isCheck = flags.check === true
    const { publicUrl } = configFor(flags)
    try {
      const described = await readFile(operand)
      const steps = await (isCheck ? tryOut : change)(flags, described)
      const lines = steps.flatMap((step) => describeStep(step, isCheck, publicUrl ?? ''))
      process.stdout.write(`${[...lines, summaryOf(steps, isCheck)].join('\n')}\n`)
      return isCheck && steps.some(({ kind }) => kind !== 'same') ? differsCode : 0
    } catch (error) {
      if (!(error instanceof AppError) || error.issues.length === 0) throw error
      return refuse(name, error.issues.map(issueLine))
    }
  },
}

const refuse = (name: string, lines: readonly string[]): number => {
  const shown = lines.slice(0, maxShownErrors)
  const all = [...shown, ...(lines.length > shown.length ? ['and more'] : [])]
  const end = all.length === 1 ? ` ${all[0]}` : all.map((line) => `\n  ${line}`).join('')
  process.stderr.write(`formbox: cannot apply ${name}, nothing was changed:${end}\n`)
  return 1
}

const maxShownErrors = 100

/** Reads and checks the forms of the file, without comparing them with the server's. */
const readFile = async (operand: string): Promise<readonly DescribedForm[]> => {
  const bytes = operand === standardInput ? await readPiped() : readBytes(operand)
  // Only this command reads TOML, and checks what the API checks.
  const [{ readToml }, { describedForms }] = await Promise.all([
    import('../base/read-toml.ts'),
    import('../api/described-forms.ts'),
  ])
  return describedForms(readToml(bytes), process.env)
}

const standardInput = '-'

const tooLong = (): AppError => invalid({ message: `must be at most ${maxFileBytes} bytes` })

const readBytes = (operand: string): Uint8Array => {
  const path = resolve(operand)
  const bytes = readUpTo(path, maxFileBytes, `apply ${path}`)
  if (bytes.length > maxFileBytes) throw tooLong()
  return bytes
}

const readPiped = async (): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of Bun.stdin.stream()) {
    bytes += chunk.length
    if (bytes > maxFileBytes) throw tooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

interface Prepared {
  readonly steps: readonly Step[]
  readonly input: InputOf<Writes['applyForms']>
}

const prepare = async (flags: Flags, described: readonly DescribedForm[]): Promise<(db: Connection) => Prepared> => {
  const [{ planForms }, { isReachable }] = await Promise.all([
    import('../forms/as-files/plan.ts'),
    import('../remote/public-address.ts'),
  ])
  const config = await withSenders(configFor(flags))
  const email = parseEmail(flags.user as string)
  const plan = (db: Connection): Prepared => {
    const { id: userId, mayOwnForms } = existingUser(db, email)
    const now = Date.now()
    const steps = planForms(db, described, {
      userId,
      email,
      mayOwnForms,
      limits: formLimitsOf(config),
      isReachable: (address) => isReachable(config.webhookAllowed, address),
      now,
    })
    const forms = steps.filter(({ kind }) => kind !== 'same').map(({ applied }) => applied)
    return { steps, input: { userId, now, oldSecretUntil: now + rotationMilliseconds, forms } }
  }
  // All of it is compared with one state of the file.
  return (db) => db.$client.transaction(() => plan(db))()
}

/** Changes the forms, all of them or none. */
const change = async (flags: Flags, described: readonly DescribedForm[]): Promise<readonly Step[]> => {
  const plan = await prepare(flags, described)
  return await withWrites(flags, async ({ db, write }) => {
    const { steps, input } = plan(db)
    if (input.forms.length > 0) await write('applyForms', input)
    return steps
  })
}

/** Does the same, and takes it back at once: so this refuses what the other one refuses. */
const tryOut = async (flags: Flags, described: readonly DescribedForm[]): Promise<readonly Step[]> => {
  const plan = await prepare(flags, described)
  return await withConnection(flags, async ({ db }) => {
    const { steps, input } = plan(db)
    if (input.forms.length > 0) await runAndTakeBack(db, input)
    return steps
  })
}

const runAndTakeBack = async (db: Connection, input: Prepared['input']): Promise<void> => {
  const { joinWrites } = await import('../upkeep/all-writes.ts')
  const done = new Error('tried')
  const writes = joinWrites(db)
  const attempt = db.$client.transaction(() => {
    runCommand(writes, 'applyForms', input)
    throw done
  })
  try {
    attempt.immediate()
  } catch (error) {
    if (error !== done) throw error
  }
}

const marks = { new: '+', changed: '~', same: '=' } as const

/** A line for the form, and one for each difference. */
const describeStep = ({ name, id, kind, differences, remarks }: Step, isCheck: boolean, place: string): string[] => [
  `${marks[kind]} forms.${name}  ${kind === 'new' && isCheck ? 'new' : `${place}${submitPath(id)}`}`,
  ...differences.map((line) => `    ${line}`),
  ...remarks.map((line) => `  ! ${line}`),
]

const summaryOf = (steps: readonly Step[], isCheck: boolean): string => {
  const count = (kind: Step['kind']): number => steps.filter((step) => step.kind === kind).length
  const [made, changed] = isCheck ? ['to create', 'to change'] : ['created', 'changed']
  return `${count('new')} ${made}, ${count('changed')} ${changed}, ${count('same')} unchanged`
}

export const describe: Command = {
  words: ['describe'],
  operands: ['FORM_ID'],
  summary: 'print a form as a file for apply, without secrets',
  flags: [dataFlag],
  run: async (flags, [formId = '']) => {
    const { describeForm } = await import('../forms/as-files/describe-form.ts')
    process.stdout.write(await withDataFolder(flags, (db) => describeForm(db, existingForm(db, formId))))
    return 0
  },
}
