import { sql } from 'drizzle-orm'
import { OperatorError } from '../../base/operator-errors.ts'
import type { Connection, Db } from '../open.ts'
import { jobLeases, keptOutcomes, logPosition, params } from '../tables.ts'

/** The row of the log that a file has executed last. */
export interface Position {
  /** Its number; 0 for none. */
  readonly seq: number
  /** Its identifier; empty for none. */
  readonly id: string
}

const beginning: Position = { seq: 0, id: '' }

/** Reads it; `beginning` for a file that a cluster has never used. */
export const readPosition = (db: Db): Position =>
  db.select({ seq: logPosition.seq, id: logPosition.id }).from(logPosition).get() ?? beginning

export const positionWriter = (db: Db): ((position: Position) => void) => {
  const write = db
    .insert(logPosition)
    .values({ ...params('seq', 'id'), one: 1 })
    .onConflictDoUpdate({ target: logPosition.one, set: { seq: sql`excluded.seq`, id: sql`excluded.id` } })
    .prepare()
  return ({ seq, id }) => void write.run({ seq, id })
}

/** Makes the file that of a standalone machine. */
export const leaveCluster = (db: Connection): void =>
  db.$client.transaction(() => {
    db.delete(logPosition).run()
    db.delete(keptOutcomes).run()
    db.delete(jobLeases).run()
  })()

/** @throws OperatorError if the file has executed the log of a cluster: what is written to it alone would be lost */
export const refuseIfClustered = (db: Db): void => {
  if (readPosition(db).seq > 0)
    throw new OperatorError(
      'the data belongs to a cluster; run this with the settings of the server, including FORMBOX_CLUSTER. To take this machine out permanently: formbox cluster leave',
    )
}
