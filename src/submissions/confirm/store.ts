import { limitedFields } from '../../forms/fields/limited-fields.ts'
import type { Form } from '../../forms/form.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import { decide } from '../../outbox/condition.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import { hashValues } from '../limits/once.ts'
import { listOf } from '../lists.ts'
import { answeredAddress, replyFor } from '../replies/answerable.ts'
import { fieldsIn } from '../sent-fields.ts'
import { digestTimesOf } from '../store.ts'
import type { SubmissionWrites } from '../submission-writes.ts'
import { wholeReader } from '../whole-text.ts'
import { confirmRows } from './confirm-rows.ts'
import type { Ready } from './confirm-writes.ts'
import { type ConfirmState, stateOf } from './moves.ts'

export type ConfirmStore = ReturnType<typeof openConfirmStore>

/** The submission that a link names, which the server signed. */
interface Linked {
  readonly formId: string
  readonly submissionId: string
}

/** What a link finds. */
export interface FoundLink {
  readonly state: ConfirmState
  /** Undefined if it is gone. */
  readonly form: Pick<Form, 'id' | 'title' | 'settings'> | undefined
  /** The language of the visitor; null for English. */
  readonly language: string | null
  /** How many submissions of the same address are held. */
  readonly count: number
  /** Whether all of them came from this browser. */
  readonly isOwn: boolean
}

/** What became of them: `isDone` if it was this link that did it. */
export interface LinkOutcome {
  readonly state: ConfirmState
  readonly isDone: boolean
}

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly writer: Pick<Writer<SubmissionWrites>, 'run'>
  readonly signingKey: () => Promise<Uint8Array>
  readonly now: () => number
  readonly onDeleted: () => void
  readonly onDue: () => void
  /** Called with how many have come into an inbox. */
  readonly onArrived: (count: number) => void
}

/** Confirms addresses, and deletes what someone else has sent with one. */
export const openConfirmStore = ({ reader, findForm, writer, signingKey, now, ...on }: Options) => {
  const { onDeleted, onDue, onArrived } = on
  const { find, together } = confirmRows(reader.db)
  const readWhole = wholeReader(reader.db)

  /** What the command that confirms has to know of these. */
  const makeReady = async (formId: string, ids: readonly string[]): Promise<readonly Ready[]> => {
    const key = await signingKey()
    const form = findForm(formId)
    if (!form) return []
    const settings = parseSettings(form.settings)
    const once = limitedFields(settings.fields)?.once
    return ids.map((id) => {
      const fields = fieldsIn(readWhole(listOf(form, 'unconfirmed'), id)?.data ?? '{}')
      const { language } = find.get({ form: form.number, submission: id }) ?? {}
      const reply = replyFor(settings, fields, language ?? undefined)
      return {
        id,
        decision: decide(form.conditions, form.conditions === null ? [] : fields),
        once: once?.size ? hashValues(key, formId, once.keys(), fields) : undefined,
        reply,
        isConfirmed: reply !== undefined && reply.to === answeredAddress({ reply: settings.confirm }, fields),
      }
    })
  }

  return {
    /** Finds what a link is about, and changes nothing. @param browsers hashes of what a browser has */
    findLink({ formId, submissionId }: Linked, browsers: readonly string[]): FoundLink {
      const form = findForm(formId)
      const found = form && find.get({ form: form.number, submission: submissionId })
      const state = stateOf(found, now())
      if (!form || !found) return { state, form: undefined, language: null, count: 0, isOwn: false }
      const held = state === 'held' ? together(found) : []
      const isOwn = held.length > 0 && held.every(({ browser }) => browsers.includes(browser))
      return { state, form, language: found.language, count: held.length, isOwn }
    },

    /** Moves all that is held for the address into the inbox. */
    async confirm({ formId, submissionId: id }: Linked): Promise<LinkOutcome> {
      const at = now()
      let ids: readonly string[] = [id]
      for (;;) {
        const ready = await makeReady(formId, ids)
        const digestAt = digestTimesOf(parseSettings(findForm(formId)?.settings ?? null), at)
        const outcome = await writer.run('confirmSubmissions', { formId, id, now: at, ready, digestAt })
        if (outcome.state === 'unready') {
          ids = outcome.ids
          continue
        }
        if (outcome.isDone) onArrived(outcome.arrived)
        if (outcome.isDone) onDue()
        return { state: outcome.state, isDone: outcome.isDone }
      }
    },

    /** Deletes all that is held for the address. */
    async withdraw({ formId, submissionId: id }: Linked): Promise<LinkOutcome> {
      const outcome = await writer.run('withdrawSubmissions', { formId, id, now: now() })
      if (outcome.state === 'unready') throw new Error('nothing has to be ready to be withdrawn')
      if (outcome.isDone && outcome.isMoreLeft) onDeleted()
      return { state: outcome.state, isDone: outcome.isDone }
    },
  }
}
