import { dayMilliseconds, minuteMilliseconds } from '../../base/durations.ts'
import { notFound } from '../../base/errors.ts'
import { semaphore } from '../../base/semaphore.ts'
import type { FormAccess } from '../../forms/access.ts'
import type { Form } from '../../forms/form.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { Field } from '../fields.ts'
import { type ListName, listOf } from '../lists.ts'
import { storedReads } from '../stored-submission.ts'
import { wholeReader } from '../whole-text.ts'
import type { lessonCommands } from './lesson-writes.ts'
import { type Learned, type Mark, modelMaker, toLesson } from './make-model.ts'
import { type SpamModel, tellingWeight } from './model.ts'
import { sentFieldsIn, type Tokens, tokensOf, wordsOf } from './tokens.ts'

/** Bytes of all models that are remembered: one has about 0.1 MB, or 2 for long texts that share no words. */
const maxBytes = 40 * 1024 * 1024
/** Words that are told. */
const maxTold = 4

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
  const { make, readEarlier, readNewest, lookedAtIn, countMarked } = modelMaker({ reader, access, now })
  const { findRow } = storedReads(reader.db)
  const readWhole = wholeReader(reader.db)
  // By the identifier of the form: its number may be that of another one after it is deleted. The one that was used last
  // is the last.
  const known = new Map<string, Learned>()
  let bytes = 0
  const making = new Map<string, Promise<Learned>>()
  // One at a time: what is read for it takes memory, and a stranger may ask for those of many forms.
  const turns = semaphore({ room: 1 })

  /** Turns these into rows, once: they still count when that spam is deleted. */
  const teachEarlier = async (form: Form): Promise<void> => {
    const marks = await readEarlier(form)
    const taught = marks.map(({ submission, at, tokens }) => ({ id: submission, at, lesson: toLesson(tokens) }))
    await writer.run('learnMarked', { formId: form.id, lessons: taught }, 1200 * taught.length)
  }

  /** Must come before marked spam is deleted, or another mark. */
  const teachFirst = async (form: Form): Promise<void> => {
    if (form.unlearnedSince !== null && parseSettings(form.settings).learnSpam) await teachEarlier(form)
  }

  const beingTaught = new Set<string>()

  /** No one waits for it. If it fails, the next one who asks for the model tries again. */
  const teachMeanwhile = (form: Form): void => {
    if (form.unlearnedSince === null || beingTaught.has(form.id) || !parseSettings(form.settings).learnSpam) return
    beingTaught.add(form.id)
    teachEarlier(form)
      .catch(() => {})
      .finally(() => beingTaught.delete(form.id))
  }

  const drop = (formId: string): void => {
    bytes -= known.get(formId)?.bytes ?? 0
    known.delete(formId)
  }

  const remember = (formId: string, made: Learned): void => {
    drop(formId)
    for (const oldest of known.keys()) {
      if (bytes + made.bytes <= maxBytes) break
      drop(oldest)
    }
    bytes += made.bytes
    known.set(formId, made)
  }

  const makeInTurn = async (form: Form): Promise<Learned> => {
    const end = await turns.enter()
    try {
      // It may have been deleted while this waited.
      const current = findForm(form.id)
      if (!current) throw notFound('Form')
      const made = await make(current)
      remember(form.id, made)
      return made
    } finally {
      end()
    }
  }

  /** Those who ask for the same one meanwhile get it, too. */
  const makeOnce = (form: Form): Promise<Learned> => {
    const begun = making.get(form.id)
    if (begun) return begun
    const next = makeInTurn(form).finally(() => making.delete(form.id))
    making.set(form.id, next)
    return next
  }

  /** @param isForPage if true, what has come in or was looked at since counts as well */
  const learnedBy = async (form: Form, isForPage = false): Promise<Learned> => {
    teachMeanwhile(form)
    const learned = known.get(form.id)
    if (learned && known.delete(form.id)) known.set(form.id, learned)
    const isMissing = learned?.lessonChanges !== form.lessonChanges
    const hasChanged = learned?.changeCount !== form.changeCount
    if (learned && !isMissing) {
      // Within a day, marks may have been removed for their age.
      const isYoung = isYounger(learned, hasChanged ? minuteMilliseconds : dayMilliseconds)
      if (isForPage ? !hasChanged && learned.lookedAt === lookedAtIn(form).version : isYoung) return learned
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

  const isYounger = ({ madeAt }: Learned, milliseconds: number): boolean => Math.abs(now() - madeAt) < milliseconds

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

    teachFirst,

    /** Makes the lesson of marking a submission of this list; undefined if its form does not learn. */
    async lessonOf(userId: string, formId: string, name: ListName, id: string): Promise<string | undefined> {
      const form = access.findFormTo('edit', userId, formId)
      if (!parseSettings(form.settings).learnSpam) return undefined
      await teachFirst(form)
      const found = readWhole(listOf(access.findFormTo('edit', userId, formId), name), id)
      return found && toLesson(tokensOf(sentFieldsIn(found[1])))
    },

    /** @throws AppError `not_found` or `forbidden`, also if that is so only after the wait */
    async numbersOf(userId: string, formId: string): Promise<LearnedNumbers> {
      const { model, marked, keptCount, inbox } = await learnedBy(access.findFormTo('read', userId, formId), true)
      const newest = await readNewest(access.findFormTo('read', userId, formId))
      const form = access.findFormTo('read', userId, formId)
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

    /**
     * Says of submissions why they look like spam, in their order; undefined for those that do not by now.
     *
     * @throws AppError `not_found` or `forbidden`, also if that is so only after the wait
     */
    async explain(
      userId: string,
      formId: string,
      rows: readonly { readonly id: string; readonly fields: readonly TokenField[] }[],
    ): Promise<(Likeness | undefined)[]> {
      const learned = await learnedBy(access.findFormTo('read', userId, formId))
      const form = access.findFormTo('read', userId, formId)
      return rows.map(({ id, fields }) => likenessOf(form, learned, fields, learned.inbox.get(id)))
    },

    countMarked,

    forget: (userId: string, formId: string): Promise<void> =>
      writer.run('forgetLessons', { userId, formId, now: now() }),
  }
}

type TokenField = Pick<Field, 'name' | 'json'>

/** The words that say most. Of several that have one in them, the one that says most. Digits are known by their number only. */
const tellingWords = (model: SpamModel, fields: readonly TokenField[]): string[] => {
  const told: string[] = []
  const words = [...wordsOf(fields)]
    .map(([token, word]) => ({ word, weight: model.weight(token) }))
    .filter(({ word, weight }) => weight > tellingWeight && word.length > 1 && !word.includes('0'))
    .sort((one, other) => other.weight - one.weight || other.word.length - one.word.length)
  for (const { word } of words)
    if (told.length < maxTold && !told.some((one) => one.includes(word) || word.includes(one))) told.push(word)
  return told
}
