/** One command of the command line. Its file exports it; `commands.ts` lists it. */
export interface Command {
  readonly words: readonly string[]
  /** The one value that follows the words, such as `EMAIL`. */
  readonly operand?: string
  /** Every value the operand can have, where that is known. */
  readonly choices?: readonly string[]
  readonly summary: string
  readonly flags: readonly Flag[]
  /**
   * Returns the exit code.
   *
   * @param operand empty for a command without one
   * @param all every command, for the one that describes them
   */
  readonly run: (flags: Flags, operand: string, all: readonly Command[]) => number | Promise<number>
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
