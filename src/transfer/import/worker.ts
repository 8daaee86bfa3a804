// The Worker that reads and checks a file that is imported, while the server goes on. It is an entry point, also in the executable.

import { closeSync, openSync, writeSync } from 'node:fs'
import { setPriority } from 'node:os'
import { secondMilliseconds } from '../../base/durations.ts'
import { AppError, describeError, type Issue, invalid } from '../../base/errors.ts'
import { failureOfMachine } from '../../base/operator-errors.ts'
import { connect } from '../../storage/open.ts'
import { stagedBytes } from '../../submissions/files/file-reads.ts'
import type { ImportFormat } from '../formats.ts'
import { emptyPlan, type Plan } from './plan.ts'
import { removePresent } from './remove-present.ts'
import { removeFilesOf, stagedName, uploadPath } from './task-files.ts'
import type { TimeOptions } from './time-column.ts'
import { isTaken, tooMuch } from './too-much.ts'
import { understandFile } from './understand-file.ts'

declare const self: Worker

export interface Task {
  readonly folder: string
  /** Of the staged file, and of the import. */
  readonly id: string
  readonly form: { readonly number: number; readonly settings: string | null }
  readonly format: ImportFormat
  readonly isRaw: boolean
  readonly time: TimeOptions
  /** Unix milliseconds. */
  readonly now: number
  /** Shared with the thread that waits for the result: no longer 0 when it does so no more. */
  readonly stop: Int32Array
}

/** A file that was understood. Its caller removes both files. */
export interface Understood {
  readonly plan: Plan
  readonly fieldNames: readonly string[]
  /** What is to be imported, see `Staged`. */
  readonly stagedPath: string
  /** The file itself. */
  readonly path: string
}

export type TaskResult =
  | ({ readonly state: 'understood' } & Understood)
  | { readonly state: 'refused'; readonly issues: readonly Issue[]; readonly plan: Plan }
  /** The machine has failed, such as its disk; or it is a defect. The reason is for the log. */
  | { readonly state: 'failed'; readonly isOfMachine: boolean; readonly reason: string }

self.onmessage = async ({ data: task }: MessageEvent<Task>) => {
  giveWay()
  self.postMessage(await work(task))
  process.exit(0)
}

const work = async ({ folder, id, form, now, stop, ...options }: Task): Promise<TaskResult> => {
  const path = uploadPath({ folder, id })
  const plan = emptyPlan()
  const db = connect(folder)
  const goOn = stepper(stop)
  try {
    copyTo(path, stagedBytes(db)(id))
    const onSize = (size: Parameters<typeof isTaken>[0]): void => {
      goOn()
      if (!isTaken(size)) throw invalid({ message: `${tooMuch}, the most while a server is running; split the file` })
    }
    const fileName = stagedName(id)
    const file = await understandFile(folder, path, { ...options, form, now, fileName, onSize, onProgress: goOn }, plan)
    // The thread ends, but its open files would stay open.
    file.closeSource()
    const { path: stagedPath, fieldNames, count } = file.staged
    db.$client.run('ATTACH ? AS staged', [stagedPath])
    plan.present = removePresent(db.$client, form.number)
    plan.rows = count - plan.present
    goOn()
    return { state: 'understood', plan, fieldNames, stagedPath, path }
  } catch (error) {
    removeFilesOf({ folder, id })
    if (error instanceof AppError && error.code === 'invalid') return { state: 'refused', issues: error.issues, plan }
    return { state: 'failed', isOfMachine: failureOfMachine(error) !== undefined, reason: describeError(error) }
  } finally {
    db.$client.close()
  }
}

/** The returned function is called whenever more of the file was read. It says so once a second, and throws if it is to end. */
const stepper = (stop: Int32Array): (() => void) => {
  let saidAt = performance.now()
  return () => {
    if (Atomics.load(stop, 0) !== 0) throw new Error('no one waits for it')
    const at = performance.now()
    if (at - saidAt < secondMilliseconds) return
    saidAt = at
    self.postMessage('more')
  }
}

const copyTo = (path: string, pieces: Iterable<Uint8Array>): void => {
  const file = openSync(path, 'wx', 0o600)
  try {
    for (const piece of pieces) for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at)
  } finally {
    closeSync(file)
  }
}

/** On Linux, of this thread alone: requests go first on a machine without a free core. */
const giveWay = (): void => {
  if (process.platform !== 'linux') return
  try {
    setPriority(10)
  } catch {
    // The system does not allow it.
  }
}
