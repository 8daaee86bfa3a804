import { dayMilliseconds, minuteMilliseconds } from '../../base/durations.ts'
import { notFound, tooManyRequests } from '../../base/errors.ts'
import { semaphore } from '../../base/semaphore.ts'
import type { Form } from '../../forms/form.ts'
import type { Learned } from './make-model.ts'
import { modelMemory } from './model-memory.ts'

/** Bytes of all models that are remembered: one has about 0.1 MB, or 2 for long texts that share no words. */
const maxBytes = 40 * 1024 * 1024
/** How long a visitor waits for a model. It takes 10 ms, or some tenths of a second for long texts. */
const maxWaitMilliseconds = 300
/** Pages and requests of all users that wait for a model: the last one waits less than the 30 seconds after which it ends. */
const maxWaiting = 30
const retryAfterSeconds = 5

interface Options<Numbers> {
  readonly findForm: (id: string) => Form | undefined
  readonly make: (form: Form) => Promise<Learned>
  /** Counts what the page of a form shows. */
  readonly count: (form: Form, learned: Learned) => Promise<Numbers>
  /** What has been looked at of a form: another one if that is more. */
  readonly lookedAtIn: (form: Form) => { readonly version: string }
  readonly now: () => number
  readonly sleep?: (milliseconds: number) => Promise<void>
}

/** A model, and what pages show of it once one was asked for. */
interface Known<Numbers> {
  readonly learned: Learned
  readonly numbers?: Numbers
  readonly bytes: number
}

/**
 * The models of forms, in memory, made when they are needed: what they are made of is read, which takes time and memory, and
 * a stranger may ask for those of many forms. So one is made at a time for those who send something, in turn among the
 * owners of the forms, and beside it one for a page or a request to the API, in turn among users. Neither keeps the other
 * waiting. The turns of searches refuse a second search of a user; here a second page waits.
 */
export const knownModels = <Numbers>({
  findForm,
  make,
  count,
  lookedAtIn,
  now,
  sleep = Bun.sleep,
}: Options<Numbers>) => {
  // By the identifier of the form: its number may be that of another one after it is deleted.
  const memory = modelMemory<Known<Numbers>>(maxBytes)
  const visits = semaphore({ room: 1 })
  const pages = semaphore({
    room: 1,
    maxWaiting,
    refusal: () =>
      tooManyRequests(retryAfterSeconds, 'one page at a time is made for a user that tells of learned spam'),
  })
  const making = new Map<string, Promise<Learned>>()

  const inTurn = async <T>(turns: typeof visits, group: string, work: () => Promise<T>): Promise<T> => {
    const end = await turns.enter({ group })
    try {
      return await work()
    } finally {
      end()
    }
  }

  const isYoung = ({ madeAt }: Learned, milliseconds: number): boolean => Math.abs(now() - madeAt) < milliseconds

  /** Whether a model is new enough to judge by. Within a day, marks may have been removed for their age. */
  const isFresh = (learned: Learned, { lessonChanges, changeCount }: Form): boolean =>
    learned.lessonChanges === lessonChanges &&
    isYoung(learned, learned.changeCount === changeCount ? dayMilliseconds : minuteMilliseconds)

  /** Whether it is the one that would be made now. */
  const isSame = (learned: Learned, form: Form): boolean =>
    isFresh(learned, form) && learned.changeCount === form.changeCount && learned.lookedAt === lookedAtIn(form).version

  const remember = (form: Form, learned: Learned, numbers?: Numbers): void => {
    const bytes = learned.bytes + (numbers === undefined ? 0 : JSON.stringify(numbers).length)
    memory.remember(form.id, ownerOf(form), { learned, bytes, ...(numbers !== undefined && { numbers }) })
  }

  /** After a wait, the form may be another one, or gone. @throws AppError `not_found` */
  const findAgain = (id: string): Form => {
    const form = findForm(id)
    if (!form) throw notFound('Form')
    return form
  }

  const makeAgain = async (id: string, isEnough: (learned: Learned, form: Form) => boolean): Promise<Learned> => {
    const form = findAgain(id)
    const known = memory.find(id)?.learned
    if (known && isEnough(known, form)) return known
    const made = await make(form)
    remember(form, made)
    return made
  }

  /** Those who send something to the same form meanwhile get it, too. */
  const makeOnce = (form: Form): Promise<Learned> => {
    const { id } = form
    const begun = making.get(id)
    if (begun) return begun
    const next = inTurn(visits, ownerOf(form), () => makeAgain(id, isFresh)).finally(() => making.delete(id))
    making.set(id, next)
    return next
  }

  const makeSince = async (form: Form): Promise<Learned> => {
    const made = await makeOnce(form)
    // It was begun before the last mark.
    return made.lessonChanges < form.lessonChanges ? makeOnce(form) : made
  }

  /** Makes a new one for those who come later. */
  const renew = (form: Form): void => void makeOnce(form).catch(() => {})

  return {
    /**
     * The model that judges what arrives: after a mark, the next one if it is made soon enough, otherwise the last one or
     * none. That of an inbox that has grown is made meanwhile.
     */
    async forVisitor(form: Form): Promise<Learned | undefined> {
      const known = memory.find(form.id)?.learned
      if (known?.lessonChanges !== form.lessonChanges)
        return Promise.race([makeSince(form), sleep(maxWaitMilliseconds).then(() => known)])
      if (!isFresh(known, form)) renew(form)
      return known
    },

    /** The model that judged what arrived last. @throws AppError `rate_limited` if too many wait, `not_found` */
    async forUser(userId: string, form: Form): Promise<Learned> {
      const known = memory.find(form.id)?.learned
      if (known?.lessonChanges !== form.lessonChanges) return inTurn(pages, userId, () => makeAgain(form.id, isFresh))
      if (!isFresh(known, form)) renew(form)
      return known
    },

    /** What the page shows: what came in or was looked at until now counts. @throws AppError as `forUser` does */
    async numbersFor(userId: string, form: Form): Promise<Numbers> {
      const known = memory.find(form.id)
      if (known?.numbers !== undefined && isSame(known.learned, form)) return known.numbers
      return inTurn(pages, userId, async () => {
        const learned = await makeAgain(form.id, isSame)
        const counted = memory.find(form.id)
        if (counted?.learned === learned && counted.numbers !== undefined) return counted.numbers
        const current = findAgain(form.id)
        const numbers = await count(current, learned)
        remember(current, learned, numbers)
        return numbers
      })
    },

    /** Does other work on a form in the turns of those who send something. */
    inTurnOf: <T>(form: Form, work: () => Promise<T>): Promise<T> => inTurn(visits, ownerOf(form), work),
  }
}

/** A form whose owner is gone is about to be removed. */
const ownerOf = ({ userId }: Form): string => userId ?? ''
