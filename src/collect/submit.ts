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

interface Submitted {
  readonly id: string
  /** Where the visitor's browser asks to be sent. */
  readonly next: string | undefined
}

/**
 * Stores a submission and returns its identifier. A robot that filled the honeypot gets an identifier too, so that it
 * learns nothing.
 */
export const openSubmit =
  ({ store, now }: Options) =>
  async (form: Pick<Form, 'id'>, fields: readonly Field[]): Promise<Submitted> => {
    const { data, names, isSpam, next, subject } = toData(fields)
    const id = newId(now())
    if (!isSpam) await store.createSubmission({ formId: form.id, id, data, fieldNames: names, subject })
    return { id, next }
  }

/** The same for fields that are all text, as in the form on a page. */
export const submitTexts =
  (submit: Submit) =>
  async (form: Pick<Form, 'id'>, texts: Iterable<readonly [name: string, text: string]>): Promise<string> => {
    const fields = Array.from(texts, ([name, text]) => textField(name, text))
    return (await submit(form, fields)).id
  }
