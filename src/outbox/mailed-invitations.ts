import { and, asc, eq, gt, lt, ne } from 'drizzle-orm'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { mailedInvitations, param, params } from '../storage/tables.ts'
import { hashOfPerson } from './known-addresses.ts'

/** Unix milliseconds, both exclusive. */
interface Range {
  readonly from: number
  readonly to: number
}

interface Mailed {
  /** The invitation. */
  readonly id: string
  /** In ASCII. */
  readonly address: string
  /** Who invites. */
  readonly userId: string
  /** Owner of the form; null if that account was deleted. */
  readonly ownerId: string | null
  readonly at: number
}

/** The invitations that were mailed lately. They are known by the person: a tag in an address must not pass limits. */
export const invitationMails = oncePerConnection((db: Db) => {
  const { userId, ownerId, person, at, id } = mailedInvitations
  const inRange = and(gt(at, param('from')), lt(at, param('to')))
  const times = (of: typeof userId | typeof ownerId) =>
    db
      .select({ at })
      .from(mailedInvitations)
      .where(and(eq(of, param('user')), inRange, of === ownerId ? ne(userId, param('user')) : undefined))
      .orderBy(asc(at))
      .prepare()
  const byUser = times(userId)
  const forOwner = times(ownerId)
  const toPerson = db
    .select({ ownerId })
    .from(mailedInvitations)
    .where(and(eq(person, param('person')), inRange))
    .orderBy(asc(at))
    .prepare()
  const insert = db
    .insert(mailedInvitations)
    .values(params('id', 'person', 'userId', 'ownerId', 'at'))
    .prepare()
  const remove = db
    .delete(mailedInvitations)
    .where(eq(id, param('id')))
    .prepare()

  return {
    /** The times of those that a user sent, or that were about a form of theirs. */
    invitationsOf: (user: string | null, range: Range): number[] =>
      [byUser, forOwner].flatMap((some) => some.all({ user, ...range })).map((one) => one.at),

    /** The owners of the forms to which an address was invited, one for each mail. */
    invitersOf: (address: string, range: Range): (string | null)[] =>
      toPerson.all({ person: hashOfPerson(address), ...range }).map((one) => one.ownerId),

    add: ({ address, ...mailed }: Mailed): void => void insert.run({ ...mailed, person: hashOfPerson(address) }),

    /** No mail server took it. */
    remove: (invitation: string): void => void remove.run({ id: invitation }),
  }
})
