import type { Exchange } from '../http/exchange.ts'
import { createUnderWay, idempotencyKey, markReplayed } from '../http/idempotency-key.ts'
import type { Caller } from '../keys/store.ts'
import { hashOf, nameRequest, type Repeatable } from '../once/once.ts'

interface Call {
  /** Keys mean something for a user, not for a key of the API: that one may be replaced before a repeat. */
  readonly caller: Caller
  readonly method: string
  /** Pattern and values, such as `/forms/:formId/duplicate`. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
}

/** Calls of operations that create something, if their clients name them with an `Idempotency-Key`. */
export const openNamedCalls = (now: () => number) => {
  const carryOut = createUnderWay()

  /** Undefined if the client did not name it. @throws AppError `invalid` */
  return (exchange: Exchange) => {
    const key = idempotencyKey(exchange.request)
    if (key === undefined) return undefined
    let bodyHash = ''
    return {
      /** To be called with the bytes of the body, if there is one. */
      onBody(bytes: Uint8Array): void {
        bodyHash = hashOf(bytes)
      },

      /** @throws AppError `unavailable` while another call with the key is carried out */
      carryOut<T>({ caller, method, path, params }: Call, work: (repeatable: Repeatable) => Promise<T>): Promise<T> {
        const content = JSON.stringify([method, path, params, bodyHash])
        const once = nameRequest({ scope: `user ${caller.userId}`, key, content, at: now() })
        return carryOut(once, () => work({ once, onRepeat: () => markReplayed(exchange) }))
      },
    }
  }
}
