import type { Connection } from '../open.ts'

export type ProbeWrites = ReturnType<typeof probeWrites>

export const probeWrites = (db: Connection) => ({
  /** Writes one page with its present content, to find out whether the disk can be written again. */
  probe(): void {
    const version = db.$client.query<{ user_version: number }, []>('PRAGMA user_version').get()
    db.$client.run(`PRAGMA user_version = ${version?.user_version ?? 0}`)
  },
})
