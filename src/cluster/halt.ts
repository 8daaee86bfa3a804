/**
 * A machine that cannot know what to do with the next row of the log, and so executes none from there on. Its message is
 * one line that says what the operator has to do.
 */
export class Halt extends Error {
  override readonly name = 'Halt'

  /** @param isOutdated the data is right as far as it goes: only a newer Formbox is needed to go on */
  constructor(
    message: string,
    readonly isOutdated = false,
  ) {
    super(message)
  }
}
