import { and, eq } from 'drizzle-orm'
import { AppError, invalid } from '../../base/errors.ts'
import type { DigestTimes } from '../../outbox/digest-times.ts'
import type { Db } from '../../storage/open.ts'
import { forms, given, param, receivers } from '../../storage/tables.ts'
import { accessIn } from '../access.ts'
import type { Form } from '../form.ts'
import type { FormChanges, FormWrites } from '../form-writes.ts'
import type { SettingsChanges } from '../settings/settings.ts'
import type { checkHeaders } from '../webhooks/webhook-headers.ts'
import type { StoredMembers, WebhookWrites } from '../webhooks/webhook-writes.ts'
import { formStates } from './form-state.ts'

/** Changes that make a form what a file says. What is absent keeps its value. */
export interface AppliedForm {
  /** Its name in files. */
  readonly name: string
  readonly id: string
  /** The form's state when the changes were found, as `stateOf` describes it; null for a new form. */
  readonly before: string | null
  /** With a title, if the form is new. */
  readonly fields: FormChanges
  readonly settings: SettingsChanges
  /** See `timesOf`. */
  readonly digestAt?: DigestTimes | undefined
  readonly webhooks: readonly AppliedWebhook[]
}

interface AppliedWebhook {
  readonly name: string
  readonly id: string
  readonly isNew: boolean
  /** The secret that it is to sign with. */
  readonly secret?: string | undefined
  readonly fields?: WebhookFields | undefined
  readonly enabled?: boolean | undefined
}

/** All of them, also those that stay the same: headers may stay only with the URL for which they were entered. */
export interface WebhookFields extends StoredMembers {
  /** With `•••` in the place of its secret part. */
  readonly url: string
  readonly urlToken: string | null
  /** Host and port of the URL. */
  readonly host: string
  readonly headers: ReturnType<typeof checkHeaders>
}

interface Applied {
  readonly userId: string
  /** Unix milliseconds. */
  readonly now: number
  /** Until when a secret that is replaced signs as well. */
  readonly oldSecretUntil: number
  readonly forms: readonly AppliedForm[]
}

/** Makes forms what a file says. */
export const applyWrites = (db: Db, writes: FormWrites & WebhookWrites) => {
  const { findFormTo } = accessIn(db)
  const { findByName, stateOf } = formStates(db)
  const { setFormName, setWebhookName } = nameStatements(db)

  const begin = (userId: string, { name, id, before, fields }: AppliedForm, now: number): Form => {
    if (before === null) {
      if (findByName(userId, name)) throw changedMeanwhile()
      writes.createForms({ userId, forms: [{ ...fields, title: fields.title ?? name, id }] })
      return findFormTo('configure', userId, id)
    }
    const form = findFormTo('configure', userId, id)
    if (stateOf(form) !== before) throw changedMeanwhile()
    const { title, description, returnUrl } = fields
    writes.updateForms({ userId, now, forms: [{ id, title, description, returnUrl }] })
    return form
  }

  const applyWebhook = ({ userId, now, oldSecretUntil }: Applied, form: Form, webhook: AppliedWebhook): void => {
    const { name, id, isNew, secret, fields, enabled } = webhook
    const names = { userId, now, formId: form.id, id }
    if (isNew && fields && secret !== undefined) writes.createWebhook({ ...names, ...fields, secret })
    else if (secret !== undefined) writes.rotateWebhook({ ...names, secret, oldSecretUntil })
    if (enabled !== undefined || (!isNew && fields)) writes.updateWebhook({ ...names, ...(!isNew && fields), enabled })
    setWebhookName.run({ form: form.number, id, name })
  }

  return {
    /**
     * Applies a file to all of its forms, or to none.
     *
     * @throws AppError `invalid` that names the form, also if someone else has changed it since the changes were found
     */
    applyForms(input: Applied): void {
      const { userId, now } = input
      for (const form of input.forms)
        inForm(`forms.${form.name}`, () => {
          const found = begin(userId, form, now)
          if (found.name !== form.name) {
            // Its owner may be another user, who shares it.
            if (findByName(found.userId ?? userId, form.name)) throw takenName()
            setFormName.run({ number: found.number, name: form.name })
          }
          const { id, settings, digestAt } = form
          writes.updateFormSettings({ userId, now, digestAt, id, changes: settings })
          for (const webhook of form.webhooks)
            inForm(`webhooks.${webhook.name}`, () => applyWebhook(input, found, webhook))
        })
    },
  }
}

/** Names the part of the file in an error. */
const inForm = <T>(path: string, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // Without any, the form was deleted or is no longer shared, or the user may no longer own one.
    const { issues: found } = error.issues.length > 0 ? error : changedMeanwhile()
    const issues = found.map(({ field, ...issue }) => {
      const inside = field === undefined || field === 'formId' ? path : `${path}.${field}`
      return { ...issue, field: inside }
    })
    throw invalid(...issues)
  }
}

const changedMeanwhile = (): AppError =>
  invalid({ message: 'was changed by someone else at the same time; run this again to see what differs now' })

const takenName = (): AppError => invalid({ message: 'is what files call another form of the same owner' })

const nameStatements = (db: Db) => {
  const setFormName = db
    .update(forms)
    .set({ name: given('name') })
    .where(eq(forms.number, param('number')))
    .prepare()
  const setWebhookName = db
    .update(receivers)
    .set({ name: given('name') })
    .where(and(eq(receivers.id, param('id')), eq(receivers.form, param('form'))))
    .prepare()
  return { setFormName, setWebhookName }
}
