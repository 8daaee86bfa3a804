import { createAppender } from './appender.ts'
import { beginText } from './batch-text.ts'
import { rowsAfter } from './chain.ts'
import { createMachine, firstPauseMilliseconds, longerPause, type Machine, type MachineOptions } from './machine.ts'
import { steadyNow } from './state.ts'

interface Options extends MachineOptions {
  /** Differs for each process: the identifiers of its rows begin with it. */
  readonly instance: string
  readonly fingerprint: () => string
  /** Longest time that a write waits. */
  readonly answerMilliseconds?: number
}

export type Follower = ReturnType<typeof startFollower>

/** Executes the log as it grows, and appends the batches of this machine. One batch is under way at a time. */
export const startFollower = (options: Options) => {
  const { log, state, instance, fingerprint, answerMilliseconds } = options
  const machine = createMachine(options)
  const { submit, limitWaits } = createAppender(machine, instance, answerMilliseconds)
  log.onAppended((seq) => {
    if (seq === null || seq > state.get('applied')) machine.wake()
  })
  const following = follow(machine, fingerprint)
  return {
    submit,
    limitWaits,
    /** Stops everything but reads of the file. */
    halt: machine.halt,
    async close(): Promise<void> {
      machine.stop()
      await log.close()
      await following
    },
  }
}

/** Longest pause between two reads, if the engine does not notify. */
const pollMilliseconds = 1000

const follow = async (machine: Machine, fingerprint: () => string): Promise<void> => {
  let isPrepared = false
  for (let pause = firstPauseMilliseconds; machine.isRunning(); ) {
    try {
      if (!isPrepared) await machine.log.prepare()
      isPrepared = true
      const isAtEnd = await readOn(machine, fingerprint)
      machine.faults.end('reading')
      pause = firstPauseMilliseconds
      if (isAtEnd) await machine.woken(pollMilliseconds)
    } catch (error) {
      if (!machine.mayRetry('reading', error)) return
      await machine.woken(pause)
      pause = longerPause(pause)
    }
  }
}

/** Reads and executes what follows. Returns whether that was all. */
const readOn = async (machine: Machine, fingerprint: () => string): Promise<boolean> => {
  const { log, state, position } = machine
  const from = position()
  const readAt = steadyNow()
  const { rows, end } = await log.readFrom(from.seq)
  state.set('end', end)
  if (from.seq === 0 && end === 0) {
    await begin(machine, fingerprint())
    return false
  }
  for (let following = rowsAfter(from, rows, end); following.length > 0; ) {
    // An append may have executed some of them while the log was read.
    following = following.filter(({ seq }) => seq > position().seq)
    if (following.length === 0) break
    following = following.slice(machine.execute(following))
    // Batches of this machine, reports and the end of the process get their turn.
    await new Promise(setImmediate)
  }
  if (position().seq < end) return false
  state.set('caughtUpAt', readAt)
  return true
}

/** Appends row 1. Machines with the same data append the same row, which is one. */
const begin = async ({ log, version }: Machine, fingerprint: string): Promise<void> => {
  await log.append({ id: `begin-${fingerprint}`, version, batch: beginText(fingerprint) })
}
