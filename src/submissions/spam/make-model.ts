import { desc, eq, gte } from 'drizzle-orm'
import { dayMilliseconds } from '../../base/durations.ts'
import { afterEveryId, creationTime, timePrefix } from '../../base/id.ts'
import type { FormAccess } from '../../forms/access.ts'
import type { Form } from '../../forms/form.ts'
import type { Db } from '../../storage/open.ts'
import type { Reader } from '../../storage/reader.ts'
import { lessons, param, submissions, unreadMarks } from '../../storage/tables.ts'
import { lowest } from '../date-range.ts'
import { inboxOf, inList, type List, listOf } from '../lists.ts'
import { pieceReader } from '../pieces.ts'
import { type StoredSubmission, storedReads } from '../stored-submission.ts'
import { later, openedBetween } from '../unread.ts'
import { firstText } from '../whole-text.ts'
import { maxLessons } from './lesson-writes.ts'
import { type SpamModel, spamModel } from './model.ts'
import { type Tokens, tokensOfStored } from './tokens.ts'

/** Submissions of the inbox that spam is compared with: the newest ones, and the newest of the old ones. */
const maxInbox = 200
/** Of these, old ones, if there are so many: a flood of strangers must not be all that is known as good. */
const maxOld = 100
/** What is older is old, and in a young form what came in the first half of its time. */
const oldMilliseconds = 30 * dayMilliseconds
/** Spam that is looked through for what was marked before the form learned: the newest. */
const maxEarlier = 2000
/** The time after which a submission that no one has looked at does not count as spam: for owners who only use the API. */
const unreadMilliseconds = 7 * dayMilliseconds
/** Rows that are read and taken apart before others get a turn: 5 take 0.1 ms, or 6 if they are made to take long. */
const sliceRows = 5
/** Bytes of what is remembered of each submission of the inbox, and of each mark. */
const bytesOfId = 150

/** The model of a form, as long as nothing that it was made of has changed. */
export interface Learned {
  readonly model: SpamModel
  readonly bytes: number
  readonly marked: readonly Mark[]
  readonly keptCount: number
  /** Positions in the model by identifier. */
  readonly inbox: ReadonlyMap<string, number>
  readonly lessonChanges: number
  readonly changeCount: number
  readonly lookedAt: LookedAt['version']
  /** Unix milliseconds. */
  readonly madeAt: number
}

/** Submissions of the inbox that count as no spam: someone who may mark them has seen them, or had a week for it. */
interface LookedAt {
  /** All before this identifier, */
  readonly before: string
  /** and what these have opened one by one. */
  readonly readers: readonly { readonly userId: string }[]
  /** Another one if they have looked at more. */
  readonly version: string
}

export interface Mark {
  readonly submission: string
  /** Unix milliseconds. */
  readonly at: number
}

/** A mark with what it teaches. */
interface Lesson extends Mark {
  readonly tokens: Tokens
}

interface Options {
  readonly reader: Reader
  readonly access: FormAccess
  readonly now: () => number
}

