import { notFound } from '../base/errors.ts'
import { newId } from '../base/id.ts'
import type { FormAccess, FormTo } from '../forms/access.ts'
import { limitedFields } from '../forms/fields/limited-fields.ts'
import type { Form } from '../forms/form.ts'
import { isDigest } from '../forms/settings/notify-entries.ts'
import { type FormSettings, parseSettings } from '../forms/settings/settings.ts'
import { decide } from '../outbox/condition.ts'
import { type DigestTimes, digestTimes } from '../outbox/digest-times.ts'
import type { VisitorReply } from '../outbox/replies.ts'
import { firstRequestReader, type IdempotentRequest, resultOf } from '../storage/idempotency.ts'
import type { Reader } from '../storage/reader.ts'
import type { Writer } from '../storage/writer/writer.ts'
import { fullPlaces, RefusedFields, repeatedValues, withLists, withoutUnticked } from './check-fields.ts'
import { type Asked, type Asking, toAsked } from './confirm/asked.ts'
import { tooOldBefore } from './date-range.ts'
import { type Field, type SentSubmission, toData } from './fields.ts'
import { submissionFinder } from './find-submissions.ts'
import { limitReads, type PlacesLeft } from './limits/limit-reads.ts'
import { type Hashes, hashValues } from './limits/once.ts'
import type { ChosenPlace } from './limits/places.ts'
import { countOf, inboxOf, type ListName, listOf, whereIs } from './lists.ts'
import { answeredLate, replyFor } from './replies/answerable.ts'
import type { Accompanying } from './rows.ts'
import { fieldsIn } from './sent-fields.ts'
import { judge } from './spam/judge.ts'
import { openSpamLearning } from './spam/learning.ts'
import type { HandlingState } from './states.ts'
import type { Reason } from './stored-submission.ts'
import { submissionReads } from './submission-reads.ts'
import type { NewSubmission, SubmissionWrites } from './submission-writes.ts'
import { unreadReads } from './unread.ts'
import { wholeReader } from './whole-text.ts'

export type SubmissionStore = ReturnType<typeof openSubmissionStore>

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly access: FormAccess
  readonly writer: Writer<SubmissionWrites>
  readonly signingKey: () => Promise<Uint8Array>
  readonly now: () => number
  /** Called after something was deleted whose rows still have to be removed. */
  readonly onDeleted: () => void
  /** Called after a submission was stored or accepted that has receivers. */
  readonly onDue: () => void
}

/** Values that came with the fields of a submission, if any did. */
type SentWith = Accompanying & Pick<NewSubmission, 'challenge' | 'request'> & Pick<VisitorReply, 'language'>

/** A field with its value as JSON. */
type Sent = Pick<Field, 'name' | 'json'>

interface OfSubmission {
  readonly formId: string
  readonly submissionId: string
}

/** The result of storing a submission. */
interface StoredNow {
  /** The identifier; for a repeat, that of the first one. */
  readonly id: string
  readonly isRepeat: boolean
  readonly isSpam: boolean
  /** Whether it has deliveries. */
  readonly hasReceivers: boolean
}

/**
 * Functions with a `userId` throw the AppErrors `not_found` and `forbidden` (another user's form). Those with a `form` are
 * called in the turn of the event loop in which it was found: what it holds and what is read for it must be of one state
 * (test/one-turn.ts checks it).
 */
