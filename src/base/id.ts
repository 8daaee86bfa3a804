import { sha256Bytes } from './hash.ts'
import { toIsoTime } from './moment.ts'

/**
 * Identifiers of 28 characters that sort by creation time: 10 for the time, 2 for the order within the millisecond,
 * and 16 random ones (80 bits), which make them impossible to guess. The time is the record's creation time, so no table
 * has a column for it. The alphabet is Crockford's base 32 in lower case, whose order is that of ASCII. It has no `u`,
 * so no identifier is `bulk`.
 */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
/** Sorts after every identifier. */
export const afterEveryId = '~'
const timeLength = 10

let lastTime = 0
let lastOrder = 0

/** @param now Unix time in milliseconds. Later calls give greater identifiers as long as the clock does not go back. */
export const newId = (now: number): string => {
  if (now > lastTime || now < lastTime - 1000) {
    lastTime = now
    lastOrder = 0
  } else if (++lastOrder === ordersPerMillisecond) {
    // More than 1,024 in one millisecond (a bulk operation): the next ones are dated a millisecond ahead.
    lastTime += 1
    lastOrder = 0
  }
  return idAt(lastTime, lastOrder)
}

/** How many identifiers of the same millisecond can be put in order. */
export const ordersPerMillisecond = 32 * 32

/** An identifier for a record created at this time. @param order among those of the same millisecond, from 0 */
export const idAt = (time: number, order: number): string => startOf(time, order) + secret()

const startOf = (time: number, order: number): string => timePrefix(time) + alphabet[order >> 5] + alphabet[order & 31]

/** The first characters of every identifier made at that millisecond; sorts before all of them. */
export const timePrefix = (time: number): string => {
  // Many are made in the same one.
  if (time !== memoTime) {
    memoTime = time
    memoPrefix = fiveCharacters(time / 2 ** 25) + fiveCharacters(time % 2 ** 25)
  }
  return memoPrefix
}
let memoTime = Number.NaN
let memoPrefix = ''

/** Encodes a number below 2 ** 25, without its fraction. */
const fiveCharacters = (number: number): string => {
  let text = ''
  for (let shift = 20; shift >= 0; shift -= 5) text += alphabet[(number >> shift) & 31]
  return text
}

/** Unix time in milliseconds at which the identifier was made. */
export const creationTime = (id: string): number => fiveValues(id, 0) * 2 ** 25 + fiveValues(id, 5)

const orderIn = (id: string): number =>
  ((values[id.charCodeAt(timeLength)] as number) << 5) | (values[id.charCodeAt(timeLength + 1)] as number)

/** Decodes what `fiveCharacters` made. */
const fiveValues = (id: string, start: number): number => {
  let number = 0
  for (let i = start; i < start + 5; i++) number = (number << 5) | (values[id.charCodeAt(i)] as number)
  return number
}
const values = new Uint8Array(128)
for (const [value, character] of [...alphabet].entries()) values[character.charCodeAt(0)] = value

/** ISO 8601 in UTC with milliseconds. */
export const createdAt = (id: string): string => toIsoTime(creationTime(id))

/**
 * An identifier for what follows from another record: of the same time, and always the same for the same words. So a
 * command can make one, and what was done already is found again.
 */
export const derivedId = (id: string, ...words: readonly string[]): string => {
  const digest = sha256Bytes(JSON.stringify([id, ...words]))
  let text = commonStart(id)
  for (let i = 0; i < secretLength; i++) text += alphabet[(digest[i] as number) & 31]
  return text
}

/**
 * Identifiers for what is created together, in this order: always the same for the same seed, an identifier that no one
 * else knows.
 */
export const derivedIds = (seed: string, count: number): string[] => {
  const start = creationTime(seed) * ordersPerMillisecond + orderIn(seed)
  return Array.from({ length: count }, (_, position) => {
    const time = Math.floor((start + position) / ordersPerMillisecond)
    const order = (start + position) % ordersPerMillisecond
    return derivedId(startOf(time, order) + seed, 'created')
  })
}

/**
 * Derives the identifier of one of up to a million numbered parts, without a hash, which would take 2 µs. 60 random
 * bits of the record's identifier remain.
 */
export const numberedId = (id: string, number: number): string => id.slice(0, -endingLength) + numberEnding(number)

/** The characters that take the place of the last `endingLength` of the record's identifier. */
export const numberEnding = (number: number): string => {
  const low = number & 1023
  return `${alphabet[(number >> 15) & 31]}${alphabet[(number >> 10) & 31]}${alphabet[low >> 5]}${alphabet[low & 31]}`
}

export const endingLength = 4

/** The common beginning of an identifier and all that are derived from it. */
export const commonStart = (id: string): string => id.slice(0, timeLength + 2)

/** Whether this service could have made the identifier: the alphabet has no i, l, o and u. */
export const isOwnId = (text: string): boolean => /^[0-9a-hjkmnp-tv-z]{28}$/.test(text)

/** False for text that no identifier can be, so that it need not be looked up. */
export const isId = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-z]{28}$/.test(text)

const secret = (): string => {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    for (let i = 0; i < pool.length; i++) pool[i] = alphabet.charCodeAt((pool[i] as number) & 31)
    secrets = pool.toString('latin1')
    used = 0
  }
  used += secretLength
  return secrets.slice(used - secretLength, used)
}
const secretLength = 16
// Those of 256 identifiers at a time. Put together one character after the other, an identifier was 28 strings.
const pool = Buffer.alloc(secretLength * 256)
let secrets = ''
let used = pool.length
