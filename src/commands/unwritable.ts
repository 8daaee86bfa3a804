import { cannot } from '../operator-errors.ts'

/**
 * Handles output that cannot be written, which would otherwise end in a stack trace. If standard output fails, the
 * command ends with 1 and prints one line, or nothing if the reader has closed the pipe (`formbox key list | head -1`).
 * Errors of standard error are ignored: they are no reason to end a server.
 */
export const endWhenUnwritable = (): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.stderr.write(`formbox: ${cannot('write to standard output', error).message}\n`)
    process.exit(1)
  })
  process.stderr.on('error', ignore)
}

/** For a server, which must not stop because its output cannot be written. */
export const continueWhenUnwritable = (): void => {
  process.stdout.removeAllListeners('error').on('error', ignore)
}

const ignore = (): void => {}
