import { and, desc, eq, lt } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { forms, param, submissions } from '../db/tables.ts'
import { countOf, inList, type List, type ListName, listOf } from '../forms/lists.ts'
import { type Form, liveForm } from '../forms/ownership.ts'
import { afterEveryId } from '../id.ts'
import { pieceBytes, pieceReader } from '../submissions/pieces.ts'
import type { EqualText } from './equal-text.ts'

/** A submission that has the text. */
export interface Match {
  readonly formId: string
  readonly formTitle: string
  readonly submissionId: string
  readonly list: ListName
  /** The name of the first field that has it. */
  readonly field: string
}

/** What was looked through: all forms before this one, and of its list all submissions from this one on. */
export interface Position {
  readonly formId: string
  readonly list: ListName
  readonly before: string
}

interface Step {
  readonly position: Position
  readonly matches: readonly Match[]
}

export const startPosition: Position = { formId: afterEveryId, list: 'inbox', before: afterEveryId }

/** A step reads so many rows, or fewer if they take long, or a part of a long submission. */
const rowsOfStep = 50
const stepMilliseconds = 0.5
/** Characters of a long submission: full of short texts in other scripts, they take 0.4 ms. */
const unitsOfStep = 8192

/**
 * Looks through the submissions and the spam of all forms of a user: the newest form first, and of each the newest
 * submission. Between two steps, anything may be written. What comes in meanwhile is not found. The step is undefined in the
 * middle of a submission.
 */
export const personScan = (db: Db, findForm: (id: string) => Form | undefined) => {
  const { nextForm, rowsBefore } = statements(db)
  const readPiece = pieceReader(db)

  function* findInPieces(list: List, id: string, text: EqualText): Generator<undefined, string | undefined> {
    // A character may be cut between two pieces.
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    const find = text.findField()
    for (let position = 0; ; position++) {
      // It may have been deleted.
      const piece = readPiece(list, id, position)
      if (!piece) return undefined
      const part = decoder.decode(piece, { stream: true })
      for (let at = 0; at < part.length; at += unitsOfStep) {
        const field = find(part.slice(at, at + unitsOfStep))
        if (field !== undefined) return field
        yield undefined
      }
      if (piece.length < pieceBytes) return undefined
    }
  }

  function* scanList(userId: string, { formId, list: name, before }: Position, text: EqualText) {
    for (let last = before; ; ) {
      const form = findForm(formId)
      if (form?.userId !== userId || countOf(form, name) === 0) return
      const stepEnd = performance.now() + stepMilliseconds
      const list = listOf(form, name)
      const rows = rowsBefore.values({ ...list, before: last, limit: rowsOfStep }) as unknown as [string, string][]
      const matches: Match[] = []
      const add = (submissionId: string, field: string | undefined): void => {
        if (field !== undefined) matches.push({ formId, formTitle: form.title, submissionId, list: name, field })
      }
      for (const [id, data] of rows) {
        last = id
        if (data !== '' && !text.mayBeIn(data)) continue
        add(id, data === '' ? yield* findInPieces(list, id, text) : text.findField()(data))
        // The others are read again: something may have been written in the meantime.
        if (data === '' || performance.now() > stepEnd) break
      }
      yield { position: { formId, list: name, before: last }, matches }
      if (rows.length < rowsOfStep && (rows.at(-1)?.[0] ?? last) === last) return
    }
  }

  function* scanForm(userId: string, position: Position, text: EqualText) {
    const { formId, list } = position
    yield* scanList(userId, position, text)
    if (list === 'inbox') yield* scanList(userId, { formId, list: 'spam', before: afterEveryId }, text)
    yield { position: { formId, list: 'spam' as const, before: '' }, matches: [] }
  }

  return function* scan(userId: string, from: Position, text: EqualText): Generator<Step | undefined, void> {
    let { formId } = from
    yield* scanForm(userId, from, text)
    for (let next = nextForm.get({ userId, before: formId }); next; next = nextForm.get({ userId, before: formId })) {
      formId = next.id
      yield* scanForm(userId, { ...startPosition, formId }, text)
    }
  }
}

const statements = (db: Db) => {
  const nextForm = db
    .select({ id: forms.id })
    .from(forms)
    .where(and(eq(forms.userId, param('userId')), lt(forms.id, param('before')), liveForm))
    .orderBy(desc(forms.id))
    .limit(1)
    .prepare()
  const rowsBefore = db
    .select({ id: submissions.id, data: submissions.data })
    .from(submissions)
    .where(and(inList(submissions), lt(submissions.id, param('before'))))
    .orderBy(desc(submissions.id))
    .limit(param('limit'))
    .prepare()
  return { nextForm, rowsBefore }
}