/** Makes the models of forms, of what is stored: what was marked, what was taken back, and some of the inbox. */
export const modelMaker = ({ reader, access, now }: Options) => {
  const { lessonsOf, marksSince, marksOfReaders, openedBetween } = statements(reader.db)
  const { newestFirst, oldestFirst, findRow } = storedReads(reader.db)
  const readPiece = pieceReader(reader.db)

  const tokensOfRow = (list: List, { id, data }: StoredSubmission): Tokens =>
    tokensOfStored(data === '' ? firstText((of, at) => readPiece(list, of, at), id).text : data)

  /** Reads what spam is compared with, but for what was taken back. */
  const readGood = async (
    list: List,
    { before, readers }: LookedAt,
    kept: readonly Mark[],
  ): Promise<Map<string, Tokens>> => {
    const [first] = oldestFirst(list, { from: lowest, before: afterEveryId, limit: 1 })
    if (!first) return new Map()
    const halfway = (creationTime(first.id) + now()) / 2
    const oldBefore = timePrefix(Math.floor(Math.max(now() - oldMilliseconds, halfway)))
    const without = new Set(kept.map(({ submission }) => submission))
    const old = await readInbox(list, before < oldBefore ? before : oldBefore, maxOld, without)
    for (const id of old.keys()) without.add(id)
    const opened = await readOpened(list, { before, readers }, maxInbox - old.size, without)
    const others = await readInbox(list, before, maxInbox - old.size - opened.size, without)
    return new Map([...opened, ...others, ...old])
  }

  /** Reads the newest submissions that were opened one by one, with their tokens, in slices. */
  const readOpened = async (
    list: List,
    { before, readers }: Omit<LookedAt, 'version'>,
    most: number,
    without: ReadonlySet<string>,
  ): Promise<Map<string, Tokens>> => {
    const place = { form: list.form, from: before, to: afterEveryId }
    const ids = readers.flatMap(({ userId }) => openedBetween.all({ ...place, userId }).map(({ id }) => id))
    const newest = [...new Set(ids).difference(without)].sort().slice(-most)
    const found = new Map<string, Tokens>()
    for (const [position, id] of newest.reverse().entries()) {
      const row = findRow(list, id)
      if (row) found.set(id, tokensOfRow(list, row))
      if (position % sliceRows === sliceRows - 1) await Bun.sleep(0)
    }
    return found
  }

  /** Reads the newest submissions before an identifier, with their tokens. */
  const readInbox = async (list: List, before: string, most: number, without: ReadonlySet<string>) => {
    const found = new Map<string, Tokens>()
    await readNewest(list, { before, most }, (row) => {
      if (without.has(row.id)) return false
      found.set(row.id, tokensOfRow(list, row))
      return true
    })
    return found
  }

  /** Reads the newest submissions before an identifier in slices, until so many are taken. */
  const readNewest = async (
    list: List,
    { before, most }: { readonly before: string; readonly most: number },
    take: (row: StoredSubmission) => boolean,
  ): Promise<void> => {
    let end = before
    for (let taken = 0; taken < most; await Bun.sleep(0)) {
      const rows = newestFirst(list, { from: lowest, before: end, limit: sliceRows })
      for (const row of rows) if (taken < most && take(row)) taken++
      if (rows.length < sliceRows) break
      end = (rows.at(-1) as StoredSubmission).id
    }
  }

  const lookedAtIn = (form: Form): LookedAt => {
    const readers = marksOfReaders.all({ form: form.number }).filter(({ userId }) => access.mayDo(userId, form, 'edit'))
    const weekAgo = timePrefix(Math.max(0, now() - unreadMilliseconds))
    const before = readers.map(({ unreadFrom }) => unreadFrom).reduce(later, weekAgo)
    const count = readers.reduce((sum, { openedCount }) => sum + openedCount, 0)
    // Not the boundary itself: that of those who have read nothing for a week moves all the time.
    const [newest] = newestFirst(inboxOf(form.number), { from: lowest, before, limit: 1 })
    const version = `${newest?.id ?? ''} ${count}`
    return { before, readers: readers.filter(({ openedCount }) => openedCount > 0), version }
  }

  /**
   * Reads the submissions that were marked while the form did not learn, as far as they are still in its spam: the first
   * one first.
   */
  const readEarlier = async (form: Form): Promise<Lesson[]> => {
    const { unlearnedSince } = form
    if (unlearnedSince === null) return []
    const list = listOf(form, 'spam')
    const marks: Lesson[] = []
    for (const [position, { id, at }] of marksSince
      .all({ ...list, since: unlearnedSince, rows: maxEarlier })
      .entries()) {
      const row = findRow(list, id)
      if (row) marks.push({ submission: id, at: at ?? 0, tokens: tokensOfRow(list, row) })
      if (position % sliceRows === sliceRows - 1) await Bun.sleep(0)
    }
    marks.sort((one, other) => one.at - other.at)
    return marks
  }

  const make = async (form: Form): Promise<Learned> => {
    const { number, lessonChanges, changeCount } = form
    const list = inboxOf(number)
    const rows = lessonsOf.all({ form: number })
    const read = ({ submission, at, tokens }: (typeof rows)[number]): Lesson => ({
      submission,
      at,
      tokens: toTokens(tokens),
    })
    const lookedAt = lookedAtIn(form)
    const kept = rows.filter(({ isSpam }) => !isSpam).map(read)
    const taught = rows.filter(({ isSpam }) => isSpam).map(read)
    // What has become a lesson meanwhile counts once.
    const all = new Map([...taught, ...(await readEarlier(form))].map((one) => [one.submission, one]))
    const marked = [...all.values()].slice(-maxLessons.spam)
    const inbox = await readGood(list, lookedAt, kept)
    const model = spamModel({
      marked: marked.map(({ tokens }) => tokens),
      kept: kept.map(({ tokens }) => tokens),
      inbox: [...inbox.values()],
    })
    const positions = new Map([...inbox.keys()].map((id, position) => [id, position]))
    return {
      model,
      bytes: model.bytes + bytesOfId * (inbox.size + marked.length),
      marked: marked.map(({ submission, at }) => ({ submission, at })),
      keptCount: kept.length,
      inbox: positions,
      lessonChanges,
      changeCount,
      lookedAt: lookedAt.version,
      madeAt: now(),
    }
  }

  return {
    make,
    readEarlier,
    lookedAtIn,

    /** Finds those of the newest submissions of the inbox that look like spam, whoever has looked at them: the newest first. */
    async newestLike(form: Form, { model, inbox }: Learned): Promise<string[]> {
      const list = inboxOf(form.number)
      const found: string[] = []
      await readNewest(list, { before: afterEveryId, most: maxInbox }, (row) => {
        const position = inbox.get(row.id)
        const verdict = position === undefined ? model.judge(tokensOfRow(list, row)) : model.judgeInbox(position)
        if (verdict) found.push(row.id)
        return true
      })
      return found
    },

    /** How many submissions in the spam of a form were marked by hand, among its newest. */
    countMarked: (form: Form): number => marksSince.all({ ...listOf(form, 'spam'), since: 0, rows: maxEarlier }).length,
  }
}

/** A lesson as a command takes it: its tokens in base64. */
export const toLesson = ({ buffer, byteOffset, byteLength }: Tokens): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

/** A copy, because what the database returns may not begin where a number may. */
const toTokens = (stored: Uint8Array): Tokens => new Uint32Array(new Uint8Array(stored).buffer)

const statements = (db: Db) => {
  const lessonsOf = db
    .select({ submission: lessons.submission, isSpam: lessons.isSpam, at: lessons.at, tokens: lessons.tokens })
    .from(lessons)
    .where(eq(lessons.form, param('form')))
    .prepare()
  const newest = db
    .select({ id: submissions.id, at: submissions.markedAt })
    .from(submissions)
    .where(inList(submissions))
    .orderBy(desc(submissions.id))
    .limit(param('rows'))
    .as('newest')
  const marksSince = db
    .select()
    .from(newest)
    .where(gte(newest.at, param('since')))
    .limit(maxLessons.spam)
    .prepare()
  const marksOfReaders = db
    .select({ userId: unreadMarks.userId, unreadFrom: unreadMarks.unreadFrom, openedCount: unreadMarks.openedCount })
    .from(unreadMarks)
    .where(eq(unreadMarks.form, param('form')))
    .prepare()
  return { lessonsOf, marksSince, marksOfReaders, openedBetween: openedBetween(db) }
}
