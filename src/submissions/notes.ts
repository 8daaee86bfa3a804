import { and, asc, eq, sql } from 'drizzle-orm'
import { creationTime } from '../base/id.ts'
import type { TextRule } from '../base/text-rules.ts'
import type { Form } from '../forms/form.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { notes, param, users } from '../storage/tables.ts'

export const noteRule: TextRule = { minLength: 1, maxLength: 2000 }

/** Notes of a submission. */
export const maxNotes = 100

/** What someone wrote about a submission. */
export interface Note {
  /** Says when it was written. */
  readonly id: string
  readonly text: string
  /** E-mail address of the user who wrote it; null if the user was deleted, or it was imported. */
  readonly by: string | null
}

/** By the identifiers of submissions; those without notes are absent. */
export type NoteCounts = Readonly<Record<string, number>>

/** A note that waits until its submission is imported. */
export type ImportedNote = readonly [id: string, text: string]

export const noteReads = oncePerConnection((db: Db) => {
  const ofForm = eq(notes.form, param('form'))
  const ofSubmission = and(ofForm, eq(notes.submission, param('submission')))
  const any = db.select({ form: notes.form }).from(notes).where(ofForm).limit(1).prepare()
  const count = db.select({ count: sql<number>`count(*)` }).from(notes).where(ofSubmission).prepare()
  const list = db
    .select({ id: notes.id, text: notes.text, by: users.email, userId: notes.userId })
    .from(notes)
    .leftJoin(users, eq(users.id, notes.userId))
    .where(ofSubmission)
    .orderBy(asc(notes.id))
    .prepare()

  /** Whether a form has any: otherwise nothing need be done for each of its submissions. */
  const areIn = (form: number): boolean => any.get({ form }) !== undefined
  const countOf = (form: number, submission: string): number => count.get({ form, submission })?.count ?? 0

  return {
    areIn,
    countOf,

    /** Oldest first. */
    listNotes: ({ number: form }: Pick<Form, 'number'>, submission: string) => list.all({ form, submission }),

    /** How many notes those of the submissions have that have any. */
    countNotes({ number: form }: Pick<Form, 'number'>, ids: readonly string[]): NoteCounts {
      if (!areIn(form)) return {}
      return Object.fromEntries(ids.map((id) => [id, countOf(form, id)] as const).filter(([, found]) => found > 0))
    },
  }
})

/** A note in one line, as CSV has it: when it was written, by whom, and what. */
export const noteLine = ({ id, by, text }: Note, toTime: (at: number) => string): string =>
  `${toTime(creationTime(id))} ${by === null ? '' : `${by}: `}${text.replaceAll(/\s*[\r\n]+\s*/g, ' ')}`
