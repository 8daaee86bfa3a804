import type { SQL } from 'bun'
import { newClient } from './postgres-connection.ts'
import type { PostgresPool } from './postgres-pool.ts'

export const channel = 'formbox_log'
/** After a connection that worked was lost, and after one that could not be made. */
const pauseMilliseconds = { lost: 50, failed: 1000 }
/** A connection that hears of nothing for this long, while rows are found without it, is made anew. */
const deafMilliseconds = 3000
const maxDeafMilliseconds = 60_000

/**
 * Listens to the primary for numbers of new rows, on its own connection. It finds the primary again after a
 * fail-over. Where nothing comes through, such as behind PgBouncer, it tries again now and then.
 */
export const openListener = (pool: PostgresPool) => {
  let wake: ((seq: number | null) => void) | null = null
  let sql: SQL | null = null
  let timer: Timer | null = null
  let isListening = false
  let deafLimit = deafMilliseconds
  /** Null until the first read. */
  let heard: number | null = null
  let deafSince: number | null = null

  const listen = async (): Promise<void> => {
    timer = null
    let own: SQL | null = null
    try {
      const primary = await pool.run(async (_, server) => server)
      if (!wake) return
      const client = newClient(primary, () => void (sql === client && reconnect()))
      own = client
      sql = client
      await client.listen(channel, (payload) => {
        const seq = Number(payload)
        heard = Math.max(heard ?? 0, seq)
        deafSince = null
        deafLimit = deafMilliseconds
        wake?.(seq)
      })
      isListening = true
      // Rows may have been appended before this connection listened.
      wake?.(null)
    } catch {
      if (own === sql) reconnect()
    }
  }

  const reconnect = (): void => {
    const pause = isListening ? pauseMilliseconds.lost : pauseMilliseconds.failed
    void sql?.close({ timeout: 0 })
    sql = null
    isListening = false
    deafSince = null
    if (!wake || timer) return
    timer = setTimeout(() => void listen(), pause)
  }

  pool.onLoss(() => void (sql && reconnect()))

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
      if (now - deafSince < deafLimit) return
      heard = seq
      deafLimit = Math.min(maxDeafMilliseconds, deafLimit * 2)
      reconnect()
    },
    close(): void {
      wake = null
      if (timer) clearTimeout(timer)
      void sql?.close({ timeout: 0 })
      sql = null
    },
  }
}
