import { and, eq, gt, gte, max, ne, sql } from 'drizzle-orm'
import { dayMilliseconds } from '../../base/durations.ts'
import { countedDays } from '../../outbox/confirm-mails.ts'
import { type Db, oncePerConnection } from '../../storage/open.ts'
import { confirmations, confirmDays, consentTexts, given, isHeld, param, users } from '../../storage/tables.ts'
import { type MailWords, mailIn } from './asked.ts'

/** A submission whose address has to be confirmed, or was: with the texts as they stood. */
export interface ConfirmRecord
  extends Pick<typeof confirmations.$inferSelect, 'endsAt' | 'mailedAt' | 'confirmedAt' | 'acceptedAt' | 'language'> {
  /** Email address of the user who let it in by hand; null if no one did, or the user was deleted. */
  readonly acceptedBy: string | null
  /** Whether its address is one that can get a mail (see `toAnswerableAddress`). */
  readonly isAnswerable: boolean
  readonly mail: MailWords
  /** The labels of the boxes that were ticked. */
  readonly consent: readonly string[]
}

/** The email to a visitor who has not confirmed. */
export interface HeldMail {
  /** Unix milliseconds; null if none was sent. */
  readonly mailedAt: number | null
  /** When its link ends. */
  readonly endsAt: number | null
  /** Whether the address can get any. */
  readonly isAnswerable: boolean
  /** When the email about another one was sent, if its link confirms this one, too. */
  readonly linkSentAt: number | undefined
}

interface OfForm {
  /** The form’s. */
  readonly number: number
}

/** Reads what is known of submissions whose address has to be confirmed. */
export const confirmReads = oncePerConnection((db: Db) => {
  const { find, any, textOf, since, linked } = statements(db)

  const recordOf = ({ number: form }: OfForm, submission: string): ConfirmRecord | undefined => {
    const found = find.get({ form, submission })
    if (!found) return undefined
    const { mail, consent, endsAt, mailedAt, confirmedAt, acceptedAt, acceptedBy, language } = found
    const read = (hash: string): string => textOf.get({ form, hash })?.text ?? ''
    const hashes: string[] = JSON.parse(consent)
    return {
      ...{ endsAt, mailedAt, confirmedAt, acceptedAt, acceptedBy, language },
      isAnswerable: found.person !== '',
      mail: mailIn(read(mail)),
      consent: hashes.map(read),
    }
  }

  /** When the last mail was sent about another submission that is held for the same address: its link confirms this one, too. */
  const linkSentAt = ({ number: form }: OfForm, submission: string, now: number): number | undefined =>
    linked.get({ form, submission, now })?.mailedAt ?? undefined

  return {
    recordOf,

    /** Of those of the submissions that have one. */
    recordsOf(form: OfForm, ids: readonly string[]): ReadonlyMap<string, ConfirmRecord> {
      const found = new Map<string, ConfirmRecord>()
      for (const id of ids) {
        const record = recordOf(form, id)
        if (record) found.set(id, record)
      }
      return found
    },

    /** What became of the emails to the visitors of these submissions, which wait to be confirmed. @param now Unix milliseconds */
    heldMailsOf(form: OfForm, ids: readonly string[], now: number): ReadonlyMap<string, HeldMail> {
      const mails = ids.map((id): [string, HeldMail] => {
        const { mailedAt = null, endsAt = null, isAnswerable = true } = recordOf(form, id) ?? {}
        return [
          id,
          { mailedAt, endsAt, isAnswerable, linkSentAt: mailedAt === null ? linkSentAt(form, id, now) : undefined },
        ]
      })
      return new Map(mails)
    },

    /** Whether any submission of the form has one. */
    hasRecords: ({ number: form }: OfForm): boolean => any.get({ form }) !== undefined,

    /** How many mails were taken, and what became of them, in the last 30 days. @param now Unix milliseconds */
    countsOf({ number: form }: OfForm, now: number) {
      const from = Math.floor(now / dayMilliseconds) - countedDays + 1
      const found = since.get({ form, from })
      return { mailed: found?.mailed ?? 0, confirmed: found?.confirmed ?? 0, withdrawn: found?.withdrawn ?? 0 }
    },
  }
})

const statements = (db: Db) => {
  const ofForm = eq(confirmations.form, param('form'))
  const { mail, consent, endsAt, mailedAt, confirmedAt, acceptedAt, language, person } = confirmations
  const find = db
    .select({ person, mail, consent, endsAt, mailedAt, confirmedAt, acceptedAt, acceptedBy: users.email, language })
    .from(confirmations)
    .leftJoin(users, eq(users.id, confirmations.acceptedBy))
    .where(and(ofForm, eq(confirmations.submission, param('submission'))))
    .prepare()
  const addressOfThis = db
    .select({ address: confirmations.address })
    .from(confirmations)
    .where(and(ofForm, eq(confirmations.submission, param('submission')), ne(confirmations.address, '')))
  const linked = db
    .select({ mailedAt: max(mailedAt) })
    .from(confirmations)
    .where(and(ofForm, eq(confirmations.address, addressOfThis), isHeld(confirmations), gt(endsAt, given('now'))))
    .prepare()
  const any = db.select({ form: confirmations.form }).from(confirmations).where(ofForm).limit(1).prepare()
  const textOf = db
    .select({ text: consentTexts.text })
    .from(consentTexts)
    .where(and(eq(consentTexts.form, param('form')), eq(consentTexts.hash, param('hash'))))
    .prepare()
  const since = db
    .select({
      mailed: sql<number | null>`sum(${confirmDays.mailed})`,
      confirmed: sql<number | null>`sum(${confirmDays.confirmed})`,
      withdrawn: sql<number | null>`sum(${confirmDays.withdrawn})`,
    })
    .from(confirmDays)
    .where(and(eq(confirmDays.form, param('form')), gte(confirmDays.day, given('from'))))
    .prepare()
  return { find, any, textOf, since, linked }
}
