/** One row of the log that all machines of a cluster execute in the same order. */
export interface LogRow {
  /** 1, 2, 3, … without a gap. */
  readonly seq: number
  /** Chosen by the machine that appended it. A retry after a lost response carries the same one. */
  readonly id: string
  /** Number of migrations in the schema of the machine that appended it. */
  readonly version: number
  /** JSON: what the writer sends its Worker, or how the log began. */
  readonly batch: string
}

/** A report of one machine about itself. */
export interface NodeReport {
  readonly name: string
  /** Chosen by the process when it starts: it tells two machines with the same name apart. */
  readonly instance: string
  /** Number of the row that it executed last. */
  readonly applied: number
  readonly version: number
  /** Number of the last row in its newest backup; null if it makes none. */
  readonly backedUp: number | null
  /** URL at which other machines reach it; null if not known. */
  readonly url: string | null
}

export interface NodeSeen extends NodeReport {
  /** Age of the report, by the engine's clock. */
  readonly secondsAgo: number
}

export interface LogLimits {
  /** Time for one call, with all that it needs. */
  readonly callMilliseconds: number
  /** Time in which one of the engine's servers must accept a connection. */
  readonly connectMilliseconds: number
}

/** One of the engine's servers. */
export interface LogServer {
  readonly url: URL
  /** Host and port, for messages. */
  readonly label: string
  /** Empty for none. */
  readonly user: string
  readonly password: string
}

/** Bounds of one `readFrom`. A single row may be larger. */
const maxReadBytes = 4 * 1024 * 1024
export const maxReadRows = 4096

/**
 * The agreed order of all writes, kept by an engine that makes each row durable before `append` resolves.
 *
 * Every function throws `LogUnavailable` if the engine did not respond, or not in time: then no one knows whether an
 * append took place. A fault of the set-up, such as a wrong password, is an `OperatorError`.
 */
export interface ClusterLog {
  /** Makes the tables that are missing. */
  prepare(): Promise<void>
  /**
   * Appends a row, or finds the one with this identifier if it was appended before.
   *
   * @returns its number, and the identifier of the row before it: null for row 1, or if that row was trimmed
   */
  append(row: Omit<LogRow, 'seq'>): Promise<{ readonly seq: number; readonly previousId: string | null }>
  /**
   * The rows from this number on, in order, up to 4 MiB of them and at least one that follows. The batch of the row with
   * this very number is left empty: it is read for its identifier.
   */
  readFrom(seq: number): Promise<{
    readonly rows: readonly LogRow[]
    /** Number of the last row of the log, in the same state; 0 if there is none. */
    readonly end: number
  }>
  /** Numbers of the first and the last row; null if there is none. */
  ends(): Promise<{ readonly first: number; readonly last: number } | null>
  /**
   * Calls back when rows may have been appended, as soon as the engine notifies, with the number of the last one where it
   * is known. No caller may rely on it.
   */
  onAppended(wake: (seq: number | null) => void): void
  /** Stores the report of a machine. */
  report(node: NodeReport): Promise<void>
  /** All machines that have not been forgotten, in the order of their names. */
  nodes(): Promise<NodeSeen[]>
  forget(name: string): Promise<void>
  /** Deletes rows before this number, at most a slice of them. @returns whether there are more */
  trim(before: number): Promise<boolean>
  /** A random text that only machines with access to the engine know. The first call chooses it. */
  token(): Promise<string>
  /** Lines for the operator, such as that no synchronous standby is connected; empty if all is well. */
  warnings(): Promise<string[]>
  close(): Promise<void>
}

/** Thrown when the engine did not respond, or not in time. The message says why in one line, without the password. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable'
}

/**
 * Thrown when a machine cannot know what to do with the next row of the log, and so executes none from there on. The
 * message is one line that says what the operator has to do.
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

const minReadBytes = 64 * 1024

/** Asks for less of the log after a read that failed, so that a slow network gets on, and for more after each success. */
export const adaptSliceSize = () => {
  let bytes = maxReadBytes
  return async <T>(read: (maxBytes: number) => Promise<T>): Promise<T> => {
    try {
      const found = await read(bytes)
      bytes = Math.min(maxReadBytes, bytes * 2)
      return found
    } catch (error) {
      bytes = Math.max(minReadBytes, bytes / 4)
      throw error
    }
  }
}
