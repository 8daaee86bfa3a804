import { rmSync } from 'node:fs'
import type { Measurement } from '../measurement.ts'
import { delayMilliseconds } from '../process.ts'
import { closeAll, type Goal, type Scene } from '../scene.ts'
import { bearer, type World } from '../seed.ts'
import { load, runWrk } from '../wrk.ts'
import { startWriting } from './write.ts'

/** As many as `read-form` has, and four, which show waits behind the writers best. */
const readers = [64, 4] as const

/** Reads of one form, alone and while writers send as fast as they are answered. */
export const mixedScene = (isSlow: boolean): Scene => {
  const prefix = isSlow ? 'slow-' : ''
  const writers = isSlow ? 256 : 64
  const idle = (count: number) => `${prefix}read-idle-${count}`
  const busy = (count: number) => `${prefix}read-under-write-${count}`
  const writes = (count: number) => `${prefix}write-under-read-${count}`

  const open = async (world: World) => {
    const { server, folder, key, formId, submitJson } = await startWriting(world, { isSlow })
    const read = { path: `/api/v1/forms/${formId}`, headers: bearer(key) }
    const measures: Record<string, (seconds: number) => Promise<Measurement>> = {}
    for (const count of readers) {
      let meanwhile: Measurement | undefined
      measures[idle(count)] = (seconds) => load(server, read, count, seconds)
      measures[busy(count)] = async (seconds) => {
        // The writers start earlier and end later, so that no read happens without them.
        const writing = runWrk(server, submitJson, writers, seconds + 2)
        await Bun.sleep(1000)
        const reads = await runWrk(server, read, count, seconds)
        // The process works for both, so neither has a processor time of its own.
        meanwhile = { ...(await writing), cpu: null }
        return { ...reads, cpu: null }
      }
      measures[writes(count)] = async (seconds) => {
        if (!meanwhile) await measures[busy(count)]?.(seconds)
        return meanwhile as Measurement
      }
    }
    const close = async () => {
      await closeAll([server])
      rmSync(folder, { recursive: true, force: true })
    }
    return { measures, close }
  }

  return {
    cases: readers.flatMap((count) => [busy(count), writes(count)]),
    baselines: readers.map(idle),
    goals: readers.flatMap((count): readonly Goal[] => {
      const of = busy(count)
      const says = `p99 of ${count} readers while ${writers} write`
      if (!isSlow) return [{ says: `${says}: at most 3 times idle`, of, figure: 'p99', to: idle(count), atMost: 3 }]
      const slower = `${says}, fsync ${delayMilliseconds} ms slower`
      // They wait for those of one commit on the same thread, much as 64 readers wait for each other.
      const times = count < 64 ? 2 : 3
      return [
        // No read waits for an fsync.
        { says: `${slower}: at most ${delayMilliseconds} ms`, of, figure: 'p99', atMost: delayMilliseconds },
        { says: `${slower}: at most ${times} times 64 idle readers`, of, figure: 'p99', to: idle(64), atMost: times },
      ]
    }),
    ...(isSlow && { isSlow }),
    open,
  }
}
