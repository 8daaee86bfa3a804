import { and, eq } from 'drizzle-orm'
import { sha256 } from '../../base/hash.ts'
import { type Receiver, receiverReader } from '../../outbox/receivers.ts'
import { type Db, oncePerConnection } from '../../storage/open.ts'
import { forms, param } from '../../storage/tables.ts'
import { type Form, liveForm } from '../form.ts'

/** Reads what a file can describe. */
export const formStates = oncePerConnection((db: Db) => {
  const receiversOf = receiverReader(db)
  const byName = db
    .select()
    .from(forms)
    .where(and(eq(forms.userId, param('userId')), eq(forms.name, param('name')), liveForm))
    .prepare()

  const webhooksOf = ({ number }: Pick<Form, 'number'>): Receiver[] =>
    receiversOf(number).filter(({ kind }) => kind === 'webhook')

  return {
    /** The form that a file of its owner names so. */
    findByName: (userId: string, name: string): Form | undefined => byName.get({ userId, name }),

    /** Its webhooks, in the order in which they were added. */
    webhooksOf,

    /**
     * Identifies what a file can change of a form: a hash. It tells whether someone else has changed it meanwhile. Logs have
     * it, so it stays the same in later versions.
     */
    stateOf(form: Form): string {
      const { name, userId, title, description, returnUrl, settings } = form
      const webhooks = webhooksOf(form).map((webhook) => [
        webhook.id,
        webhook.name,
        webhook.target,
        webhook.urlToken,
        webhook.format,
        webhook.headers,
        webhook.only,
        webhook.description,
        webhook.secret,
        webhook.isEnabled,
      ])
      return sha256(JSON.stringify([name, userId, title, description, returnUrl, settings, webhooks]), 'hex')
    },
  }
})
