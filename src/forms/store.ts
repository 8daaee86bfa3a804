import { derivedIds, newId } from '../base/id.ts'
import { newToken } from '../base/token.ts'
import { maySend } from '../config/sender.ts'
import { type IdempotentRequest, resultOf } from '../storage/idempotency.ts'
import type { Reader } from '../storage/reader.ts'
import type { Writer } from '../storage/writer/writer.ts'
import type { FormAccess } from './access.ts'
import type { Form } from './form.ts'
import type { FormChanges, FormWrites, NewForm } from './form-writes.ts'
import { ownerReader } from './owner.ts'
import type { FormLimits } from './settings/form-limits.ts'
import { refuseBeyondServer, timesOf, toStoredSettings } from './settings/sent-settings.ts'
import { type FormSettings, parseSettings, type SentSettings, type SettingsChanges } from './settings/settings.ts'
import type { StopWrites } from './stop-writes.ts'

export type FormStore = ReturnType<typeof openFormStore>

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly access: FormAccess
  readonly writer: Writer<FormWrites & StopWrites>
  readonly now: () => number
  readonly formLimits: FormLimits
  /** Called after forms were deleted. Their submissions still have to be removed. */
  readonly onDeleted: () => void
  /** Called when a mail may be due at another time: of an address that was added, or a digest. */
  readonly onDue: () => void
  /** Called when fields were changed: places may have to be counted. */
  readonly onFields: () => void
}

/** The form that a request has created. */
interface Created {
  readonly id: string
  /** Whether an earlier request with the same idempotency key has created it. */
  readonly isRepeat: boolean
}

/**
 * Reads and writes a user's forms. Throws AppErrors `not_found` (no such form) and `forbidden` (another user's form).
 */
