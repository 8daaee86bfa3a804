import type { Config } from '../config/config.ts'
import { openLineOutput } from '../server/log/line-output.ts'
import { droppedLine, logLines, startLines } from '../server/log/log-lines.ts'
import type { Running } from '../server/start.ts'
import { showStep } from '../upkeep/backups/progress.ts'
import type { Command } from './command.ts'
import { configFor, dataFlag, hostFlag, portFlag } from './flags.ts'
import { continueWhenUnwritable } from './output.ts'

export const serve: Command = {
  words: ['serve'],
  summary: 'run the server (default command)',
  flags: [hostFlag, portFlag, dataFlag],
  run: async (flags) => {
    const config = configFor(flags)
    const { log, publicUrl, dataFolder: folder } = config
    return await serveUntilStopped(config, (running) => startLines(log.format, { ...running, publicUrl, folder }))
  },
}

/**
 * Runs the server until a signal stops it. Returns the exit code.
 *
 * @param toLines what is printed when it answers
 * @param stop called before that; resolves when the server is to end
 */
export const serveUntilStopped = async (
  config: Config,
  toLines: (running: Running) => string[],
  stop = () => signal('SIGTERM', 'SIGINT'),
): Promise<number> => {
  // Only this needs the web server.
  const { startFormbox } = await import('../server/start.ts')
  const output = openLineOutput(process.stdout.fd, {
    toDroppedLine: (count) => droppedLine(config.log.format, count),
  })
  const running = await startFormbox({
    config,
    report: (message, requestId) => process.stderr.write(`formbox: request ${requestId}: ${message}\n`),
    requestLog: logLines(config.log, output.write),
    onWriterDeath: (reason) => {
      process.stderr.write(`formbox: the writer died, so nothing can be saved: ${reason}\n`)
      process.exit(1)
    },
    onFault: (line) => process.stderr.write(`formbox: ${line}\n`),
    onHalt: (line, isOutdated) => {
      process.stderr.write(`formbox: ${line}\n`)
      if (!isOutdated) process.exit(1)
    },
    onStep: showStep,
    onJobFailure: (reason) => process.stderr.write(`formbox: ${reason}\n`),
  })
  // Before the address is printed: a program that reads it may send the signal at once.
  const stopped = stop()
  continueWhenUnwritable()
  // In one write, because a program that waits for the address may read no further.
  process.stdout.write(`${toLines(running).join('\n')}\n`)
  await stopped
  await running.stop()
  if (running.isGone()) process.kill(process.pid, 'SIGKILL')
  // A pending write without a reader would keep the process alive.
  if (!(await output.close())) process.exit(0)
  return 0
}

/** Resolves at the first of these signals. After that the default applies: the next one ends the process. */
export const signal = (...names: readonly NodeJS.Signals[]): Promise<void> =>
  new Promise((resolve) => {
    const onSignal = (): void => {
      for (const name of names) process.off(name, onSignal)
      resolve()
    }
    for (const name of names) process.on(name, onSignal)
  })
