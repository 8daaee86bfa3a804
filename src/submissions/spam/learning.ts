import { desc, eq, gte } from 'drizzle-orm'
import { dayMilliseconds, minuteMilliseconds } from '../../base/durations.ts'
import { afterEveryId, creationTime, timePrefix } from '../../base/id.ts'
import { semaphore } from '../../base/semaphore.ts'
import type { FormAccess, FormTo } from '../../forms/access.ts'
import type { Form } from '../../forms/form.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import type { Db } from '../../storage/open.ts'
import type { Reader } from '../../storage/reader.ts'
import { lessons, param, submissions, unreadMarks } from '../../storage/tables.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import { lowest } from '../date-range.ts'
import type { Field } from '../fields.ts'
import { inboxOf, inList, type List, type ListName, listOf } from '../lists.ts'
import { pieceReader } from '../pieces.ts'
import { type StoredSubmission, storedReads } from '../stored-submission.ts'
import { later } from '../unread.ts'
import { firstText, wholeReader } from '../whole-text.ts'
import { type lessonCommands, maxLessons } from './lesson-writes.ts'
import { type SpamModel, spamModel } from './model.ts'
import { sentFieldsIn, type Tokens, tokensOf, tokensOfStored, wordsOf } from './tokens.ts'

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
/** Bytes of all models that are remembered: one has about 0.1 MB, or 2 for long texts that share no words. */
const maxBytes = 40 * 1024 * 1024
/** Bytes of what is remembered of each submission of the inbox, and of each mark. */
const bytesOfId = 150
/** How much a word has to say to be told, and how many are. */
const leastTold = 0.7
const maxTold = 4

/** The model of a form, as long as nothing that it was made of has changed. */
interface Learned {
  readonly model: SpamModel
  readonly bytes: number
  readonly marked: readonly Mark[]
  readonly keptCount: number
  /** Positions in the model by identifier. */
  readonly inbox: ReadonlyMap<string, number>
  readonly lessonChanges: number
  readonly changeCount: number
  /** The submissions of the inbox are those before this identifier. */
  readonly before: string
  /** Unix milliseconds. */
  readonly madeAt: number
}

interface Mark {
  readonly submission: string
  /** Unix milliseconds. */
  readonly at: number
}

/** A mark with what it teaches. */
interface Lesson extends Mark {
  readonly tokens: Tokens
}

/** The model of a form, in numbers. */
export interface LearnedNumbers {
  /** Submissions that were marked as spam, and that were taken back. */
  readonly marked: number
  readonly kept: number
  /** The submissions of the inbox that someone has looked at. */
  readonly inbox: number
  /** Whether something may be held back for its words. */
  readonly isActing: boolean
  /** How many of the inbox it would hold back if they were new. */
  readonly wouldHoldBack: number
  /** How many of those that were marked. */
  readonly recognises: number
  /** Identifiers of submissions in the inbox that look like spam, newest first. */
  readonly suspects: readonly string[]
}

/** Why something looks like spam: its words, as far as they can be told, or what it is a copy of. */
export type Likeness = { readonly words: readonly string[] } | Copied

interface Copied {
  /** When that was marked. Unix milliseconds. */
  readonly markedAt: number
  /** Its identifier, while it is in the spam. */
  readonly copyOf: string | undefined
}

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly access: FormAccess
  readonly writer: Writer<ReturnType<typeof lessonCommands>>
  readonly now: () => number
}

/**
 * The models that forms learn from marks of their people: in memory, made when they are needed. The first submission
 * waits for its form's model, and so does the first one after a mark; a model of an inbox that has grown is made
 * meanwhile.
 */
