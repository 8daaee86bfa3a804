import { and, desc, eq, lt } from 'drizzle-orm'
import { afterEveryId } from '../../base/id.ts'
import type { Action, FormAccess } from '../../forms/access.ts'
import { type Form, liveForm } from '../../forms/form.ts'
import type { Db } from '../../storage/open.ts'
import { forms, members, param } from '../../storage/tables.ts'
import { countOf, type ListName, listNames, listOf } from '../../submissions/lists.ts'
import { submissionScan } from '../../submissions/search/scan.ts'
import type { Searcher } from '../../submissions/search/search.ts'
import { equalText } from './equal-text.ts'

/** A submission that has the text. */
export interface Match {
  readonly formId: string
  readonly formTitle: string
  readonly submissionId: string
  readonly list: ListName
  /** The name of the first field that has it. */
  readonly field: string
}

/**
 * How far the scan came: through all forms before this one, and in its list through all submissions from this one on.
 */
export interface Position {
  readonly formId: string
  readonly list: ListName
  readonly before: string
}

export const startPosition: Position = { formId: afterEveryId, list: listNames[0] as ListName, before: afterEveryId }

interface Scan {
  readonly steps: Iterator<void, void>
  readonly state: ScanState
}

interface ScanState {
  /** By form and identifier: an import keeps identifiers. */
  readonly matches: Map<string, Match>
  /** Null at the end. */
  position: Position | null
}

/**
 * Looks through all lists of all forms with which a user may do this, in small steps: the newest form first, and of each list
 * the newest submission. Between two steps, anything may be written. What comes in meanwhile is not found.
 */
export const personScan = (db: Db, findForm: (id: string) => Form | undefined, { mayDo }: FormAccess) => {
  const scan = submissionScan(db)
  const nextForm = db
    .select({ id: forms.id })
    .from(forms)
    .where(and(eq(forms.userId, param('userId')), lt(forms.id, param('before')), liveForm))
    .orderBy(desc(forms.id))
    .limit(1)
    .prepare()
  const sharedWith = db
    .select({ id: forms.id })
    .from(members)
    .innerJoin(forms, eq(forms.number, members.form))
    .where(and(eq(members.userId, param('userId')), lt(forms.id, param('before')), liveForm))
    .prepare()

  /** The returned function finds the newest form before another one. Its calls go from newer to older. */
  const sharedForms = (userId: string, start: string): ((before: string) => string | undefined) => {
    const shared = sharedWith.all({ userId, before: start }).map(({ id }) => id)
    // Read once: to sort a thousand of them for each step would take half a second.
    shared.sort().reverse()
    return (before) => {
      while (shared[0] !== undefined && shared[0] >= before) shared.shift()
      return shared[0]
    }
  }

  /** @param most matches to end after */
  return (
    action: Action,
    { userId, forms: only }: Pick<Searcher, 'userId' | 'forms'>,
    value: string,
    start: Position,
    most: number,
  ): Scan => {
    const state: ScanState = { matches: new Map(), position: start }
    const finder = equalText(value)
    const isFull = (): boolean => state.matches.size >= most
    const maySearch = (form: Form): boolean => (!only || only.has(form.id)) && mayDo(userId, form, action)
    const nextShared = sharedForms(userId, start.formId)

    function* scanList({ formId, list: name, before }: Position): Generator<void, void> {
      const form = findForm(formId)
      if (!form || !maySearch(form) || countOf(form, name) === 0) return
      const list = listOf(form, name)
      yield* scan({ list, from: '', before }, finder, ({ id: submissionId }, field) => {
        state.position = { formId, list: name, before: submissionId }
        if (field === undefined) return false
        // The form, or all of its spam, may have been deleted meanwhile, or the user removed from it.
        const now = findForm(formId)
        if (!now || !maySearch(now) || listOf(now, name).list !== list.list) return true
        state.matches.set(`${formId} ${submissionId}`, {
          formId,
          formTitle: now.title,
          submissionId,
          list: name,
          field,
        })
        return isFull()
      })
    }

    function* scanForm(position: Position): Generator<void, void> {
      const { formId, list } = position
      yield* scanList(position)
      for (const next of listNames.slice(listNames.indexOf(list) + 1)) {
        if (isFull()) return
        yield* scanList({ formId, list: next, before: afterEveryId })
      }
      if (!isFull()) state.position = { formId, list: listNames.at(-1) as ListName, before: '' }
    }

    function* steps(): Generator<void, void> {
      let { formId } = start
      yield* scanForm(start)
      while (!isFull()) {
        const next = [nextForm.get({ userId, before: formId })?.id, nextShared(formId)].filter((id) => id !== undefined)
        if (next.length === 0) break
        formId = next.toSorted().at(-1) as string
        yield* scanForm({ ...startPosition, formId })
        yield
      }
      if (!isFull()) state.position = null
    }
    return { state, steps: steps() }
  }
}
