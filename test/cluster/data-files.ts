// Looks into the data files of machines that run.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { fingerprintOf } from '../../src/cluster/fingerprint.ts'
import { until } from '../until.ts'

export interface InFolder {
  readonly folder: string
}

export const dataOf = ({ folder }: InFolder) =>
  new Database(join(folder, 'formbox.db'), { readwrite: true, create: false })

export const appliedOn = (machine: InFolder): number => {
  const db = dataOf(machine)
  try {
    return db.query<{ seq: number }, []>('SELECT seq FROM log_position').get()?.seq ?? 0
  } finally {
    db.close()
  }
}

export const fingerprint = (machine: InFolder) => {
  const db = dataOf(machine)
  try {
    return fingerprintOf(db)
  } finally {
    db.close()
  }
}

/** The fingerprints of its tables, not of their definitions. */
export const tablesOf = (machine: InFolder) => fingerprint(machine).tables

/** Resolves when a machine has executed all that another one has. */
export const caughtUp = async (machine: InFolder, with_: InFolder): Promise<void> => {
  const seq = appliedOn(with_)
  await until(() => appliedOn(machine) >= seq)
}
