/** One command of the command line. Its file exports it; `commands.ts` lists it. */
export interface Command {
  readonly words: readonly string[]
  /** The values that follow the words, such as `EMAIL`. */
  readonly operands?: readonly string[]
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
  /** What the help prints in place of the value. A flag without it is a switch. */
  readonly value?: string
  readonly help: string
  readonly isRequired?: true
}

/** Values by the flag's name; a switch that was given is `true`. */
export type Flags = Readonly<Record<string, string | true | undefined>>
