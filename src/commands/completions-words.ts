// What the scripts of all shells have in common.
import type { Command, Flag } from './command.ts'

/** The first word of every command, each once. */
export const firstWords = (commands: readonly Command[]): string[] => [
  ...new Set(commands.map(({ words }) => words[0] ?? '')),
]

/** The flags of `serve`, the default command. */
export const flagsWithoutCommand = (commands: readonly Command[]): readonly Flag[] =>
  commands.find(({ words }) => words[0] === 'serve')?.flags ?? []

/** The first words that need a second one. */
export const groups = (commands: readonly Command[]): string[] =>
  firstWords(commands.filter(({ words }) => words.length > 1))

export const secondWords = (commands: readonly Command[], group: string): string[] =>
  commands.flatMap(({ words }) => (words[0] === group && words[1] !== undefined ? [words[1]] : []))
