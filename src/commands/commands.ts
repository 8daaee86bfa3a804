import { version as packageVersion } from '../../package.json'
import { UsageError } from '../errors.ts'
import type { Flags } from './flags.ts'

export const version = packageVersion

export interface Flag {
  readonly name: string
  /** What stands for its value in the help; a flag without one is a switch. */
  readonly value?: string
  readonly help: string
  readonly isRequired?: true
}

export interface Command {
  readonly words: readonly string[]
  readonly operand?: string
  /** All that the operand can be, where that is known. */
  readonly choices?: readonly string[]
  readonly summary: string
  readonly flags: readonly Flag[]
  /** Loaded when it runs, so that `--version` need not wait for a web server. */
  readonly load: () => Promise<{ run: Run }>
}

type Run = (flags: Flags, operands: readonly string[], all: readonly Command[]) => Promise<number>

const data: Flag = { name: 'data', value: 'DIR', help: 'data folder (FORMBOX_DATA)' }
const address: readonly Flag[] = [
  { name: 'host', value: 'H', help: 'address to listen on (FORMBOX_HOST)' },
  { name: 'port', value: 'P', help: 'port to listen on (FORMBOX_PORT)' },
]
const json: Flag = { name: 'json', help: 'print JSON, for programs' }
const passwordStdin: Flag = {
  name: 'password-stdin',
  help: 'read the password from standard input instead of making one',
}

export const commands: readonly Command[] = [
  {
    words: ['serve'],
    summary: 'run the server (what formbox does without a command)',
    flags: [...address, data],
    load: () => import('./serve.ts'),
  },
  {
    words: ['user', 'create'],
    operand: 'EMAIL',
    summary: 'create a user, and print a password for it',
    flags: [passwordStdin, data],
    load: () => import('./user-create.ts'),
  },
  { words: ['user', 'list'], summary: 'list the users', flags: [json, data], load: () => import('./user-list.ts') },
  {
    words: ['user', 'password'],
    operand: 'EMAIL',
    summary: 'give a user a new password, and print it; sessions end, keys stay',
    flags: [passwordStdin, data],
    load: () => import('./user-password.ts'),
  },
  {
    words: ['user', 'disable'],
    operand: 'EMAIL',
    summary: 'lock a user out: sessions end, keys are refused, forms keep collecting',
    flags: [data],
    load: () => import('./user-disable.ts'),
  },
  {
    words: ['user', 'enable'],
    operand: 'EMAIL',
    summary: 'let a disabled user in again',
    flags: [data],
    load: () => import('./user-enable.ts'),
  },
  {
    words: ['user', 'delete'],
    operand: 'EMAIL',
    summary: 'delete a user with all forms, submissions and keys, after asking',
    flags: [{ name: 'yes', help: 'do not ask' }, data],
    load: () => import('./user-delete.ts'),
  },
  {
    words: ['key', 'create'],
    summary: 'create an API key, and print it: it is shown this once',
    flags: [
      { name: 'user', value: 'EMAIL', help: 'whose key it is', isRequired: true },
      { name: 'name', value: 'NAME', help: 'what it is for, 1 to 100 characters', isRequired: true },
      { name: 'expires', value: 'DATE', help: 'last day (2026-12-31, in UTC) or moment (2026-12-31T12:00:00Z)' },
      { name: 'read-only', help: 'allow reading only' },
      data,
    ],
    load: () => import('./key-create.ts'),
  },
  {
    words: ['key', 'list'],
    summary: 'list the keys, without their values',
    flags: [{ name: 'user', value: 'EMAIL', help: 'only the keys of this user' }, json, data],
    load: () => import('./key-list.ts'),
  },
  {
    words: ['key', 'revoke'],
    operand: 'ID',
    summary: 'revoke a key, from the next request on',
    flags: [data],
    load: () => import('./key-revoke.ts'),
  },
  {
    words: ['backup'],
    operand: 'FILE',
    summary: 'copy all data to a new file, also while the server runs',
    flags: [{ name: 'force', help: 'replace FILE where it exists' }, data],
    load: () => import('./backup.ts'),
  },
  {
    words: ['restore'],
    operand: 'FILE',
    summary: 'put a backup in place of the data, which is kept beside it',
    flags: [data],
    load: () => import('./restore.ts'),
  },
  {
    words: ['config'],
    summary: 'print the settings in force and where each comes from, no secrets',
    flags: [json, ...address, data],
    load: () => import('./config.ts'),
  },
  {
    words: ['healthcheck'],
    summary: 'ask a running server whether it is well; the exit code is 0 if it is',
    flags: [
      { name: 'host', value: 'H', help: 'address at which it listens (FORMBOX_HOST)' },
      { name: 'port', value: 'P', help: 'port at which it listens (FORMBOX_PORT)' },
    ],
    load: () => import('./healthcheck.ts'),
  },
  {
    words: ['completions'],
    operand: 'SHELL',
    choices: ['bash', 'zsh', 'fish'],
    summary: 'print a script that completes command lines in bash, zsh or fish',
    flags: [],
    load: () => import('./completions.ts'),
  },
]

/** The command that the words begin with, and what follows it. Without a command it is `serve`. */
export const findCommand = (words: readonly string[]): { command: Command; rest: readonly string[] } => {
  const named = words[0] !== undefined && !words[0].startsWith('-')
  if (!named) return { command: commands[0] as Command, rest: words }
  const command = commands.find((candidate) => candidate.words.every((word, position) => words[position] === word))
  if (command) return { command, rest: words.slice(command.words.length) }
  const group = findGroup(words[0])
  if (group.length === 0) throw new UsageError(`there is no command ${JSON.stringify(words[0])}; see formbox --help`)
  const known = group.map((candidate) => candidate.words.join(' ')).join(', ')
  throw new UsageError(`${words[0]} needs one of its commands: ${known}`)
}

/** The commands that share their first word, such as `user`. */
export const findGroup = (word: string | undefined): readonly Command[] =>
  commands.filter(({ words }) => words.length > 1 && words[0] === word)
