import type { SpentChallenge } from '../challenge/challenge-writes.ts'
import type { Form } from '../forms/ownership.ts'
import { parseSettings } from '../forms/settings.ts'
import { newId } from '../id.ts'
import type { Repeatable } from '../once/once.ts'
import { judge } from '../spam/signals.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { type Field, toData } from './fields.ts'
import { textField } from './parse.ts'

export type Submit = ReturnType<typeof openSubmit>

interface Options {
  readonly store: Pick<SubmissionStore, 'createSubmission'>
  readonly now: () => number
}

/** What came with a submission, if anything did. */
interface With {
  readonly challenge?: SpentChallenge | undefined
  readonly repeatable?: Repeatable | undefined
}

/**
 * Stores a submission, in the inbox or in the spam, and returns its identifier; that of the first one if it is a repeat.
 * A robot waits as long as a person and gets the same answer, so that it learns nothing.
 */
export const openSubmit =
  ({ store, now }: Options) =>
  (
    form: Pick<Form, 'id' | 'settings'>,
    fields: readonly Field[],
    { challenge, repeatable }: With = {},
  ): Promise<string> => {
    const settings = parseSettings(form.settings)
    const { data, names, isSpam, subject } = toData(fields, settings.honeypot)
    const id = newId(now())
    const reason = isSpam ? 'honeypot' : (judge(settings, fields) ?? undefined)
    const once = repeatable?.once
    return store.createSubmission(
      { formId: form.id, id, data, reason, fieldNames: names, subject, challenge, once },
      repeatable,
    )
  }

/** The same for fields that are all text, as in the form on a page. */
export const submitTexts =
  (submit: Submit) =>
  async (
    form: Pick<Form, 'id' | 'settings'>,
    texts: Iterable<readonly [name: string, text: string]>,
  ): Promise<string> => {
    const fields = Array.from(texts, ([name, text]) => textField(name, text))
    return submit(form, fields)
  }
