import type { Db } from '../db/open.ts'
import { param, receivers } from '../db/tables.ts'
import { derivedId } from '../id.ts'
import { receiverReader, receiverSwitch } from './receivers.ts'
import { derivedSecret } from './webhook-secret.ts'

/** Gives a copied form the webhooks of its original, with secrets of their own. @param seed see `derivedSecret` */
export const webhookCopier = (db: Db) => {
  const receiversOf = receiverReader(db)
  const { recount } = receiverSwitch(db)
  const insert = db
    .insert(receivers)
    .values({
      form: param('form'),
      id: param('id'),
      kind: param('kind'),
      target: param('target'),
      host: param('host'),
      format: param('format'),
      description: param('description'),
      secret: param('secret'),
      isEnabled: param('isEnabled'),
      disabledReason: param('disabledReason'),
    })
    .prepare()

  return (original: number, copy: { readonly number: number; readonly id: string }, seed: string): void => {
    const webhooks = receiversOf(original).filter(({ kind }) => kind === 'webhook')
    if (webhooks.length === 0) return
    for (const { kind, target, host, format, description, isEnabled, disabledReason, ...webhook } of webhooks) {
      const id = derivedId(copy.id, webhook.id)
      const secret = derivedSecret(seed, id)
      insert.run({ form: copy.number, id, kind, target, host, format, description, secret, isEnabled, disabledReason })
    }
    recount(copy.number)
  }
}
