import { and, eq, isNull } from 'drizzle-orm'
import { notifyWrites } from '../outbox/addresses.ts'
import type { DigestTimes } from '../outbox/digest-times.ts'
import { mailHostWrites, webhookCopier } from '../outbox/receivers.ts'
import { visitorReceiverWrites } from '../outbox/replies.ts'
import { type FirstRequest, firstRequestRecorder, type IdempotentRequest } from '../storage/idempotency.ts'
import type { Db } from '../storage/open.ts'
import { forms, given, givens, param, params } from '../storage/tables.ts'
import { accessIn } from './access.ts'
import { addressWrites } from './address-writes.ts'
import { fieldNameWrites } from './field-names.ts'
import { ownedForms } from './form.ts'
import { limitWrites } from './limit-writes.ts'
import { toAddressee } from './settings/notify-entries.ts'
import {
  changedNames,
  changeSettings,
  defaultSettings,
  parseSettings,
  type SettingsChanges,
} from './settings/settings.ts'
import { refuseTogether } from './settings/together-rules.ts'
import { silenceWrites } from './silence-writes.ts'
import { trailWrites } from './trail.ts'

export interface NewForm {
  readonly title: string
  readonly description?: string | null | undefined
  readonly returnUrl?: string | null | undefined
}

/** An absent or undefined field keeps its value; null clears it. */
export type FormChanges = Partial<NewForm>

interface CreatedForms {
  readonly userId: string
  readonly forms: readonly (NewForm & { readonly id: string })[]
  readonly request?: IdempotentRequest | undefined
  readonly seed?: string | undefined
}

interface CopiedForm {
  readonly userId: string
  readonly id: string
  readonly copyId: string
  readonly seed: string
  readonly now: number
  readonly request?: IdempotentRequest | undefined
}

/** An undefined field keeps its value. */
interface Update {
  readonly id: string
  readonly title: string | undefined
  readonly description: string | null | undefined
  readonly returnUrl: string | null | undefined
}

interface Acted {
  readonly userId: string
  /** Unix milliseconds. */
  readonly now: number
}

interface SettingsUpdate extends Acted {
  /** When digests of the day are due from now on, if their time zone is set. */
  readonly digestAt?: DigestTimes | undefined
}

export type FormWrites = ReturnType<typeof formWrites>

