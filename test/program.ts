// Runs Formbox in its own process: the executable if TEST_EXECUTABLE is set, otherwise the sources. Whoever starts a
// process must end it, even if a test fails.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const executable = process.env.TEST_EXECUTABLE

/** Whether the compiled executable is being tested. */
export const isCompiled = executable !== undefined

/** The command line that runs it. */
export const program = executable ? [executable] : [process.execPath, join(import.meta.dir, '../src/main.ts')]

/** Settings of every server that a test starts: a free port, and no limits unless the test is about them. */
export const testSettings = {
  FORMBOX_PORT: '0',
  FORMBOX_RATE_LIMIT: '0',
  FORMBOX_SUBMIT_LIMIT: '0',
  FORMBOX_MIN_FREE: '0',
}

interface Options {
  /** Its whole environment. */
  readonly environment: Readonly<Record<string, string>>
  /** Its working folder. */
  readonly folder?: string
  /** Runs the command, such as `strace` or a shell that sets a limit, or another command in its place. */
  readonly wrap?: ((command: readonly string[]) => string[]) | undefined
}

/** Starts a server, and collects all its output. `listening` resolves with its address when it answers. */
export const spawnProgram = (words: readonly string[], { environment, folder, wrap }: Options) => {
  const line = [...program, ...words]
  const child = Bun.spawn(wrap ? wrap(line) : line, {
    ...(folder !== undefined && { cwd: folder }),
    env: { ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let output = ''
  let errors = ''
  const gather = async (stream: ReadableStream<Uint8Array>, add: (text: string) => void) => {
    const decoder = new TextDecoder()
    for await (const bytes of stream) add(decoder.decode(bytes, { stream: true }))
  }
  const { promise: announced, resolve: announce } = Promise.withResolvers<string>()
  const reading = Promise.all([
    gather(child.stdout, (text) => {
      output += text
      // The line may be text or JSON.
      const address = /listens(?: on |","url":")(http[^\s"]+).*\n/.exec(output)?.[1]
      if (address) announce(address)
    }),
    gather(child.stderr, (text) => (errors += text)),
  ])
  const died = child.exited.then(async (code) => {
    await reading
    throw new Error(`the server ended with ${code}: ${errors}`)
  })
  // After the start, nothing waits for this promise.
  died.catch(() => {})

  return {
    pid: child.pid,
    listening: Promise.race([announced, died]),
    output: () => output,
    errors: () => errors,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    kill: (signal: NodeJS.Signals): void => child.kill(signal),
    /** The exit code as a shell reports it: above 128 after a signal. */
    exited: child.exited,
    /** Resolves when all output was read, with the exit code and the signal that ended it, if any. */
    async ended() {
      await child.exited
      await reading
      return { exitCode: child.exitCode, signal: child.signalCode }
    },
    /** Kills the process, if it is alive, and its children: a server survives when its `strace` is killed. */
    async destroy(): Promise<void> {
      for (const id of childrenOf(child.pid)) killIfAlive(id)
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await child.exited
    },
  }
}

const childrenOf = (id: number): number[] => {
  try {
    return readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    // The process has ended, or the system has no such file.
    return []
  }
}

const killIfAlive = (id: number): void => {
  try {
    process.kill(id, 'SIGKILL')
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ESRCH') throw error
  }
}