export const openFormStore = (options: Options) => {
  const { reader, findForm, access, writer, now, formLimits, onDeleted, onDue, onFields } = options
  const { findFormTo, mayDo } = access
  const ownerOf = ownerReader(reader.db)

  /** Their identifiers follow from a seed, so that not all of them are stored in case of a repeat. */
  const createForms = async (
    userId: string,
    newForms: readonly NewForm[],
    request?: IdempotentRequest,
  ): Promise<{ readonly ids: string[]; readonly isRepeat: boolean }> => {
    const seed = request && newId(now())
    const ids = seed === undefined ? newForms.map(() => newId(now())) : derivedIds(seed, newForms.length)
    const forms = newForms.map(({ title, description = null, returnUrl = null }, position) => ({
      id: ids[position] as string,
      title,
      description,
      returnUrl,
    }))
    const first = await writer.run('createForms', { userId, forms, request, seed }, bytesOf(forms))
    const firstSeed = resultOf(first)
    return firstSeed === undefined
      ? { ids, isRepeat: false }
      : { ids: derivedIds(firstSeed, newForms.length), isRepeat: true }
  }

  const updateForms = (userId: string, changed: readonly (FormChanges & { id: string })[]): Promise<void> =>
    writer.run(
      'updateForms',
      {
        userId,
        now: now(),
        forms: changed.map(toUpdate),
      },
      bytesOf(changed),
    )

  const deleteForms = async (userId: string, ids: readonly string[]): Promise<void> => {
    await writer.run('deleteForms', { userId, now: now(), ids })
    onDeleted()
  }

  const toSettingsChanges = (userId: string, id: string, values: SentSettings): SettingsChanges => {
    refuseBeyondServer(
      values,
      formLimits,
      () => storedSettings(userId, id),
      () => ownerOf(findForm(id)),
    )
    return toStoredSettings(values)
  }

  /** @param only settings that it depends on; then false if the form has others by now */
  const updateSettings = async (
    userId: string,
    id: string,
    values: SentSettings,
    only: { readonly before?: string | null } = {},
  ): Promise<boolean> => {
    const changes = toSettingsChanges(userId, id, values)
    const bytes = 2 * JSON.stringify(changes).length
    const update = { userId, id, ...timesOf(changes, now()), changes, ...only }
    const isChanged = await writer.run('updateFormSettings', update, bytes)
    if (changes.notify || changes.timeZone || changes.sender !== undefined) onDue()
    if (changes.fields) onFields()
    return isChanged
  }

  /**
   * Stores settings that were judged beside those that the form has: again, if someone else has changed these meanwhile. Two
   * requests at the same time could otherwise make a page that neither may make.
   */
  const storeJudged = async (
    id: string,
    { page, fields }: SentSettings,
    store: (only: { readonly before?: string | null }) => Promise<boolean>,
  ): Promise<void> => {
    const isJudged = page !== undefined || fields !== undefined
    for (let isStored = false; !isStored; )
      isStored = await store(isJudged ? { before: findForm(id)?.settings ?? null } : {})
  }

  const storedSettings = (userId: string, id: string): FormSettings | undefined => {
    const form = findForm(id)
    return form && mayDo(userId, form, 'configure') ? parseSettings(form.settings) : undefined
  }

  return {
    createForms,
    updateForms,
    deleteForms,
    async createForm(userId: string, form: NewForm, request?: IdempotentRequest): Promise<Created> {
      const { ids, isRepeat } = await createForms(userId, [form], request)
      return { id: ids[0] as string, isRepeat }
    },
    updateForm: (userId: string, id: string, changes: FormChanges): Promise<void> =>
      updateForms(userId, [{ ...changes, id }]),
    deleteForm: (userId: string, id: string): Promise<void> => deleteForms(userId, [id]),

    async duplicateForm(userId: string, id: string, request?: IdempotentRequest): Promise<Created> {
      const copyId = newId(now())
      const seed = newToken()
      const input = { userId, id, copyId, seed, now: now(), request }
      const first = await writer.run('duplicateForm', input)
      onDue()
      const firstCopy = resultOf(first)
      return { id: firstCopy ?? copyId, isRepeat: firstCopy !== undefined }
    },

    /** Names of the senders that the owner of a form may choose. */
    sendersFor(form: Form): string[] {
      const { email } = ownerOf(form)
      return formLimits.senders.filter((sender) => maySend(sender, email)).map(({ name }) => name)
    },

    updateFormSettings: async (userId: string, id: string, values: SentSettings): Promise<void> =>
      storeJudged(id, values, (only) => updateSettings(userId, id, values, only)),

    /** Adds to settings, or takes something out of them: again, if someone else has changed them meanwhile. */
    async reviseFormSettings(userId: string, id: string, revise: (found: FormSettings) => SentSettings): Promise<void> {
      for (let isChanged = false; !isChanged; ) {
        const { settings: before } = findFormTo('configure', userId, id)
        isChanged = await updateSettings(userId, id, revise(parseSettings(before)), { before })
      }
    },

    /** Changes a form and its settings, or neither. */
    async saveForm(userId: string, id: string, changes: FormChanges & SentSettings): Promise<void> {
      await storeJudged(id, changes, async (only) => {
        const settings = toSettingsChanges(userId, id, changes)
        const bytes = bytesOf([changes]) + 2 * JSON.stringify(settings).length
        const form = toUpdate({ ...changes, id })
        const isSaved = await writer.run(
          'saveForm',
          { userId, ...timesOf(settings, now()), form, settings, ...only },
          bytes,
        )
        if (settings.notify || settings.timeZone) onDue()
        if (settings.fields) onFields()
        return isSaved
      })
    },

    /**
     * Takes an address out of the setting `notify`, because its recipient wants no more mail.
     *
     * @param receiver identifier of the address in the outbox
     * @returns the title of the form; undefined if the address has been taken out before
     */
    removeAddress: (receiver: string): Promise<string | undefined> =>
      writer.run('removeAddress', { receiver, now: now() }),

    /** Stops emails to an address from all forms of this server, now and later. */
    async stopAddress(address: string): Promise<void> {
      const at = now()
      for (let after: number | null = 0; after !== null; )
        after = await writer.run('stopAddress', {
          address: address.toLowerCase(),
          now: at,
          after,
          maxForms: formsASlice,
        })
    },

    /** Its reader wants mails again. Nothing else changes: owners have to add it. */
    allowAddress: (address: string): Promise<void> => writer.run('allowAddress', { address: address.toLowerCase() }),
  }
}

/** Out of which one write takes an address: some 20 ms. */
const formsASlice = 100

/** Picks the fields out of a body of the API, which may have other members. */
const toUpdate = ({ id, title, description, returnUrl }: FormChanges & { readonly id: string }) => ({
  id,
  title,
  description,
  returnUrl,
})

/** Bytes in the writer's queue, at two for each UTF-16 unit. */
const bytesOf = (waiting: readonly FormChanges[]): number =>
  waiting.reduce(
    (sum, { title, description, returnUrl }) =>
      sum + 2 * ((title?.length ?? 0) + (description?.length ?? 0) + (returnUrl?.length ?? 0)),
    0,
  )
