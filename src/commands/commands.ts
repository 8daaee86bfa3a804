import { invalid } from '../base/errors.ts'
import { answers } from './answers.ts'
import { apply, describe } from './apply.ts'
import { backup } from './backup.ts'
import { clusterCommands } from './cluster.ts'
import type { Command } from './command.ts'
import { completions } from './completions.ts'
import { config } from './config.ts'
import { demo } from './demo.ts'
import { exportSubmissions } from './export.ts'
import { formCommands } from './form.ts'
import { healthcheck } from './healthcheck.ts'
import { importSubmissions } from './import.ts'
import { keyCommands } from './key.ts'
import { mailTest } from './mail-test.ts'
import { restore } from './restore.ts'
import { serve } from './serve.ts'
import { userCommands } from './user.ts'

/** In the order of `--help`. */
export const commands: readonly Command[] = [
  serve,
  demo,
  ...userCommands,
  ...keyCommands,
  ...formCommands,
  answers,
  exportSubmissions,
  importSubmissions,
  apply,
  describe,
  backup,
  restore,
  config,
  mailTest,
  ...clusterCommands,
  healthcheck,
  completions,
]

/** The command at the start of the words, and the words after it. */
export const findCommand = (words: readonly string[]): { command: Command; rest: readonly string[] } => {
  const command = commands.find((candidate) => candidate.words.every((word, position) => words[position] === word))
  if (command) return { command, rest: words.slice(command.words.length) }
  const group = findGroup(words[0])
  if (group.length === 0) throw invalid({ message: `unknown command ${JSON.stringify(words[0])}; see formbox --help` })
  const known = group.map((candidate) => candidate.words.join(' ')).join(', ')
  throw invalid({ message: `unknown command ${JSON.stringify(words.slice(0, 2).join(' '))}; use one of: ${known}` })
}

/** The commands that share their first word, such as `user`. */
export const findGroup = (word: string | undefined): readonly Command[] =>
  commands.filter(({ words }) => words.length > 1 && words[0] === word)