export const openSubmissionStore = (options: Options) => {
  const { reader, findForm, access, writer, signingKey, now, onDeleted, onDue } = options
  const { findRow, countBefore } = submissionReads(reader.db)
  const findFirst = firstRequestReader(reader.db)
  const readWhole = wholeReader(reader.db)
  const { unreadAmong } = unreadReads(reader.db)
  const { placesLeft, placesTaken, fullAmong, firstWith } = limitReads(reader.db)
  const { looksLikeSpam, teachFirst, lessonOf, ...learning } = openSpamLearning({
    reader,
    findForm,
    access,
    writer,
    now,
  })

  /** Undefined if no value of the form comes once. No promise, so that most submissions wait for nothing. */
  const hashed = (formId: string, { fields }: FormSettings, sent: readonly Sent[]): Promise<Hashes> | undefined => {
    const once = limitedFields(fields)?.once
    return once?.size ? hashOnce(formId, once.keys(), sent) : undefined
  }
  const hashOnce = async (formId: string, names: Iterable<string>, sent: readonly Sent[]): Promise<Hashes> =>
    hashValues(await signingKey(), formId, names, sent)

  /** Undefined if a form with these settings asks to confirm no address. */
  const ask = async (
    settings: FormSettings,
    fields: readonly Field[],
    asking: Omit<Asking, 'key'>,
  ): Promise<Asked | undefined> =>
    settings.confirm === null
      ? undefined
      : toAsked(settings.confirm, settings, fields, { ...asking, key: await signingKey() })

  let storedCount = 0

  return {
    ...submissionFinder(reader.db),

    placesTaken,

    /** Undefined for a form that limits nothing. */
    placesLeft(formId: string): PlacesLeft | undefined {
      const form = findForm(formId)
      return form && placesLeft(form)
    },

    /** The places that a submission asks for, and of which none is left. */
    fullAmong(formId: string, sent: readonly Field[]): readonly ChosenPlace[] {
      const form = findForm(formId)
      return form ? fullAmong(form, sent) : []
    },

    /** The fields with a value that another submission has, and with which this one is refused. */
    async refusedAgain(formId: string, sent: readonly Field[]): Promise<readonly string[]> {
      const settings = parseSettings(findForm(formId)?.settings ?? null)
      const hashes = (await hashed(formId, settings, sent)) ?? {}
      const form = findForm(formId)
      const once = limitedFields(parseSettings(form?.settings ?? null).fields)?.once
      return form ? [...firstWith(form, hashes).keys()].filter((name) => once?.get(name) === 'refuse') : []
    },

    /** Of each of these submissions of the spam, the first one of the inbox with the same value of a field, by field. */
    async firstsWith(
      formId: string,
      all: readonly (readonly Sent[])[],
    ): Promise<readonly ReadonlyMap<string, string>[]> {
      const settings = parseSettings(findForm(formId)?.settings ?? null)
      const hashes = await Promise.all(all.map((fields) => hashed(formId, settings, fields)))
      const form = findForm(formId)
      return hashes.map((one) => (form && one ? firstWith(form, one) : new Map()))
    },

    /** The submissions that came into an inbox since the start, at once or when they were confirmed. */
    storedCount: () => storedCount,
    addConfirmed(count: number): void {
      storedCount += count
    },

    /**
     * The identifier of the submission that was stored for the first request with this idempotency key; undefined if there
     * was none. A form need not be asked for it, unless it might refuse the repeat: `createSubmission` finds it too.
     */
    findRepeated: (request: IdempotentRequest): string | undefined => resultOf(findFirst(request)),

    /**
     * Stores a submission, in the inbox or in the spam. A robot waits as long as a person and gets the same response, so that
     * it learns nothing.
     *
     * @throws AppError `not_found`, `closed`, `unsolved` if the challenge was used before, `invalid` for an idempotency key
     *   that was used for another request; RefusedFields if no place is left, or a value may not come again
     */
    async createSubmission(
      { id: formId, settings, conditions }: Pick<Form, 'id' | 'settings' | 'conditions'>,
      sent: SentSubmission,
      sentWith: SentWith = {},
    ): Promise<StoredNow> {
      const at = now()
      const id = newId(at)
      const parsed = parseSettings(settings)
      const fields = withoutUnticked(sent.fields, parsed.fields)
      const { data, names: fieldNames } = toData(withLists(fields, parsed.fields))
      let reason: Exclude<Reason, 'marked'> | undefined = judge(parsed, sent)
      if (parsed.learnSpam && !reason && (await looksLikeSpam(formId, sent.fields))) reason = 'similar'
      const { request, files, language, challenge } = sentWith
      const reply = reason ? undefined : replyFor(parsed, sent.fields, language)
      const digestAt = digestTimesOf(parsed, at)
      const { subject } = sent.control
      const decision = reason ? undefined : decide(conditions, fields)
      const hashing = hashed(formId, parsed, fields)
      const once = hashing && (await hashing)
      const about = { formId, id, at, language }
      const asked = reason || parsed.confirm === null ? undefined : await ask(parsed, fields, about)
      // Without spreads, which take longer. What is absent is not in the JSON that the Worker gets.
      let submission: NewSubmission = {
        formId,
        id,
        data,
        reason,
        asked,
        fieldNames,
        subject,
        digestAt,
        reply,
        decision,
        once,
        request,
        files,
        challenge,
      }
      let outcome = await writer.run('createSubmission', submission, data.length)
      while (outcome?.state === 'undecided' || outcome?.state === 'unhashed' || outcome?.state === 'unasked') {
        if (outcome.state === 'unasked')
          submission = { ...submission, asked: await ask(parseSettings(outcome.settings), fields, about) }
        else if (outcome.state === 'undecided')
          submission = { ...submission, decision: decide(outcome.conditions, fields) }
        else submission = { ...submission, once: hashValues(await signingKey(), formId, outcome.fields, fields) }
        outcome = await writer.run('createSubmission', submission, data.length)
      }
      if (outcome?.state === 'again') throw new RefusedFields(repeatedValues(parsed.fields, outcome.fields), sent)
      if (outcome?.state === 'full')
        throw new RefusedFields(fullPlaces(sent.fields, parsed.fields, outcome.places), sent)
      if (outcome?.state === 'repeated')
        return { id: resultOf(outcome.first) as string, isRepeat: true, isSpam: false, hasReceivers: false }
      const isDue = outcome?.state === 'due'
      const isSpam = reason !== undefined || outcome?.state === 'held' || submission.asked !== undefined
      if (isDue) onDue()
      if (!isSpam) storedCount++
      return { id, isRepeat: false, hasReceivers: isDue, isSpam }
    },

    /** Changes all of them or none. A repeated identifier counts once. */
    async handleSubmissions(
      userId: string,
      formId: string,
      ids: readonly string[],
      state: HandlingState | undefined,
    ): Promise<void> {
      await writer.run('handleSubmissions', { userId, formId, ids, now: now(), state }, 60 * ids.length)
      reader.release()
    },

    /** @throws AppError `invalid` if it has as many notes as it may have */
    async addNote(userId: string, { formId, submissionId }: OfSubmission, text: string): Promise<void> {
      const note = { userId, formId, submissionId, id: newId(now()), text: text.trim() }
      await writer.run('addNote', note, 2 * text.length)
      reader.release()
    },

    async deleteNote(userId: string, { formId, submissionId }: OfSubmission, id: string): Promise<void> {
      await writer.run('deleteNote', { userId, formId, submissionId, id, now: now() })
      reader.release()
    },

    /** The user has opened these. Writes only if one was unread. */
    async markRead(form: FormTo<'read'>, userId: string, ids: readonly string[]): Promise<void> {
      const unread = unreadAmong(form, userId, ids.toSorted().reverse())
      if (unread.size > 0) await writer.run('markRead', { userId, formId: form.id, ids: [...unread] })
    },

    /** Returns how many are unread now: not those after which more than 2,000 were read. */
    markUnread: (userId: string, formId: string, ids: readonly string[]): Promise<number> =>
      writer.run('markUnread', { userId, formId, ids }),

    /** @param upTo the newest one that is read now; it may have been deleted */
    async markAllRead(userId: string, formId: string, upTo: string): Promise<void> {
      await writer.run('markAllRead', { userId, formId, upTo })
    },

    /**
     * How many submissions of a list were sent more than this many days ago. If these become the setting of the list, they are
     * deleted, except for spam that was marked since then.
     */
    countOlder: (form: FormTo<'read'>, name: ListName, days: number): number =>
      countOf(form, name) === 0 ? 0 : countBefore(listOf(form, name), tooOldBefore(days, now())),

    async markSpam(userId: string, formId: string, id: string): Promise<void> {
      const lesson = await lessonOf(userId, formId, 'inbox', id)
      await writer.run('markSpam', { userId, formId, id, now: now(), lesson })
    },

    /** The spam that a form has learned from marks of its people (see spam/learning.ts). */
    learning: {
      ...learning,

      /** The user has seen a submission of the inbox that looks like spam, and says that it is not. */
      async keepInInbox(userId: string, formId: string, id: string): Promise<void> {
        const form = access.findFormTo('edit', userId, formId)
        if (!findRow(inboxOf(form.number), id)) throw notFound('Submission')
        const lesson = await lessonOf(userId, formId, 'inbox', id)
        if (lesson !== undefined) await writer.run('keepInInbox', { userId, formId, id, now: now(), lesson })
      },
    },

    async acceptSpam(userId: string, formId: string, id: string): Promise<void> {
      const form = access.findFormTo('edit', userId, formId)
      const at = now()
      const parsed = parseSettings(form.settings)
      const fields = () => {
        const found = access.findFormTo('edit', userId, formId)
        const name = whereIs(found, 'spam', (held) => findRow(held, id))
        return fieldsIn(readWhole(listOf(found, name), id)?.data ?? '{}')
      }
      const reply = answeredLate(parsed, { id, fields }, at)
      const lesson = parsed.learnSpam ? await lessonOf(userId, formId, 'spam', id) : undefined
      const accepted = { userId, formId, id, now: at, digestAt: digestTimesOf(parsed, at), reply, lesson }
      let once = await hashed(formId, parsed, fields())
      let conditions = form.conditions
      const send = () => {
        const decision = decide(conditions, conditions === null ? [] : fields())
        return writer.run('acceptSpam', { ...accepted, decision, once })
      }
      let outcome = await send()
      while (outcome.state !== 'accepted') {
        if (outcome.state === 'undecided') conditions = outcome.conditions
        else once = hashValues(await signingKey(), formId, outcome.fields, fields())
        outcome = await send()
      }
      if (outcome.hasReceivers) onDue()
    },

    async deleteSubmissions(
      userId: string,
      formId: string,
      list: ListName,
      ids: readonly string[],
      isErasing = false,
    ): Promise<void> {
      if (list === 'spam' && !isErasing) await teachFirst(access.findFormTo('edit', userId, formId))
      const isMoreLeft = await writer.run('deleteSubmissions', { userId, formId, list, ids, now: now(), isErasing })
      if (isMoreLeft) onDeleted()
    },

    /** Returns how much there was. */
    async deleteAllSpam(userId: string, formId: string): Promise<number> {
      await teachFirst(access.findFormTo('edit', userId, formId))
      const deleted = await writer.run('deleteAllSpam', { userId, formId, now: now() })
      if (deleted > 0) onDeleted()
      return deleted
    },
  }
}

/** When digests are due that begin now; undefined if no address of the form gets any. */
export const digestTimesOf = ({ notify, timeZone }: FormSettings, now: number): DigestTimes | undefined =>
  notify.some(isDigest) ? digestTimes(timeZone, now) : undefined
