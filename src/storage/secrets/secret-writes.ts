import type { Db } from '../open.ts'
import { secrets } from '../tables.ts'

export type SecretWrites = ReturnType<typeof secretWrites>

export const secretWrites = (db: Db) => ({
  /** Stores a secret, unless there is one already. @param value base64 */
  createSecret(input: { name: string; value: string }): void {
    db.insert(secrets).values(input).onConflictDoNothing().run()
  },
})
