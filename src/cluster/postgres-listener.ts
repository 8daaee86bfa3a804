import type { SQL } from 'bun'
import type { LogLimits } from './log.ts'
import { newClient, type PostgresPool } from './postgres-pool.ts'

export const channel = 'formbox_log'
/** A connection that tells of nothing for so long, while rows are found without it, is made anew. */
const deafMilliseconds = 3000
const maxPauseMilliseconds = 10_000

/**
 * Listens to the primary for numbers of new rows, on a connection of its own. It finds the primary again after a
 * fail-over. Where nothing comes through, such as behind PgBouncer, it tries again now and then.
 */
export const openListener = (pool: PostgresPool, limits: LogLimits) => {
  let wake: ((seq: number | null) => void) | null = null
  let sql: SQL | null = null
  let timer: Timer | null = null
  let pause = 0
  /** Null until the first read. */
  let heard: number | null = null
  let deafSince: number | null = null

  const listen = async (): Promise<void> => {
    timer = null
    let own: SQL | null = null
    try {
      const primary = await pool.run(async (_, server) => server)
      if (!wake) return
      const client = newClient(primary, () => void (sql === client && again()))
      own = client
      sql = client
      await client.listen(channel, (payload) => {
        const seq = Number(payload)
        heard = Math.max(heard ?? 0, seq)
        deafSince = null
        pause = 0
        wake?.(seq)
      })
      // Rows may have been appended while nobody listened.
      wake?.(null)
    } catch {
      if (own === sql) again()
    }
  }

  const again = (): void => {
    void sql?.close({ timeout: 0 })
    sql = null
    deafSince = null
    if (!wake || timer) return
    timer = setTimeout(() => void listen(), pause)
    pause = Math.min(maxPauseMilliseconds, Math.max(limits.callMilliseconds / 10, pause * 2))
  }

  pool.onTrouble(() => void (sql && again()))

  return {
    start(callBack: (seq: number | null) => void): void {
      wake = callBack
      void listen()
    },
    /** @param seq the last row that was found */
    noteRead(seq: number): void {
      heard ??= seq
      if (!sql || seq <= heard) return
      const now = performance.now()
      deafSince ??= now
      if (now - deafSince < deafMilliseconds) return
      heard = seq
      again()
    },
    close(): void {
      wake = null
      if (timer) clearTimeout(timer)
      void sql?.close({ timeout: 0 })
      sql = null
    },
  }
}
