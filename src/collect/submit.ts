import type { Form } from '../forms/ownership.ts'
import { newId } from '../id.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { type Field, toData } from './fields.ts'
import { textField } from './parse.ts'

export type Submit = ReturnType<typeof openSubmit>

interface Options {
  readonly store: Pick<SubmissionStore, 'createSubmission'>
  readonly now: () => number
}

/**
 * Stores a submission and returns its identifier. A robot that filled the honeypot gets an identifier too, so that it
 * learns nothing.
 */
export const openSubmit =
  ({ store, now }: Options) =>
  async (form: Pick<Form, 'id'>, fields: readonly Field[]): Promise<string> => {
    const { data, names, isSpam } = toData(fields)
    const id = newId(now())
    if (!isSpam) await store.createSubmission({ formId: form.id, id, data, fieldNames: names })
    return id
  }

/** The same for fields that are all text, as in the form on a page. */
export const submitTexts =
  (submit: Submit) =>
  (form: Pick<Form, 'id'>, texts: Iterable<readonly [name: string, text: string]>): Promise<string> =>
    submit(
      form,
      Array.from(texts, ([name, text]) => textField(name, text)),
    )
