import { and, desc, eq, notInArray, type SQL, sql } from 'drizzle-orm'
import { itemsOf, type ListPage } from '../../base/list-page.ts'
import { type Db, hasRows } from '../../storage/open.ts'
import type { Reader } from '../../storage/reader.ts'
import { forms, members, param } from '../../storage/tables.ts'
import type { FormAccess, MemberRole } from '../access.ts'
import { type EndedShare, endedShareReader, toldMilliseconds } from '../ended-shares.ts'
import type { Form } from '../form.ts'
import { ownerReader } from '../owner.ts'
import { listedAmong, unlistedForm } from './listed-forms.ts'
import { type FormPage, type ListedForm, listedColumns } from './own-forms.ts'

/** A form of someone else, with what its reader is told about that. */
export interface SharedForm extends ListedForm {
  readonly role: MemberRole
  /** Address of the owner. */
  readonly owner: string
}

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly access: FormAccess
  readonly now: () => number
}

/** The forms that others share with a user. */
export const sharedForms = ({ reader, findForm, access: { roleOf }, now }: Options) => {
  const { sharedWith, anyUnlisted, countAll, countListed, anyShared } = statements(reader.db)
  // To count a thousand takes 20 µs, and 60 while any form is being removed.
  const countShared = reader.remembering((userId) => (anyUnlisted() ? countListed : countAll).get({ userId })?.count)
  const ownerOf = ownerReader(reader.db)
  const readEnded = endedShareReader(reader.db)
  const listEnded = (userId: string): readonly EndedShare[] => readEnded(userId, now() - toldMilliseconds)

  const sharedAmong = (userId: string, ids: ReadonlySet<string>): SharedForm[] =>
    listedAmong(findForm, ids).flatMap((form) => {
      const role = roleOf(userId, form)
      return role && role !== 'owner' ? [{ ...form, role, owner: ownerOf(form).email }] : []
    })

  return {
    /**
     * Forms that others share with the user, newest first. `total` counts those on all pages.
     *
     * @param only identifiers of the forms that a key is limited to; null for all
     */
    listShared(userId: string, page: ListPage, only: ReadonlySet<string> | null): FormPage<SharedForm> {
      if (only) {
        const named = sharedAmong(userId, only)
        return { total: named.length, forms: itemsOf(named, page) }
      }
      const total = countShared(userId) ?? 0
      const offset = (page.page - 1) * page.perPage
      if (offset >= total) return { total, forms: [] }
      const rows = sharedWith.all({ userId, limit: page.perPage, offset })
      const owners = new Map<string | null, string>()
      const found = rows.map(({ ownerId, ...listed }) => {
        const owner = owners.get(ownerId) ?? ownerOf({ userId: ownerId }).email
        owners.set(ownerId, owner)
        return { ...listed, owner }
      })
      return { total, forms: found }
    },

    /** Forms that others shared with the user and that are gone, or no longer shared: for 30 days, the newest first. */
    listEnded,

    /** Whether anyone shares a form with the user, or did lately. */
    hasShared: (userId: string): boolean => anyShared.get({ userId }) !== undefined || listEnded(userId).length > 0,
  }
}

const statements = (db: Db) => {
  const ofUser = eq(members.userId, param('userId'))
  // With a join of all forms for each count and each row that is skipped, a page of 1,000 shared forms took 0.7 ms of CPU
  // instead of 0.2.
  const unlisted = db.select({ number: forms.number }).from(forms).where(unlistedForm)
  const ofListed = and(ofUser, notInArray(members.form, unlisted))
  const pageOfUser = db
    .select({ form: members.form, role: members.role })
    .from(members)
    .where(ofListed)
    .orderBy(desc(members.form))
    .limit(param('limit'))
    .offset(param('offset'))
    .as('page')
  const sharedWith = db
    .select({ role: pageOfUser.role, ownerId: forms.userId, ...listedColumns })
    .from(pageOfUser)
    .innerJoin(forms, eq(forms.number, pageOfUser.form))
    .orderBy(desc(pageOfUser.form))
    .prepare()
  const count = (where: SQL | undefined) =>
    db.select({ count: sql<number>`count(*)` }).from(members).where(where).prepare()
  const countAll = count(ofUser)
  const countListed = count(ofListed)
  const anyUnlisted = hasRows(db, forms, unlistedForm)
  const anyShared = db.select({ form: members.form }).from(members).where(ofListed).limit(1).prepare()
  return { sharedWith, anyUnlisted, countAll, countListed, anyShared }
}
