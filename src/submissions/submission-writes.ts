import { eq, sql } from 'drizzle-orm'
import { type Issue, invalid, notFound } from '../base/errors.ts'
import { creationTime } from '../base/id.ts'
import { accessIn } from '../forms/access.ts'
import { type Form, formReader } from '../forms/form.ts'
import { refuseIfClosed } from '../forms/settings/opening.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { silenceCommands } from '../forms/silence-writes.ts'
import { trailWrites } from '../forms/trail.ts'
import type { Decision, Undecided } from '../outbox/condition.ts'
import { confirmMails } from '../outbox/confirm-mails.ts'
import type { DigestTimes } from '../outbox/digest-times.ts'
import { undecidedFor } from '../outbox/enqueue.ts'
import { deliveryRemoval } from '../outbox/removal.ts'
import { replyResumer, type VisitorReply } from '../outbox/replies.ts'
import {
  type FirstRequest,
  firstRequestReader,
  firstRequestRecorder,
  type IdempotentRequest,
} from '../storage/idempotency.ts'
import type { Db } from '../storage/open.ts'
import { clockCheck } from '../storage/steady-clock.ts'
import { abandonedLists, forms, literal, param, params } from '../storage/tables.ts'
import { bulkCommand } from '../storage/writer/batch.ts'
import { arrivals } from './arrival.ts'
import type { Asked } from './confirm/asked.ts'
import { confirmRows } from './confirm/confirm-rows.ts'
import { confirmWrites } from './confirm/confirm-writes.ts'
import { handlingWrites } from './handling-writes.ts'
import { claimWrites, type Taking } from './limits/claim-writes.ts'
import { countWrites } from './limits/count-writes.ts'
import type { Hashes, Unhashed } from './limits/once.ts'
import type { ChosenPlace } from './limits/places.ts'
import { type ListName, listOf, placeLists } from './lists.ts'
import { noteWrites } from './note-writes.ts'
import { removalInSlices } from './removal.ts'
import { oldSubmissionRemoval } from './retention.ts'
import { type NewRow, submissionRows } from './rows.ts'
import { challengeSpender, type SpentChallenge } from './spam/challenge-writes.ts'
import { lessonCommands, lessonRows } from './spam/lesson-writes.ts'
import { unreadWrites } from './unread-writes.ts'
import { wholeReader } from './whole-text.ts'

export interface NewSubmission extends NewRow {
  readonly formId: string
  readonly fieldNames: readonly string[]
  /** The visitor's subject for e-mails about it: one line of at most 200 characters. */
  readonly subject?: string | null | undefined
  /** When a digest is due that it begins. Absent if no address of its form gets any. */
  readonly digestAt?: DigestTimes | undefined
  /** If the form replies to visitors. */
  readonly reply?: VisitorReply | undefined
  /** The challenge that the visitor's browser has solved. The submission is refused if it was used before. */
  readonly challenge?: SpentChallenge | undefined
  /** The request, if it came with an idempotency key. The result stored for it is the submission's identifier. */
  readonly request?: IdempotentRequest | undefined
  /** Of the values that come once, if the form has any. */
  readonly once?: Hashes | undefined
  /** Absent for spam, and where no receiver of the form has a condition. */
  readonly decision?: Decision | undefined
  /** Set for what waits until its address is confirmed: then it is in neither the inbox nor the spam. */
  readonly asked?: Asked | undefined
}

/**
 * Either it repeats an earlier request, or it has deliveries that are due, or it has to be sent again with another decision,
 * or with other hashes, or it is held or refused, because of a value that another one has, or because it asks for places of
 * which none is left.
 */
type Outcome =
  | { readonly state: 'repeated'; readonly first: FirstRequest }
  | { readonly state: 'due' }
  | { readonly state: 'full'; readonly places: readonly ChosenPlace[] }
  | { readonly state: 'again'; readonly fields: readonly string[] }
  | { readonly state: 'held' }
  | Unasked
  | Undecided
  | Unhashed

/** The form has the setting `confirm` since it was read, or has it no longer. */
interface Unasked {
  readonly state: 'unasked'
  /** The form's column. */
  readonly settings: string | null
}

/** @see `acceptSpam` */
interface Accepted {
  readonly state: 'accepted'
  /** Whether there are deliveries. */
  readonly hasReceivers: boolean
}

