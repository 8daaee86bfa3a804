/** One command of the command line. Its file exports it; `commands.ts` lists it. */
export interface Command {
  readonly words: readonly string[]
  /** The one value that follows the words, such as `EMAIL`. */
  readonly operand?: string
  /** All values that the operand can have, if there are few. */
  readonly choices?: readonly string[]
  readonly summary: string
  readonly flags: readonly Flag[]
  /**
   * Returns the exit code.
   *
   * @param operand empty if the command takes none
   * @param all every command, for `completions`
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
