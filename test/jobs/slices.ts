import { expect } from 'bun:test'
import type { Job } from '../../src/upkeep/jobs/job.ts'
import { afterThisTest } from '../harness.ts'

/** Runs a job until it has nothing more to do at that time, and returns the commands that it has run. */
export const stepsOf = async (
  run: (name: never, input: never) => unknown,
  open: (needs: { readonly writer: never; readonly onFailure: (reason: string) => void }) => Job,
): Promise<string[]> => {
  const commands: string[] = []
  const writer = {
    run: async (name: string, input: unknown) => {
      commands.push(name)
      return run(name as never, input as never)
    },
  }
  const job = open({ writer: writer as never, onFailure: (reason) => expect.unreachable(reason) })
  afterThisTest(() => job.stop())
  job.start()
  // Nothing but the timer of the next step waits for anything.
  await new Promise<void>((resolve) => setImmediate(resolve))
  await job.stop()
  return commands
}
