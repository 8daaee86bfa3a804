import { cannot } from '../operator-errors.ts'

/**
 * What comes of output that nobody takes, which would otherwise end in a stack trace. Standard output ends the command
 * with 1: with one line, or without a word where its reader has seen enough (`formbox key list | head -1`). Standard
 * error is lost, and no reason to end a server.
 */
export const endWhenUnwritable = (): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.stderr.write(`formbox: ${cannot('write to standard output', error).message}\n`)
    process.exit(1)
  })
  process.stderr.on('error', ignore)
}

/** For a server: what it prints is not worth stopping for. */
export const goOnWhenUnwritable = (): void => {
  process.stdout.removeAllListeners('error').on('error', ignore)
}

const ignore = (): void => {}
