import { parseConfig } from '../config.ts'
import { openLineOutput } from '../http/line-output.ts'
import { droppedLine, logLines } from '../http/log-lines.ts'
import { startFormbox } from '../start.ts'
import type { Flags } from './flags.ts'
import { settingFlags } from './setting-flags.ts'

export const run = async (flags: Flags): Promise<number> => {
  const config = parseConfig(process.env, settingFlags(flags))
  const output = openLineOutput(process.stdout.fd, {
    toDroppedLine: (count) => droppedLine(config.log.format, count),
  })
  const running = await startFormbox({
    config,
    report: (message, requestId) => process.stderr.write(`formbox: request ${requestId}: ${message}\n`),
    log: logLines(config.log, output.write),
    onWriterDeath: (reason) => {
      process.stderr.write(`formbox: the writer died, so nothing can be saved: ${reason}\n`)
      process.exit(1)
    },
    onBackupFailure: (reason) => process.stderr.write(`formbox: ${reason}\n`),
  })
  // Before the line: who reads it may send the signal at once.
  const stopped = signal('SIGTERM', 'SIGINT')
  const address = config.publicUrl ?? running.url
  process.stdout.write(`Formbox listens on ${address}\n${invitation(address, running.setupPath)}`)
  await stopped
  await running.stop()
  // A write that waits for a reader would keep the process from ending.
  if (!(await output.close())) process.exit(0)
  return 0
}

const invitation = (address: string, setupPath: string | null): string =>
  setupPath === null ? '' : `Create the first account within 30 minutes: ${address}${setupPath}\n`

const signal = (...names: readonly NodeJS.Signals[]): Promise<void> =>
  new Promise((resolve) => {
    for (const name of names) process.once(name, () => resolve())
  })
