import { and, asc, eq, isNull, lte } from 'drizzle-orm'
import { liveForm } from '../../forms/form.ts'
import { type Db, oncePerConnection } from '../../storage/open.ts'
import { computed, statement } from '../../storage/statement.ts'
import {
  confirmations,
  consentTexts,
  forms,
  given,
  givens,
  isHeld,
  param,
  params,
  withdrawals,
} from '../../storage/tables.ts'
import { lists } from '../lists.ts'
import { pieceBytes } from '../pieces.ts'
import type { Asked } from './asked.ts'

/** Submissions that one link confirms: of more that wait for one address, it leaves those that came last. */
export const maxTogether = 100

/** They are moved in one transaction, for which all other writes wait: 60 ms for each MiB. */
const maxPiecesTogether = (2 * 1024 * 1024) / pieceBytes

/** The rows about submissions whose address has to be confirmed. Must run in the transaction that changes the submissions. */
export const confirmRows = oncePerConnection((db: Db) => {
  const { any, insert, insertText, heldFor, remove, ...rows } = statements(db)
  const heldTogether = sizeOf(db)
  const isCrowded = (form: number, address: string): boolean => {
    const size = address === '' ? undefined : heldTogether.get({ form, address })
    return size !== undefined && (size.held >= maxTogether || size.pieces > maxPiecesTogether)
  }

  return {
    ...rows,

    add(form: number, id: string, asked: Asked & { readonly subject: string | null }): void {
      for (const { hash, text } of [asked.mail, ...asked.consent]) insertText.run({ form, hash, text })
      const { person, browser, endsAt, language = null, subject } = asked
      const address = isCrowded(form, asked.address) ? '' : asked.address
      const consent = JSON.stringify(asked.consent.map(({ hash }) => hash))
      const row = { form, submission: id, address, person, browser, endsAt, language, subject, consent }
      insert.run({ ...row, mail: asked.mail.hash })
    },

    /** What a link about this submission is about: all that is held for the same address, oldest first. */
    together: (found: typeof confirmations.$inferSelect) =>
      found.address === '' ? [found] : heldFor.all({ form: found.form, address: found.address, limit: maxTogether }),

    /** Removes what is known of submissions that are removed. */
    remove(form: number, ids: Iterable<string>): void {
      if (!any.get({ form })) return
      for (const submission of ids) remove.run({ form, submission })
    },
  }
})

/** How much is held for an address. */
const sizeOf = statement(
  `SELECT count(*) AS held, total((
    SELECT count(*) FROM pieces
    WHERE pieces.form = confirmations.form AND list = ${lists.unconfirmed.number} AND pieces.submission = confirmations.submission)) AS pieces
  FROM confirmations
  WHERE form = $form AND address = $address AND confirmed_at IS NULL AND accepted_at IS NULL`,
  { held: computed<number>(), pieces: computed<number>() },
)

const statements = (db: Db) => {
  const ofForm = eq(confirmations.form, param('form'))
  const one = and(ofForm, eq(confirmations.submission, param('submission')))
  const held = isHeld(confirmations)
  const any = db.select({ form: confirmations.form }).from(confirmations).where(ofForm).limit(1).prepare()
  const insert = db
    .insert(confirmations)
    .values(
      params(
        ...(['form', 'submission', 'address', 'person', 'browser', 'endsAt', 'language', 'subject'] as const),
        ...(['mail', 'consent'] as const),
      ),
    )
    .prepare()
  const insertText = db
    .insert(consentTexts)
    .values(params('form', 'hash', 'text'))
    .onConflictDoNothing()
    .prepare()
  const remove = db.delete(confirmations).where(one).prepare()
  return {
    ...{ any, insert, insertText, remove },
    find: db.select().from(confirmations).where(one).prepare(),
    /** All that is held for an address, oldest first. */
    heldFor: db
      .select({ submission: confirmations.submission, endsAt: confirmations.endsAt, browser: confirmations.browser })
      .from(confirmations)
      .where(and(ofForm, eq(confirmations.address, param('address')), held))
      .orderBy(asc(confirmations.submission))
      .limit(param('limit'))
      .prepare(),
    /** What is held and can no longer be confirmed, the first first. */
    ended: db
      .select({
        number: forms.number,
        spamList: forms.spamList,
        lessonChanges: forms.lessonChanges,
        submission: confirmations.submission,
      })
      .from(confirmations)
      .innerJoin(forms, and(eq(forms.number, confirmations.form), liveForm))
      .where(and(lte(confirmations.endsAt, given('now')), held))
      .orderBy(asc(confirmations.endsAt), asc(confirmations.form), asc(confirmations.submission))
      .limit(param('limit'))
      .prepare(),
    confirm: db
      .update(confirmations)
      .set({ confirmedAt: given('at') })
      .where(one)
      .prepare(),
    accept: db
      .update(confirmations)
      .set(givens('acceptedAt', 'acceptedBy'))
      .where(and(one, isNull(confirmations.confirmedAt)))
      .prepare(),
    withdraw: db
      .insert(withdrawals)
      .values(params('form', 'person', 'at'))
      .onConflictDoNothing()
      .prepare(),
    hasWithdrawn: db
      .select({ at: withdrawals.at })
      .from(withdrawals)
      .where(and(eq(withdrawals.form, param('form')), eq(withdrawals.person, param('person'))))
      .prepare(),
  }
}
