import { invalid } from '../../base/errors.ts'
import { sha256 } from '../../base/hash.ts'
import type { FormField } from '../../forms/fields/form-field.ts'
import type { AnswersQuery, CountedSoFar } from './count-answers.ts'
import { hasNumbers } from './field-answers.ts'
import { binCount, type CarriedNumbers } from './numbers.ts'

const hashLength = 16
/** Three doubles, then whole numbers in seven bits a byte: that of numbers, and those of the bins. */
const headBytes = 24
const maxCount = 2 ** 40

/**
 * The cursors of a query. One is a hash of the query, the two identifiers and what was found of each field with numbers. It is
 * part of an address: 50 such fields take 5 kB.
 */
export const answersCursors = (formId: string, fields: readonly FormField[], { filter, range }: AnswersQuery) => {
  const names = fields.filter(({ type }) => hasNumbers(type)).map(({ name }) => name)
  const hash = sha256(JSON.stringify([formId, 'answers', filter, range, names]), 'base64url').slice(0, hashLength)
  return {
    make: ({ begunAt, endedAt, numbers }: CountedSoFar): string =>
      [hash + begunAt, endedAt, ...numbers.map((one) => (one ? packed(one) : ''))].join('.'),

    parse(cursor: string | null): CountedSoFar | undefined {
      if (cursor === null) return undefined
      const [begunAt = '', endedAt = '', ...rest] = cursor.slice(hashLength).split('.')
      const numbers = rest.map((text) => (text === '' ? undefined : unpacked(text)))
      const isPlace = [begunAt, endedAt].every((id) => /^[0-9a-z~]{0,28}$/.test(id))
      if (cursor.startsWith(hash) && isPlace && numbers.length === names.length && !numbers.includes(null))
        return { begunAt, endedAt, numbers: numbers as (CarriedNumbers | undefined)[] }
      throw invalid({ field: 'cursor', message: 'must be the `next` of a response to the same query' })
    },
  }
}

const packed = ({ from, to, sum, count, bins }: CarriedNumbers): string => {
  const bytes = Buffer.alloc(headBytes)
  for (const [i, value] of [from, to, sum].entries()) bytes.writeDoubleLE(value, i * 8)
  return Buffer.concat([bytes, ...[count, ...bins].map(varint)]).toString('base64url')
}

const varint = (value: number): Buffer => {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

/** Null if no one can have packed it. */
const unpacked = (text: string): CarriedNumbers | null => {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length <= headBytes) return null
  const [from, to, sum] = [bytes.readDoubleLE(0), bytes.readDoubleLE(8), bytes.readDoubleLE(16)] as const
  const [count = 0, ...bins] = wholeNumbers(bytes.subarray(headBytes))
  const isSound = [from, to, sum].every(Number.isFinite) && from < to && count > 0 && count < maxCount
  return isSound && bins.length === binCount && bins.every((one) => one < maxCount)
    ? { from, to, sum, count, bins }
    : null
}

const wholeNumbers = (bytes: Uint8Array): number[] => {
  const found: number[] = []
  let [value, unit] = [0, 1]
  for (const byte of bytes) {
    value += (byte & 127) * unit
    unit *= 128
    if (byte > 127) continue
    found.push(value)
    value = 0
    unit = 1
  }
  return found
}