/** One submission of a form of this user. */
interface Chosen {
  readonly userId: string
  readonly formId: string
  readonly id: string
  /** Unix milliseconds. */
  readonly now: number
}

/** One that a form learns from. */
interface Taught extends Chosen {
  /** Its tokens, if its form learned when this was sent (see spam/lesson-writes.ts). */
  readonly lesson?: string | undefined
}

interface Deleted {
  readonly userId: string
  readonly formId: string
  /** Unix milliseconds. Without it, nothing is written down about it. */
  readonly now?: number
}

export type SubmissionWrites = ReturnType<typeof submissionWrites>

export const submissionWrites = (db: Db) => {
  const rows = submissionRows(db)
  const unread = unreadWrites(db)
  const findForm = formReader(db)
  const { findFormTo } = accessIn(db)
  const { arrive, arriveFromList } = arrivals(db)
  const resumeReply = replyResumer(db)
  const deliveries = deliveryRemoval(db)
  const readWhole = wholeReader(db)
  const spend = challengeSpender(db)
  const findFirst = firstRequestReader(db)
  const recordFirst = firstRequestRecorder(db)
  const claims = claimWrites(db)
  const confirmed = confirmRows(db)
  const mails = confirmMails(db)
  const replaceSpamList = spamListReplacer(db)
  const lessons = lessonRows(db)
  const note = trailWrites(db)
  const noteDeleted = (form: number, { userId, now: at }: Deleted, what: 'deleted' | 'erased', count: number): void => {
    if (at !== undefined) note(form, { userId, at, what, count })
  }

  /** Holds submissions until their address is confirmed. Returns whether there is a mail to send. */
  const hold = (form: Form, held: readonly NewSubmission[]): boolean => {
    rows.add(form, 'unconfirmed', held)
    const toMail = held.flatMap(({ id, asked, subject = null }) => {
      if (!asked) return []
      confirmed.add(form.number, id, { ...asked, subject })
      const { target: to, person, language } = asked
      const hasWithdrawn = confirmed.hasWithdrawn.get({ form: form.number, person }) !== undefined
      return { id, reply: to === undefined ? undefined : { to, language }, hasWithdrawn }
    })
    return mails.add(form.number, toMail)
  }

  /** Adds submissions to a form, and what is stored about them. Returns whether there are deliveries. */
  const addTo = (form: Form | undefined, added: readonly NewSubmission[]): boolean => {
    if (!form) throw notFound('Form')
    const spam = added.filter(({ reason }) => reason)
    const held = added.filter(({ reason, asked }) => asked && !reason)
    const good = spam.length + held.length > 0 ? added.filter(({ reason, asked }) => !reason && !asked) : added
    for (const { id } of added) refuseIfClosed(form, creationTime(id), good.length)
    for (const { challenge } of added) if (challenge) spend(challenge)
    if (spam.length > 0) rows.add(form, 'spam', spam)
    const isMailDue = held.length > 0 && hold(form, held)
    if (good.length === 0) return isMailDue
    rows.add(form, 'inbox', good)
    return arrive(form, good) || isMailDue
  }

  /**
   * Takes the values and the places that a submission asks for, or returns why it is not stored, or is held. Spam takes none,
   * and is refused as a letter would be, so that it learns nothing; what fills in the trap is not asked.
   *
   * @param before how many of the same command are added before it
   */
  const takePlaces = (form: Form, taking: Taking, before: number, submission: NewSubmission): Outcome | undefined => {
    const { id, data, request, reason, once, asked: isAsked } = submission
    const first = request && findFirst(request)
    if (first) return { state: 'repeated', first }
    if (reason === 'honeypot') return undefined
    const unhashed = taking.unhashed(once)
    if (unhashed) return { state: 'unhashed', fields: unhashed }
    const repeated = taking.repeated(once)
    const again = repeated.filter(({ what }) => what === 'refuse').map(({ field }) => field)
    const asked = taking.placesIn(data)
    const places = again.length > 0 ? [] : taking.full(asked)
    const isHeld = again.length === 0 && repeated.length > 0
    if (again.length + places.length > 0)
      refuseIfClosed(form, creationTime(id), before + (reason || isHeld || isAsked ? 0 : 1))
    if (again.length > 0) return { state: 'again', fields: again }
    if (places.length > 0) return { state: 'full', places }
    if (isHeld) return { state: 'held' }
    // What is not confirmed has no values, so that no robot can block an address.
    if (!reason) taking.take(id, asked, isAsked ? undefined : once)
    return undefined
  }

  return {
    /**
     * Returns nothing for a submission without receivers: most batches then need no result. A repeat, which adds
     * nothing, is not refused: then each command of its batch would be executed alone.
     */
    createSubmission: bulkCommand((submissions: readonly NewSubmission[]): (Outcome | undefined)[] => {
      const forms = new Map([...new Set(submissions.map(({ formId }) => formId))].map((id) => [id, findForm(id)]))
      const takings = new Map([...forms].map(([id, form]) => [id, form && claims.open(form)]))
      const counts = new Map<string, number>()
      const held = new Set<NewSubmission>()
      const outcomes = submissions.map((submission): Outcome | undefined => {
        const { formId, id, request, reason, decision } = submission
        const undecided = reason ? undefined : undecidedFor(forms.get(formId), decision)
        if (undecided) return undecided
        const unasked = reason ? undefined : unaskedFor(forms.get(formId), submission.asked)
        if (unasked) return unasked
        const taking = takings.get(formId)
        const before = counts.get(formId) ?? 0
        const refused = taking && takePlaces(forms.get(formId) as Form, taking, before, submission)
        if (refused?.state === 'held') held.add(submission)
        else if (refused) return refused
        const first = recordFirst(request, id)
        if (first) return { state: 'repeated', first }
        if (!reason && !submission.asked && !held.has(submission)) counts.set(formId, before + 1)
        return undefined
      })
      const stored = submissions
        .filter((_, position) => !outcomes[position])
        .map((one): NewSubmission => (held.has(one) ? { ...one, reason: 'repeated', asked: undefined } : one))
      const byForm = Map.groupBy(stored, ({ formId }) => formId)
      const withDeliveries = new Set(
        [...byForm].filter(([formId, ofForm]) => addTo(forms.get(formId), ofForm)).map(([formId]) => formId),
      )
      for (const taking of takings.values()) taking?.write()
      return submissions.map((one, position) => {
        if (outcomes[position] || held.has(one)) return outcomes[position] ?? { state: 'held' }
        return !one.reason && withDeliveries.has(one.formId) ? { state: 'due' } : undefined
      })
    }),

    /** Moves a submission from the inbox to the spam. Its pending deliveries are cancelled. */
    markSpam({ userId, formId, id, now, lesson }: Taught): void {
      const form = findFormTo('edit', userId, formId)
      rows.move(form, 'inbox', 'spam', id, { reason: 'marked', markedAt: now })
      lessons.replace(form, { submission: id, isSpam: true, at: now, lesson })
      deliveries.pendingOfSubmission(form.number, id)
    },

    /**
     * Moves spam into the inbox, as if it had never been taken for spam; or what is held beside it. The user who decides that
     * has read it, unless it comes back to where it was.
     *
     * @throws AppError `invalid` if it asks for places of which none is left
     */
    acceptSpam(
      accepted: Taught & Pick<NewSubmission, 'decision' | 'digestAt' | 'reply' | 'once'>,
    ): Accepted | Undecided | Unhashed {
      const { userId, formId, id, now, decision, digestAt, reply } = accepted
      const form = findFormTo('edit', userId, formId)
      const undecided = undecidedFor(form, decision)
      if (undecided) return undecided
      const taking = claims.open(form)
      const unhashed = taking?.unhashed(accepted.once)
      if (unhashed) return { state: 'unhashed', fields: unhashed }
      const before = rows.listWith(form, 'spam', id)
      const asked = taking?.placesIn(readWhole(listOf(form, before), id)?.data ?? '{}') ?? []
      if (placeLists.includes(before)) claims.free(form.number, [id])
      const full = taking?.full(asked) ?? []
      if (full.length > 0) throw invalid(...full.map(fullIssue))
      const reason = rows.move(form, before, 'inbox', id, { reason: null, markedAt: null })
      if (before === 'unconfirmed') {
        confirmed.accept.run({ form: form.number, submission: id, acceptedAt: now, acceptedBy: userId })
        mails.end(form.number, id, false)
      }
      // Also if another one has the same value: its owner has decided.
      taking?.take(id, asked, accepted.once)
      taking?.write()
      // Only what the form itself has learned is corrected. What was marked by mistake is no longer a lesson.
      const lesson = reason === 'similar' ? accepted.lesson : undefined
      lessons.replace(form, { submission: id, isSpam: false, at: now, lesson })
      if (reason !== 'marked') unread.markRead(findFormTo('edit', userId, formId), userId, [id])
      // One that was in the inbox before got its reply then, or was to get none, as one that was imported.
      const wasInInbox = reason === 'marked'
      const arrived = { id, at: now, decision, digestAt, reply: wasInInbox ? undefined : reply }
      const hasReceivers = arriveFromList(form, [arrived])
      if (hasReceivers && wasInInbox && reply) resumeReply(form.number, id, now)
      return { state: 'accepted', hasReceivers }
    },

    /** The user has read these. Those that have been deleted meanwhile are passed over. */
    markRead({ userId, formId, ids }: { userId: string; formId: string; ids: readonly string[] }): void {
      unread.markRead(findFormTo('read', userId, formId), userId, ids)
    },

    /** Makes them unread to the user again, and returns how many. */
    markUnread({ userId, formId, ids }: { userId: string; formId: string; ids: readonly string[] }): number {
      return unread.markUnread(findFormTo('read', userId, formId), userId, ids)
    },

    /** The user has read all up to this one, which may have been deleted meanwhile. */
    markAllRead({ userId, formId, upTo }: { userId: string; formId: string; upTo: string }): void {
      unread.markAllRead(findFormTo('read', userId, formId), userId, upTo)
    },

    /**
     * Deletes all of them or none. A repeated identifier counts once. Returns true if some were long or had files: the
     * pieces remain, and `removeDeletedSlice` has to follow. Removing a thousand submissions of 2 MiB at once would delay
     * every other write.
     */
    deleteSubmissions(input: Deleted & { list: ListName; ids: readonly string[]; isErasing?: boolean }): boolean {
      const form = findFormTo('edit', input.userId, input.formId)
      const ids = new Set(input.ids)
      // Who deletes spam may mean what is held beside it.
      const byList = Map.groupBy(ids, (id) => rows.listWith(form, input.list, id))
      const isMoreLeft = [...byList].map(([name, found]) => rows.remove(form, name, new Set(found))).includes(true)
      // Otherwise, what was deleted as spam still teaches.
      if (input.isErasing) lessons.remove(form, ids)
      noteDeleted(form.number, input, input.isErasing ? 'erased' : 'deleted', ids.size)
      deliveries.ofSubmissions(form.number, ids)
      return isMoreLeft
    },

    /** Readers no longer find any; the rows are removed later, in slices. Returns how many there were. */
    deleteAllSpam(input: Deleted): number {
      const form = findFormTo('edit', input.userId, input.formId)
      if (form.spamCount > 0) {
        replaceSpamList(listOf(form, 'spam'))
        noteDeleted(form.number, input, 'deleted', form.spamCount)
      }
      return form.spamCount
    },

    ...handlingWrites(db),
    ...noteWrites(db),
    ...lessonCommands(db),
    ...silenceCommands(db),
    ...countWrites(db),
    ...confirmWrites(db),
    removeDeletedSlice: removalInSlices(db),
    checkClock: clockCheck(db),
    removeOldSubmissions: oldSubmissionRemoval(db),
  }
}

const fullIssue = ({ field, option }: ChosenPlace): Issue => ({
  field,
  message: `must have a place left; “${option}” is full`,
})

/** The form's settings, if it asks what it did not ask, or the reverse: they were changed since they were read. */
const unaskedFor = (form: Form | undefined, asked: Asked | undefined): Unasked | undefined => {
  const settings = form?.settings ?? null
  const asks = settings !== null && parseSettings(settings).confirm !== null
  return asks === (asked !== undefined) ? undefined : { state: 'unasked', settings }
}

/** Takes the list that holds a form's spam away from it. The next spam gets a new one. */
const spamListReplacer = (db: Db) => {
  const abandon = db.insert(abandonedLists).values(params('form', 'list')).prepare()
  const begin = db
    .update(forms)
    .set({ spamCount: literal(0), spamList: sql`${forms.spamList} + 1` })
    .where(eq(forms.number, param('form')))
    .prepare()
  return (spam: { readonly form: number; readonly list: number }): void => {
    abandon.run(spam)
    begin.run({ form: spam.form })
  }
}