export const openSpamLearning = ({ reader, findForm, access, writer, now }: Options) => {
  const { lessonsOf, marksSince, marksOfReaders } = statements(reader.db)
  const { newestFirst, oldestFirst, findRow } = storedReads(reader.db)
  const readWhole = wholeReader(reader.db)
  const readPiece = pieceReader(reader.db)
  // The one that was used last is the last.
  const known = new Map<number, Learned>()
  let bytes = 0
  const making = new Map<number, Promise<Learned>>()
  // One at a time: what is read for it takes memory, and a stranger may ask for those of many forms.
  const turns = semaphore({ room: 1 })

  const tokensOfRow = (list: List, [id, data]: StoredSubmission): Tokens =>
    tokensOfStored(data === '' ? firstText((of, at) => readPiece(list, of, at), id).text : data)

  /** Reads what spam is compared with, but for what was taken back. */
  const readGood = async (form: Form, before: string, kept: readonly Mark[]): Promise<Map<string, Tokens>> => {
    const [first] = oldestFirst(inboxOf(form.number), { from: lowest, before, limit: 1 })
    if (!first) return new Map()
    const halfway = (creationTime(first[0]) + now()) / 2
    const oldBefore = timePrefix(Math.floor(Math.max(now() - oldMilliseconds, halfway)))
    const without = new Set(kept.map(({ submission }) => submission))
    const old = await readInbox(form, before < oldBefore ? before : oldBefore, maxOld, without)
    const others = await readInbox(form, before, maxInbox - old.size, new Set([...without, ...old.keys()]))
    return new Map([...others, ...old])
  }

  /** Reads the newest submissions before an identifier, with their tokens, in slices. */
  const readInbox = async (form: Form, before: string, most: number, without: ReadonlySet<string>) => {
    const list = inboxOf(form.number)
    const found = new Map<string, Tokens>()
    let end = before
    while (found.size < most) {
      const rows = newestFirst(list, { from: lowest, before: end, limit: sliceRows })
      for (const row of rows.slice(0, most - found.size))
        if (!without.has(row[0])) found.set(row[0], tokensOfRow(list, row))
      if (rows.length < sliceRows) break
      end = (rows.at(-1) as StoredSubmission)[0]
      await Bun.sleep(0)
    }
    return found
  }

  /** Submissions before this identifier count as no spam: someone who may mark them has seen them, or had a week for it. */
  const lookedAtBefore = (form: Form): string => {
    const seen = marksOfReaders
      .all({ form: form.number })
      .filter(({ userId }) => access.mayDo(userId, form, 'edit'))
      .map(({ unreadFrom }) => unreadFrom)
    return [timePrefix(Math.max(0, now() - unreadMilliseconds)), ...seen].reduce(later)
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

  /** Turns these into rows, once: they still count when that spam is deleted. */
  const teachEarlier = async (form: Form): Promise<void> => {
    const marks = await readEarlier(form)
    const taught = marks.map(({ submission, at, tokens }) => ({ id: submission, at, lesson: toLesson(tokens) }))
    await writer.run('learnMarked', { formId: form.id, lessons: taught }, 1200 * taught.length)
  }

  const beingTaught = new Set<number>()

  /** No one waits for it. If it fails, the next one who asks for the model tries again. */
  const teachMeanwhile = (form: Form): void => {
    if (form.unlearnedSince === null || beingTaught.has(form.number) || !parseSettings(form.settings).learnSpam) return
    beingTaught.add(form.number)
    teachEarlier(form)
      .catch(() => {})
      .finally(() => beingTaught.delete(form.number))
  }

  const make = async (form: Form): Promise<Learned> => {
    const { number, lessonChanges, changeCount } = form
    const rows = lessonsOf.all({ form: number })
    const read = ({ submission, at, tokens }: (typeof rows)[number]): Lesson => ({
      submission,
      at,
      tokens: toTokens(tokens),
    })
    const before = lookedAtBefore(form)
    const kept = rows.filter(({ isSpam }) => !isSpam).map(read)
    const taught = rows.filter(({ isSpam }) => isSpam).map(read)
    // What has become a lesson meanwhile counts once.
    const all = new Map([...taught, ...(await readEarlier(form))].map((one) => [one.submission, one]))
    const marked = [...all.values()].slice(-maxLessons.spam)
    const inbox = await readGood(form, before, kept)
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
      before,
      madeAt: now(),
    }
  }

  const drop = (form: number): void => {
    bytes -= known.get(form)?.bytes ?? 0
    known.delete(form)
  }

  const remember = (form: number, made: Learned): void => {
    drop(form)
    for (const oldest of known.keys()) {
      if (bytes + made.bytes <= maxBytes) break
      drop(oldest)
    }
    bytes += made.bytes
    known.set(form, made)
  }

  const makeInTurn = async (form: Form): Promise<Learned> => {
    const end = await turns.enter()
    try {
      const made = await make(findForm(form.id) ?? form)
      remember(form.number, made)
      return made
    } finally {
      end()
    }
  }

  /** Those who ask for the same one meanwhile get it, too. */
  const makeOnce = (form: Form): Promise<Learned> => {
    const begun = making.get(form.number)
    if (begun) return begun
    const next = makeInTurn(form).finally(() => making.delete(form.number))
    making.set(form.number, next)
    return next
  }

  /** @param isForPage if true, what has come in or was looked at since counts as well */
  const learnedBy = async (form: Form, isForPage = false): Promise<Learned> => {
    teachMeanwhile(form)
    const learned = known.get(form.number)
    if (learned && known.delete(form.number)) known.set(form.number, learned)
    const isMissing = learned?.lessonChanges !== form.lessonChanges
    const hasChanged = learned?.changeCount !== form.changeCount
    if (learned && !isMissing) {
      if (isForPage ? !hasChanged && learned.before === lookedAtBefore(form) : !hasChanged || isRecent(learned))
        return learned
    }
    const next = makeOnce(form)
    if (learned && !isMissing && !isForPage) {
      next.catch(() => {})
      return learned
    }
    const made = await next
    // It was begun before the last mark.
    return made.lessonChanges < form.lessonChanges ? learnedBy(form, isForPage) : made
  }

  const isRecent = ({ madeAt }: Learned): boolean => Math.abs(now() - madeAt) < minuteMilliseconds

  const likenessOf = (
    form: Form,
    { model, marked }: Learned,
    fields: readonly TokenField[],
    position?: number,
  ): Likeness | undefined => {
    const verdict = position === undefined ? model.judge(tokensOf(fields)) : model.judgeInbox(position)
    if (verdict === undefined) return undefined
    if (verdict === 'words') return { words: tellingWords(model, fields) }
    const { submission, at } = marked[verdict.copyOf] as Mark
    return { markedAt: at, copyOf: findRow(listOf(form, 'spam'), submission) && submission }
  }

  return {
    /** Whether a submission that arrives looks like spam. Asked only for forms that learn. */
    async looksLikeSpam(formId: string, fields: readonly TokenField[]): Promise<boolean> {
      const found = findForm(formId)
      if (!found) return false
      const { model } = await learnedBy(found)
      return model.judge(tokensOf(fields)) !== undefined
    },

    /** Makes the lesson of marking a submission of this list; undefined if its form does not learn. */
    async lessonOf(form: Form, name: ListName, id: string): Promise<string | undefined> {
      if (!parseSettings(form.settings).learnSpam) return undefined
      if (form.unlearnedSince !== null) await teachEarlier(form)
      const found = readWhole(listOf(form, name), id)
      return found && toLesson(tokensOf(sentFieldsIn(found[1])))
    },

    async numbersOf(form: FormTo<'read'>): Promise<LearnedNumbers> {
      const { model, marked, keptCount, inbox } = await learnedBy(form, true)
      const newest = await readInbox(form, afterEveryId, maxInbox, new Set())
      const looksLike = (id: string, tokens: Tokens): boolean => {
        const position = inbox.get(id)
        return (position === undefined ? model.judge(tokens) : model.judgeInbox(position)) !== undefined
      }
      return {
        marked: marked.length,
        kept: keptCount,
        inbox: inbox.size,
        isActing: parseSettings(form.settings).learnSpam && model.actsOnWords,
        wouldHoldBack: [...inbox.values()].filter((position) => model.judgeInbox(position)).length,
        recognises: model.countRecognised(),
        suspects: [...newest].filter(([id, tokens]) => looksLike(id, tokens)).map(([id]) => id),
      }
    },

    /** Says of submissions why they look like spam, in their order; undefined for those that do not by now. */
    async explain(
      form: FormTo<'read'>,
      rows: readonly { readonly id: string; readonly fields: readonly TokenField[] }[],
    ): Promise<(Likeness | undefined)[]> {
      const learned = await learnedBy(form)
      return rows.map(({ id, fields }) => likenessOf(form, learned, fields, learned.inbox.get(id)))
    },

    /** How many submissions in the spam of a form were marked by hand, among its newest. */
    countMarked: (form: Form): number => marksSince.all({ ...listOf(form, 'spam'), since: 0, rows: maxEarlier }).length,

    forget: (userId: string, formId: string): Promise<void> =>
      writer.run('forgetLessons', { userId, formId, now: now() }),
  }
}

type TokenField = Pick<Field, 'name' | 'json'>

const toLesson = ({ buffer, byteOffset, byteLength }: Tokens): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

/** A copy, because what the database returns may not begin where a number may. */
const toTokens = (stored: Uint8Array): Tokens => new Uint32Array(new Uint8Array(stored).buffer)

/** The words that say most. Of several that have one in them, the one that says most. Digits are known by their number only. */
const tellingWords = (model: SpamModel, fields: readonly TokenField[]): string[] => {
  const told: string[] = []
  const words = [...wordsOf(fields)]
    .map(([token, word]) => ({ word, weight: model.weight(token) }))
    .filter(({ word, weight }) => weight > leastTold && word.length > 1 && !word.includes('0'))
    .sort((one, other) => other.weight - one.weight || other.word.length - one.word.length)
  for (const { word } of words)
    if (told.length < maxTold && !told.some((one) => one.includes(word) || word.includes(one))) told.push(word)
  return told
}

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
    .select({ userId: unreadMarks.userId, unreadFrom: unreadMarks.unreadFrom })
    .from(unreadMarks)
    .where(eq(unreadMarks.form, param('form')))
    .prepare()
  return { lessonsOf, marksSince, marksOfReaders }
}