export const formWrites = (db: Db) => {
  const { findFormTo, findFormsTo } = accessIn(db)
  const { copyFieldNames } = fieldNameWrites(db)
  const { setAddresses, copyAddresses, postponeDigests } = notifyWrites(db)
  const copyWebhooks = webhookCopier(db)
  const setReply = visitorReceiverWrites(db, 'reply')
  const setConfirm = visitorReceiverWrites(db, 'confirm')
  const setMailHost = mailHostWrites(db)
  const recordFirst = firstRequestRecorder(db)
  const { countForms, giveForms } = ownedForms(db)
  const { insert, update, updateSettings, stopLearning, markDeleted } = formStatements(db)

  const { setAddress } = addressWrites(db)
  const { followSettings } = silenceWrites(db)
  const limits = limitWrites(db)
  const note = trailWrites(db)

  /** @param names of what is another value than before */
  const noteChanges = (form: number, { userId, now }: Acted, names: readonly string[]): void => {
    if (names.length > 0) note(form, { userId, at: now, what: 'settings', detail: names.join(', ') })
  }

  const writes = {
    /** @param input.seed the identifiers follow from it, if the request has a key; it is stored for a repeat */
    createForms(input: CreatedForms): FirstRequest | undefined {
      const { userId, request, seed = '' } = input
      const first = recordFirst(request, seed)
      if (first) return first
      giveForms(userId, input.forms.length)
      for (const { id, title, description = null, returnUrl = null } of input.forms)
        insert.get({ id, userId, title, description, returnUrl, fieldNames: '[]', settings: null })
      return undefined
    },

    /** @param input.seed see `derivedSecret` */
    duplicateForm(input: CopiedForm): FirstRequest | undefined {
      const { userId } = input
      const first = recordFirst(input.request, input.copyId)
      if (first) return first
      const form = findFormTo('duplicate', userId, input.id)
      const { title, description, returnUrl, fieldNames } = form
      const settings = changeSettings(form.settings, { address: null })
      const copy = insert.get({ id: input.copyId, userId, title, description, returnUrl, fieldNames, settings })
      copyFieldNames(form, copy.number)
      limits.follow(copy, settings)
      const { notify, reply, confirm, sender } = parseSettings(settings)
      followSettings(copy, defaultSettings, parseSettings(settings), input.now)
      if (notify.length > 0) copyAddresses({ number: copy.number, id: input.copyId, userId }, notify.map(toAddressee))
      if (reply) setReply({ number: copy.number, id: input.copyId }, true, input.now)
      if (confirm) setConfirm({ number: copy.number, id: input.copyId }, true, input.now)
      if (sender !== null) setMailHost(copy.number, sender)
      copyWebhooks(form.number, { number: copy.number, id: input.copyId }, input.seed)
      giveForms(userId, 1)
      return undefined
    },

    /** Updates all of them or none. Without any field, a form does not change. The trail has only what becomes another value. */
    updateForms(input: Acted & { forms: readonly Update[] }): void {
      const found = findFormsTo(
        'configure',
        input.userId,
        input.forms.map((changes) => changes.id),
      )
      found.forEach((form, position) => {
        const { title, description, returnUrl } = input.forms[position] as Update
        if (title === undefined && description === undefined && returnUrl === undefined) return
        const fields = {
          title: title ?? form.title,
          description: description === undefined ? form.description : description,
          returnUrl: returnUrl === undefined ? form.returnUrl : returnUrl,
        }
        update.run({ number: form.number, now: input.now, ...fields })
        const names = Object.keys(fields) as (keyof typeof fields)[]
        noteChanges(
          form.number,
          input,
          names.filter((name) => fields[name] !== form[name]),
        )
      })
    },

    /**
     * Leaves `updatedAt` as it is: no field of the form itself changes.
     *
     * @param input.before the settings that the changes follow from; absent if they follow from none
     * @returns whether the settings are changed: not if they were others than `before`
     */
    updateFormSettings(
      input: SettingsUpdate & { id: string; changes: SettingsChanges; before?: string | null },
    ): boolean {
      const { userId, now, changes, digestAt } = input
      const form = findFormTo('configure', userId, input.id)
      if (input.before !== undefined && input.before !== form.settings) return false
      const changed = changeSettings(form.settings, changes)
      if (changed === form.settings) return true
      refuseTogether(parseSettings(changed), changes)
      updateSettings.run({ number: form.number, settings: changed })
      if (changes.learnSpam === false) stopLearning.run({ number: form.number, now })
      noteChanges(form.number, input, changedNames(form.settings, changed))
      const [before, after] = [parseSettings(form.settings), parseSettings(changed)]
      if (changes.fields) limits.follow(form, changed)
      if (after.address !== before.address) setAddress(form, after.address, now)
      followSettings(form, before, after, now)
      if (changes.notify) setAddresses(form, changes.notify.map(toAddressee), now)
      if (digestAt !== undefined) postponeDigests(form, now, digestAt)
      if (changes.reply !== undefined) setReply(form, changes.reply !== null, now)
      if (changes.confirm !== undefined) setConfirm(form, changes.confirm !== null, now)
      if (
        changes.notify ||
        changes.reply !== undefined ||
        changes.confirm !== undefined ||
        changes.sender !== undefined
      )
        setMailHost(form.number, after.sender)
      return true
    },

    /**
     * Changes a form and its settings, or neither.
     *
     * @param input.before see `updateFormSettings`
     * @returns whether they are changed
     */
    saveForm(input: SettingsUpdate & { form: Update; settings: SettingsChanges; before?: string | null }): boolean {
      const { form, settings: changes, before, ...update } = input
      if (before !== undefined && before !== findFormTo('configure', input.userId, form.id).settings) return false
      writes.updateForms({ ...update, forms: [form] })
      return writes.updateFormSettings({ ...update, id: form.id, changes })
    },

    /** Deletes all of them or none. Readers no longer find them; their submissions are removed later, in slices. */
    deleteForms(input: { userId: string; now: number; ids: readonly string[] }): void {
      const found = findFormsTo('delete', input.userId, [...new Set(input.ids)])
      for (const { number } of found) markDeleted.run({ number, now: input.now })
      countForms(input.userId, -found.length)
    },
  }
  return writes
}

const formStatements = (db: Db) => {
  const insert = db
    .insert(forms)
    .values({
      ...params('id', 'userId', 'title', 'description', 'returnUrl', 'fieldNames', 'settings'),
      latestId: param('id'),
    })
    .returning()
    .prepare()
  const byNumber = eq(forms.number, param('number'))
  const update = db
    .update(forms)
    .set({
      ...givens('title', 'description', 'returnUrl'),
      updatedAt: given('now'),
    })
    .where(byNumber)
    .prepare()
  const updateSettings = db
    .update(forms)
    .set({ settings: given('settings') })
    .where(byNumber)
    .prepare()
  const stopLearning = db
    .update(forms)
    .set({ unlearnedSince: given('now') })
    .where(and(byNumber, isNull(forms.unlearnedSince)))
    .prepare()
  const markDeleted = db
    .update(forms)
    .set({ deletedAt: given('now') })
    .where(byNumber)
    .prepare()
  return { insert, update, updateSettings, stopLearning, markDeleted }
}
