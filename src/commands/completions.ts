import type { Command } from './command.ts'
import { bashCompletions } from './completions-bash.ts'
import { fishCompletions } from './completions-fish.ts'
import { zshCompletions } from './completions-zsh.ts'

const shells: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
}

export const completions: Command = {
  words: ['completions'],
  operands: ['SHELL'],
  choices: ['bash', 'zsh', 'fish'],
  summary: 'print a completion script for bash, zsh or fish',
  flags: [],
  run: (_flags, [operand = ''], all) => {
    process.stdout.write(shells[operand]?.(all) ?? '')
    return 0
  },
}
