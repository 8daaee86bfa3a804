/** A command of the command line. `commands.ts` lists all of them. */
export interface Command {
  readonly words: readonly string[]
  /** The values that follow the words, such as `EMAIL`. */
  readonly operands?: readonly string[]
  /** A flag with which it takes no operands. */
  readonly instead?: string
  /** All values that the first operand can have, if there are few. */
  readonly choices?: readonly string[]
  readonly summary: string
  readonly flags: readonly Flag[]
  /**
   * Returns the exit code.
   *
   * @param operands as many as the command takes
   * @param all every command, for `completions`
   */
  readonly run: (flags: Flags, operands: readonly string[], all: readonly Command[]) => number | Promise<number>
}

export interface Flag {
  readonly name: string
  /** Stands for the value in the help. A flag without it is a switch. */
  readonly value?: string
  readonly help: string
  readonly isRequired?: true
  /** Whether it can be given several times. */
  readonly isRepeatable?: true
}

/** Values by the flag's name; a switch that was given is `true`, and one that is repeatable is a list. */
export type Flags = Readonly<Record<string, string | true | readonly string[] | undefined>>

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

/** The second words of the commands that begin with this one. */
export const secondWords = (commands: readonly Command[], group: string): string[] =>
  commands.flatMap(({ words }) => (words[0] === group && words[1] !== undefined ? [words[1]] : []))
