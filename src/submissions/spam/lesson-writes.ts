import { and, desc, eq, sql } from 'drizzle-orm'
import { notFound } from '../../base/errors.ts'
import { accessIn } from '../../forms/access.ts'
import { type Form, formReader } from '../../forms/form.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import { changesOf, type Db, oncePerConnection } from '../../storage/open.ts'
import { forms, given, lessons, param, params, submissions } from '../../storage/tables.ts'
import { inboxOf, inList, listOf } from '../lists.ts'

/** Submissions of each kind that a form learns from: the newest ones. */
export const maxLessons = { spam: 300, good: 100 }

interface Lesson {
  readonly submission: string
  readonly isSpam: boolean
  /** When it was marked, or taken back, as Unix milliseconds. */
  readonly at: number
  /** Base64 of its tokens: at most 1,080 characters. Without them, it teaches nothing from now on. */
  readonly lesson: string | undefined
}

type LearningForm = Pick<Form, 'number' | 'settings' | 'lessonChanges'>

/** Keeps what forms learn from. Must run in the transaction that moves or removes the submissions. */
export const lessonRows = oncePerConnection((db: Db) => {
  const { insert, removeOne, removeOlder, removeOfForm, countChange, settle } = statements(db)

  /** Returns true if there was one. */
  const removeFrom = ({ number, lessonChanges }: Pick<Form, 'number' | 'lessonChanges'>, submission: string): boolean =>
    lessonChanges > 0 && changesOf(removeOne.run({ form: number, submission })) > 0

  return {
    /** Teaches a form that learns, instead of what the same submission has taught before. */
    replace(form: LearningForm, { submission, isSpam, at, lesson }: Lesson): void {
      const isRemoved = removeFrom(form, submission)
      const teaches = lesson !== undefined && parseSettings(form.settings).learnSpam
      if (teaches) {
        insert.run({ form: form.number, submission, isSpam, at, tokens: Buffer.from(lesson, 'base64') })
        removeOlder.run({ form: form.number, isSpam, kept: isSpam ? maxLessons.spam : maxLessons.good })
      }
      if (teaches || isRemoved) countChange.run({ form: form.number })
    },

    remove(form: Pick<Form, 'number' | 'lessonChanges'>, ids: Iterable<string>): void {
      let isChanged = false
      for (const id of ids) if (removeFrom(form, id)) isChanged = true
      if (isChanged) countChange.run({ form: form.number })
    },

    removeAll(form: number): void {
      removeOfForm.run({ form })
    },

    /** Everything has been learned, or forgotten. @param unlearnedSince see `forms` */
    settle: (form: number, unlearnedSince: number | null): void => void settle.run({ form, unlearnedSince }),
  }
})

interface MarkedEarlier {
  readonly formId: string
  /** The lessons, in the order in which the submissions were marked. */
  readonly lessons: readonly { readonly id: string; readonly at: number; readonly lesson: string }[]
}

export const lessonCommands = (db: Db) => {
  const { findFormTo } = accessIn(db)
  const findForm = formReader(db)
  const rows = lessonRows(db)
  const { find } = statements(db)

  return {
    /** Teaches a form, once, what was marked while it did not learn. What is no longer in its spam is passed over. */
    learnMarked({ formId, lessons: marked }: MarkedEarlier): void {
      const form = findForm(formId)
      if (!form || form.unlearnedSince === null || !parseSettings(form.settings).learnSpam) return
      for (const { id, at, lesson } of marked)
        if (find.get({ ...listOf(form, 'spam'), id })?.reason === 'marked')
          rows.replace(form, { submission: id, isSpam: true, at, lesson })
      rows.settle(form.number, null)
    },

    /**
     * Teaches a form that a submission of its inbox is not spam, although it looks like it.
     *
     * @throws AppError `not_found`
     */
    keepInInbox(input: { userId: string; formId: string; id: string; now: number; lesson: string }): void {
      const form = findFormTo('edit', input.userId, input.formId)
      if (!find.get({ ...inboxOf(form.number), id: input.id })) throw notFound('Submission')
      rows.replace(form, { submission: input.id, isSpam: false, at: input.now, lesson: input.lesson })
    },

    forgetLessons(input: { userId: string; formId: string; now: number }): void {
      const form = findFormTo('configure', input.userId, input.formId)
      rows.removeAll(form.number)
      // Marks that follow are lessons at once, or in time.
      rows.settle(form.number, parseSettings(form.settings).learnSpam ? null : input.now)
    },
  }
}

const statements = (db: Db) => {
  const ofForm = eq(lessons.form, param('form'))
  const insert = db
    .insert(lessons)
    .values(params('form', 'submission', 'isSpam', 'at', 'tokens'))
    .prepare()
  const removeOne = db
    .delete(lessons)
    .where(and(ofForm, eq(lessons.submission, param('submission'))))
    .prepare()
  const ofKind = and(ofForm, eq(lessons.isSpam, param('isSpam')))
  const firstTooMany = db
    .select({ number: lessons.number })
    .from(lessons)
    .where(ofKind)
    .orderBy(desc(lessons.number))
    .limit(1)
    .offset(param('kept'))
  const removeOlder = db
    .delete(lessons)
    .where(and(ofKind, sql`${lessons.number} <= (${firstTooMany})`))
    .prepare()
  const removeOfForm = db.delete(lessons).where(ofForm).prepare()
  const countChange = db
    .update(forms)
    .set({ lessonChanges: sql`${forms.lessonChanges} + 1` })
    .where(eq(forms.number, param('form')))
    .prepare()
  const settle = db
    .update(forms)
    .set({ lessonChanges: sql`${forms.lessonChanges} + 1`, unlearnedSince: given('unlearnedSince') })
    .where(eq(forms.number, param('form')))
    .prepare()
  const find = db
    .select({ reason: submissions.reason })
    .from(submissions)
    .where(and(inList(submissions), eq(submissions.id, param('id'))))
    .prepare()
  return { insert, removeOne, removeOlder, removeOfForm, countChange, settle, find }
}
