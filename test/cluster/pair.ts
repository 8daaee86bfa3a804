// A PostgreSQL server with a synchronous standby that takes its place.
import { slowly, until } from '../until.ts'
import { type PostgresProcess, startPostgres, startStandby } from './postgres.ts'

export type Pair = Awaited<ReturnType<typeof startPair>>

/** @param settings as of `startPostgres`, of both servers */
export const startPair = async (settings: Readonly<Record<string, string>> = {}) => {
  let primary = await startPostgres(settings)
  let standby: PostgresProcess
  let count = 0

  /** From now on, no write is answered that the standby does not have. */
  const addStandby = async (): Promise<void> => {
    const name = `standby${++count}`
    standby = await startStandby(primary, name, settings)
    await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`)
    await primary.ask('SELECT pg_reload_conf()')
    await until(isSynchronous, 'the standby is synchronous', slowly)
  }
  const isSynchronous = async (): Promise<boolean> => {
    const [row] = await primary.ask<{ count: string }>(
      "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'",
    )
    return Number(row?.count) === 1
  }
  await addStandby()

  return {
    primary: () => primary,
    standby: () => standby,
    isSynchronous,
    /** The primary is dead. Its standby takes its place, with a new standby of its own. */
    async failOver(): Promise<void> {
      const [state] = await standby.ask<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"')
      if (!state?.isStandby) throw new Error('the standby is none')
      await standby.promote()
      primary = standby
      await primary.ask('ALTER SYSTEM RESET synchronous_standby_names')
      await primary.ask('SELECT pg_reload_conf()')
    },
    addStandby,
  }
}
