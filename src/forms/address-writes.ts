import { and, desc, eq, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import { dayMilliseconds } from '../base/durations.ts'
import { invalid } from '../base/errors.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { formAddresses, given, givens, param, params } from '../storage/tables.ts'

/** How many of a form's earlier addresses go on working. */
const keptEarlier = 3

/** Addresses that a form may have within a year: each of them is kept from all other forms. */
const maxAddresses = 20

/** Days in which an address is given to no other form after its last use. */
const restDays = 365

/** Gives forms the names by which visitors reach them. Must run in the transaction that stores the setting. */
export const addressWrites = oncePerConnection((db: Db) => {
  const { find, working, countOf, put, rest, leave, forget } = statements(db)

  return {
    /**
     * Gives the form this address, or none from now on. Those before it go on working as long as they are among the last.
     *
     * @param now Unix milliseconds
     * @throws AppError `invalid` if it is that of another form, or was until less than a year ago, or if there were too many
     */
    setAddress(form: { readonly number: number }, address: string | null, now: number): void {
      const today = Math.floor(now / dayMilliseconds)
      forget.run({ before: today - restDays })
      const before = working.all({ form: form.number })
      if (address !== null) {
        const found = find.get({ address })
        if (found && found.form !== form.number)
          throw invalid({ field: 'address', message: 'is taken', path: '/address' })
        if (!found && (countOf.get({ form: form.number })?.count ?? 0) >= maxAddresses)
          throw invalid({
            field: 'address',
            message: `must be one that the form has had: it has had ${maxAddresses} within a year`,
            path: '/address',
          })
        put.run({ address, form: form.number, position: (before[0]?.position ?? 0) + 1 })
      }
      const earlier = before.filter((one) => one.address !== address)
      for (const one of earlier.slice(keptEarlier)) rest.run({ address: one.address, lastDay: today })
    },

    /** Keeps the addresses of a form that is being removed for a year, without the form. @param at when it was deleted */
    leaveAddresses(form: number, at: number): void {
      const lastDay = Math.floor(at / dayMilliseconds)
      for (const { address } of working.all({ form })) rest.run({ address, lastDay })
      leave.run({ form })
    },
  }
})

const statements = (db: Db) => {
  const byAddress = eq(formAddresses.address, param('address'))
  const find = db.select().from(formAddresses).where(byAddress).prepare()
  /** Newest first. */
  const working = db
    .select({ address: formAddresses.address, position: formAddresses.position })
    .from(formAddresses)
    .where(and(eq(formAddresses.form, param('form')), isNull(formAddresses.lastDay)))
    .orderBy(desc(formAddresses.position))
    .prepare()
  const countOf = db
    .select({ count: sql<number>`count(*)` })
    .from(formAddresses)
    .where(eq(formAddresses.form, param('form')))
    .prepare()
  const put = db
    .insert(formAddresses)
    .values(params('address', 'form', 'position'))
    .onConflictDoUpdate({ target: formAddresses.address, set: { ...givens('form', 'position'), lastDay: null } })
    .prepare()
  const rest = db.update(formAddresses).set(givens('lastDay')).where(byAddress).prepare()
  const leave = db
    .update(formAddresses)
    .set({ form: null })
    .where(eq(formAddresses.form, param('form')))
    .prepare()
  const forget = db
    .delete(formAddresses)
    .where(and(isNotNull(formAddresses.lastDay), lte(formAddresses.lastDay, given('before'))))
    .prepare()
  return { find, working, countOf, put, rest, leave, forget }
}
