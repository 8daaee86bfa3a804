// Looks into the data files of machines that run.
import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { join } from 'node:path'
import { type Fingerprint, fingerprintOf } from '../../src/storage/cluster/fingerprint.ts'
import { slowly, until } from '../until.ts'

interface InFolder {
  readonly folder: string
}

export const dataOf = ({ folder }: InFolder) =>
  new Database(join(folder, 'formbox.db'), { readwrite: true, create: false })

const seqIn = (db: Database): number => db.query<{ seq: number }, []>('SELECT seq FROM log_position').get()?.seq ?? 0

export const appliedOn = (machine: InFolder): number => {
  const db = dataOf(machine)
  try {
    return seqIn(db)
  } finally {
    db.close()
  }
}

/** Resolves when a machine has executed all that another one has. */
export const caughtUp = async (machine: InFolder, with_: InFolder): Promise<void> => {
  const seq = appliedOn(with_)
  await until(() => appliedOn(machine) >= seq, `row ${seq} is executed`, slowly)
}

/** Waits until all have executed the same row, and looks whether they hold the same then. Jobs may write all the time. */
export const expectEqual = async (machines: readonly InFolder[]): Promise<void> => {
  let states = machines.map(stateOf)
  await until(
    () => {
      states = machines.map(stateOf)
      return states.every(({ seq }) => seq === states[0]?.seq)
    },
    'all machines have executed the same rows',
    slowly,
  )
  for (const { fingerprint } of states) expect(fingerprint).toEqual(states[0]?.fingerprint as Fingerprint)
}

const stateOf = (machine: InFolder) => {
  const db = dataOf(machine)
  try {
    return db.transaction(() => ({ seq: seqIn(db), fingerprint: fingerprintOf(db) }))()
  } finally {
    db.close()
  }
}
