import { eq } from 'drizzle-orm'
import { hourMilliseconds } from '../base/durations.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { given, mailHours, param } from '../storage/tables.ts'
import { hashOfPerson } from './known-addresses.ts'

/**
 * Submissions that one person gets a mail about one by one in an hour, from all forms of the server. Digests are about
 * all further ones.
 */
export const mailsPerHour = 60
/** Digests of these that are due in the same hour: each form has its own. */
const digestsPerHour = 60
/** However many there are, a digest of these waits no longer. */
export const longestHours = 24

/** Mails to one person, from the first one of an hour on. */
export interface MailHour {
  /** Unix milliseconds. */
  readonly startsAt: number
  /** Counts a submission. Returns whether it gets a mail of its own. */
  add(): boolean
  /** Counts a new digest. Returns when it is due. */
  addDigest(): number
}

/** Mails to each person in a batch. They are read when they are needed, and `save` writes those that were. */
export const mailHourWrites = oncePerConnection((db: Db) => {
  const find = db
    .select({ startsAt: mailHours.startsAt, count: mailHours.count, digestCount: mailHours.digestCount })
    .from(mailHours)
    .where(eq(mailHours.person, param('person')))
    .prepare()
  const counts = { count: given('count'), digestCount: given('digestCount') }
  const set = { startsAt: given('startsAt'), ...counts }
  const begin = db
    .insert(mailHours)
    .values({ person: param('person'), ...set })
    .onConflictDoUpdate({ target: mailHours.person, set })
    .prepare()
  // Leaves the index alone.
  const goOn = db
    .update(mailHours)
    .set(counts)
    .where(eq(mailHours.person, param('person')))
    .prepare()

  return () => {
    const read = new Map<string, Counts>()
    const persons = new Map<string, string>()
    const personOf = (address: string): string => {
      const person = persons.get(address) ?? hashOfPerson(address)
      persons.set(address, person)
      return person
    }

    return {
      /** The hour of this address at that time, in Unix milliseconds. */
      at(address: string, time: number): MailHour {
        const person = personOf(address)
        const counts = inItsHour(read.get(person) ?? find.get({ person }), time)
        read.set(person, counts)
        return {
          startsAt: counts.startsAt,
          add: () => ++counts.count <= mailsPerHour,
          addDigest: () => {
            const hours = Math.min(Math.ceil(++counts.digestCount / digestsPerHour), longestHours)
            return counts.startsAt + hours * hourMilliseconds
          },
        }
      },
      save(): void {
        for (const [person, { isNew, ...hour }] of read) (isNew ? begin : goOn).run({ person, ...hour })
      },
    }
  }
})

interface Counts {
  startsAt: number
  count: number
  /** The number of digests that are due after the start of the hour. */
  digestCount: number
  /** Whether it began in this batch. */
  readonly isNew?: true
}

/** Begins a new hour if the last one has ended, or if the clock was set back by more than one. */
const inItsHour = (last: Counts | undefined, time: number): Counts => {
  const hours = last ? Math.floor((time - last.startsAt) / hourMilliseconds) : 0
  if (!last || hours < -1) return { startsAt: time, count: 0, digestCount: 0, isNew: true }
  if (hours < 1) return last
  const digestCount = Math.max(0, last.digestCount - hours * digestsPerHour)
  return { startsAt: time, count: 0, digestCount, isNew: true }
}
