import { hmac } from '../../base/hash.ts'
import { foldValue } from '../../base/search-fold.ts'
import { itemsIn, type SubmittedField, textIn } from '../sent-fields.ts'

/**
 * The hashes of the values that a submission has of fields whose values come once, by name of the field. Only what has the key
 * can tell whether an address is among them. A command must not make them: how text is folded depends on the version of Unicode.
 */
export type Hashes = Readonly<Record<string, readonly string[]>>

/** A command has done nothing, because values of these fields come once by now. */
export interface Unhashed {
  readonly state: 'unhashed'
  readonly fields: readonly string[]
}

/** Compared folded, as searches are, and without white space at the ends. No hash of what is empty. */
export const hashValues = (
  key: Uint8Array,
  formId: string,
  names: Iterable<string>,
  fields: readonly Pick<SubmittedField, 'name' | 'json'>[],
): Hashes =>
  Object.fromEntries(
    [...names].map((name) => {
      const sent = fields.filter((field) => field.name === name).flatMap(({ json }) => itemsIn(json))
      const values = sent.map(({ json }) => foldValue(textIn(json) ?? '')).filter((value) => value !== '')
      return [name, [...new Set(values)].map((value) => hashOf(key, `once:${formId}:${name}:${value}`))]
    }),
  )

/** 128 bits: more than anyone finds two values for. */
const hashOf = (key: Uint8Array, content: string): string => hmac(key, content).toString('base64url').slice(0, 22)
