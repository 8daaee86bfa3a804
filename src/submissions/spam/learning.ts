import type { FormAccess } from '../../forms/access.ts'
import type { Form } from '../../forms/form.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { Field } from '../fields.ts'
import { type ListName, listOf } from '../lists.ts'
import { storedReads } from '../stored-submission.ts'
import { wholeReader } from '../whole-text.ts'
import { knownModels } from './known-models.ts'
import type { lessonCommands } from './lesson-writes.ts'
import { type Learned, type Mark, modelMaker, toLesson } from './make-model.ts'
import { type SpamModel, tellingWeight } from './model.ts'
import { sentFieldsIn, tokensOf, tokensWithWords } from './tokens.ts'

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

/** What of it depends on the model alone. */
type Counted = Omit<LearnedNumbers, 'isActing'> & Pick<SpamModel, 'actsOnWords'>

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

/** What forms learn from marks of their people, and what is judged by that. */
export const openSpamLearning = ({ reader, findForm, access, writer, now }: Options) => {
  const { make, readEarlier, newestLike, lookedAtIn, countMarked } = modelMaker({ reader, access, now })
  const { findRow } = storedReads(reader.db)
  const readWhole = wholeReader(reader.db)

  const countNumbers = async (form: Form, learned: Learned): Promise<Counted> => {
    const { model, marked, keptCount, inbox } = learned
    return {
      marked: marked.length,
      kept: keptCount,
      inbox: inbox.size,
      actsOnWords: model.actsOnWords,
      wouldHoldBack: [...inbox.values()].filter((position) => model.judgeInbox(position)).length,
      recognises: model.countRecognised(),
      suspects: await newestLike(form, learned),
    }
  }
  const models = knownModels({ findForm, make, count: countNumbers, lookedAtIn, now })

  const isUntaught = ({ unlearnedSince, settings }: Form): boolean =>
    unlearnedSince !== null && parseSettings(settings).learnSpam

  const teaching = new Map<string, Promise<void>>()

  /** Turns what was marked while the form did not learn into rows, once: they still count when that spam is deleted. */
  const teachEarlier = (form: Form): Promise<void> => {
    const begun = teaching.get(form.id)
    if (begun) return begun
    const next = models
      .inTurnOf(form, async () => {
        const current = findForm(form.id)
        return current && isUntaught(current) ? readEarlier(current) : undefined
      })
      .then(async (marks) => {
        if (!marks) return
        const taught = marks.map(({ submission, at, tokens }) => ({ id: submission, at, lesson: toLesson(tokens) }))
        await writer.run('learnMarked', { formId: form.id, lessons: taught }, 1200 * taught.length)
      })
      .finally(() => teaching.delete(form.id))
    teaching.set(form.id, next)
    return next
  }

  /** Must come before marked spam is deleted, or another mark. */
  const teachFirst = async (form: Form): Promise<void> => {
    if (isUntaught(form)) await teachEarlier(form)
  }

  /** No one waits for it. If it fails, the next one who asks for the model tries again. */
  const teachMeanwhile = (form: Form): void => {
    if (isUntaught(form)) teachEarlier(form).catch(() => {})
  }

  const likenessOf = (
    form: Form,
    { model, marked }: Learned,
    fields: readonly TokenField[],
    position?: number,
  ): Likeness | undefined => {
    const { tokens, words } = tokensWithWords(fields)
    const verdict = position === undefined ? model.judge(tokens) : model.judgeInbox(position)
    if (verdict === undefined) return undefined
    if (verdict === 'words') return { words: tellingWords(model, words) }
    const { submission, at } = marked[verdict.copyOf] as Mark
    return { markedAt: at, copyOf: findRow(listOf(form, 'spam'), submission) && submission }
  }

  return {
    /** Whether a submission that arrives looks like spam. Asked only for forms that learn. */
    async looksLikeSpam(formId: string, fields: readonly TokenField[]): Promise<boolean> {
      const form = findForm(formId)
      if (!form) return false
      teachMeanwhile(form)
      const learned = await models.forVisitor(form)
      return learned?.model.judge(tokensOf(fields)) !== undefined
    },

    teachFirst,

    /** Makes the lesson of marking a submission of this list; undefined if its form does not learn. */
    async lessonOf(userId: string, formId: string, name: ListName, id: string): Promise<string | undefined> {
      const form = access.findFormTo('edit', userId, formId)
      if (!parseSettings(form.settings).learnSpam) return undefined
      await teachFirst(form)
      const found = readWhole(listOf(access.findFormTo('edit', userId, formId), name), id)
      return found && toLesson(tokensOf(sentFieldsIn(found.data)))
    },

    /**
     * @throws AppError `not_found` or `forbidden`, also if that is so only after the wait, `rate_limited` if too many pages
     *   wait for a model
     */
    async numbersOf(userId: string, formId: string): Promise<LearnedNumbers> {
      const form = access.findFormTo('read', userId, formId)
      teachMeanwhile(form)
      const numbers = await models.numbersFor(userId, form)
      const { settings } = access.findFormTo('read', userId, formId)
      const isActing = parseSettings(settings).learnSpam && numbers.actsOnWords
      const { marked, kept, inbox, wouldHoldBack, recognises, suspects } = numbers
      return { marked, kept, inbox, isActing, wouldHoldBack, recognises, suspects }
    },

    /**
     * Says of submissions why they look like spam, in their order; undefined for those that do not by now.
     *
     * @throws AppError as `numbersOf` does
     */
    async explain(
      userId: string,
      formId: string,
      rows: readonly { readonly id: string; readonly fields: readonly TokenField[] }[],
    ): Promise<(Likeness | undefined)[]> {
      const found = access.findFormTo('read', userId, formId)
      teachMeanwhile(found)
      const learned = await models.forUser(userId, found)
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
const tellingWords = (model: SpamModel, found: ReadonlyMap<number, string>): string[] => {
  const told: string[] = []
  const words = [...found]
    .map(([token, word]) => ({ word, weight: model.weight(token) }))
    .filter(({ word, weight }) => weight > tellingWeight && word.length > 1 && !word.includes('0'))
    .sort((one, other) => other.weight - one.weight || other.word.length - one.word.length)
  for (const { word } of words)
    if (told.length < maxTold && !told.some((one) => one.includes(word) || word.includes(one))) told.push(word)
  return told
}
