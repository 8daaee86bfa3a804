import { dayMilliseconds, hourMilliseconds } from '../../base/durations.ts'
import { afterEveryId, creationTime } from '../../base/id.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { FileWrites } from '../../submissions/files/file-writes.ts'
import type { UnfinishedImport } from '../../submissions/imports/import-reads.ts'
import { stagedByImport, takeBackMilliseconds } from '../../submissions/imports/import-reads.ts'
import type { ImportWrites } from '../../submissions/imports/import-writes.ts'
import { importSlice, restSlice } from '../../submissions/slices.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Imports extends Pick<JobOptions, 'now' | 'onFailure'> {
  readonly writer: Writer<FileWrites & ImportWrites>
  /** Name of this machine. */
  readonly node: string
  /** All for which something is left to do, the oldest first. */
  readonly withRest: () => readonly UnfinishedImport[]
  /** Called after something was deleted whose rows still have to be removed. */
  readonly onDeleted: () => void
  /** Called after an import has brought in all that it has. */
  readonly onAdded: () => void
}

/** For so long, a plan can be carried out. */
const planMilliseconds = hourMilliseconds
/** No file takes longer to be staged. */
const stagingMilliseconds = dayMilliseconds

/**
 * Brings in what imports have staged, and takes them back, slice by slice; forgets plans, and what is left of imports that
 * ended. A machine of a cluster does so for imports that began elsewhere too, once an hour: two machines that do the same
 * each do the next slice.
 */
export const runImports = ({ writer, node, withRest, onDeleted, onAdded, ...options }: Imports): Job => {
  const startedAt = options.now()

  /** Does a part. Returns whether more is left, or when. */
  const doPart = async ({ id: importId, state, ...found }: UnfinishedImport): Promise<boolean | number> => {
    const now = options.now()
    const age = now - creationTime(importId)
    if (state === 'adding') {
      const isMoreLeft = await writer.run('addSlice', { importId, now, ...importSlice })
      if (!isMoreLeft) onAdded()
      return isMoreLeft
    }
    if (state === 'removing') return (await writer.run('removeSlice', { importId })) || removeRest(importId)
    if (state === 'staging') {
      const beganAt = found.beganAt ?? creationTime(importId)
      const isOver = now - beganAt > stagingMilliseconds || (found.node === node && beganAt < startedAt)
      if (isOver) await writer.run('failImport', { importId, now })
      return isOver || now + hourMilliseconds
    }
    const keptUntil = state === 'done' ? (found.finishedAt ?? 0) + takeBackMilliseconds : now - age + planMilliseconds
    if ((state === 'done' || state === 'planned') && now < keptUntil) return keptUntil
    return await removeRest(importId)
  }

  const removeRest = async (importId: string): Promise<boolean> => {
    if (await writer.run('giveUpFiles', { stagedBy: stagedByImport(importId), before: afterEveryId })) onDeleted()
    return await writer.run('removeRest', { importId, ...restSlice })
  }

  return createJob({
    ...options,
    task: 'bring in what was imported',
    async step(stopping) {
      let next: number | null = null
      for (const found of withRest()) {
        const startedAt = performance.now()
        const left = await doPart(found)
        if (left === true) {
          // As long as it has kept other writes waiting.
          if (!stopping.aborted) await Bun.sleep(Math.min(maxPauseMilliseconds, performance.now() - startedAt))
          return options.now()
        }
        if (found.state === 'removing') onDeleted()
        if (left !== false) next = Math.min(next ?? left, left)
      }
      return next
    },
  })
}

const maxPauseMilliseconds = 200
