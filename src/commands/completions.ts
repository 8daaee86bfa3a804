import type { Command } from './commands.ts'
import { bashCompletions } from './completions-bash.ts'
import { fishCompletions } from './completions-fish.ts'
import { zshCompletions } from './completions-zsh.ts'
import type { Flags } from './flags.ts'

const shells: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
}

export const run = async (_: Flags, operands: readonly string[], all: readonly Command[]): Promise<number> => {
  process.stdout.write(shells[operands[0] ?? '']?.(all) ?? '')
  return 0
}
