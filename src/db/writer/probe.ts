import type { Connection } from '../open.ts'

export type ProbeWrites = ReturnType<typeof probeWrites>

export const probeWrites = (db: Connection) => ({
  /** Writes one page that says what it said before, to find out whether the disk takes writes again. */
  probe(): void {
    const version = db.$client.query<{ user_version: number }, []>('PRAGMA user_version').get()
    db.$client.run(`PRAGMA user_version = ${version?.user_version ?? 0}`)
  },
})
