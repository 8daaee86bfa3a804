import { invalid, unavailable } from '../../base/errors.ts'
import { semaphore } from '../../base/semaphore.ts'

/** The length of a password in characters. */
const length = { minimum: 12, maximum: 256 }

/** @throws AppError `invalid` */
export const checkPassword = (password: string): string => {
  const characters = [...password].length
  if (characters >= length.minimum && characters <= length.maximum) return password
  throw invalid({
    field: 'password',
    message: `must be ${length.minimum} to ${length.maximum} characters; got ${characters}`,
  })
}

/** One hash takes about a tenth of a second and this many KiB, which makes guessing expensive. */
const memoryKibibytes = 65_536
const passes = 2

/** @throws AppError `unavailable` when too many wait already */
export const hashPassword = (password: string): Promise<string> =>
  oneOfFew(() =>
    Bun.password.hash(normalize(password), {
      algorithm: 'argon2id',
      memoryCost: memoryKibibytes,
      timeCost: passes,
    }),
  )

/**
 * Whether the hash is that of this password. Takes as long without a hash, for a user who does not exist.
 *
 * @throws AppError `unavailable` when too many wait already
 */
export const verifyPassword = (password: string, hash: string | undefined, turn?: Turn): Promise<boolean> =>
  oneOfFew(async () => {
    const isRight = await Bun.password.verify(normalize(password), hash ?? nobodysHash)
    return isRight && hash !== undefined
  }, turn)

/** A hash of the same cost that no password matches. */
export const nobodysHash = `$argon2id$v=19$m=${memoryKibibytes},t=${passes},p=1$${'A'.repeat(43)}$${'A'.repeat(43)}`

/** A hash of the same cost that no password matches, and that no one can guess: tokens are signed with it. */
export const unknownPasswordHash = (): string => {
  const random = () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(32)))
      .toString('base64')
      .replace('=', '')
  return `$argon2id$v=19$m=${memoryKibibytes},t=${passes},p=1$${random()}$${random()}`
}

/**
 * An accented letter is one character on one keyboard and several on another: they are the same password. A text
 * longer than any password becomes the empty one, which no one has: normalising 60 kB of accents would take more than a second.
 */
const normalize = (password: string): string => (password.length <= maxTypedUnits ? password.normalize('NFC') : '')
/** In UTF-16, a character that is decomposed has six units at most. */
const maxTypedUnits = 6 * length.maximum

/** More at once would not be faster on a small server, and each takes 64 MiB. */
const maxAtOnce = 2
/** Checking this many takes about three seconds. */
const maxWaiting = 50
const retryAfterSeconds = 5

/** How soon a password is checked if others wait. */
export interface Turn {
  /** Lower ones come first, so that someone who tries many passwords waits for everyone else. */
  readonly rank: number
  /** Waiting checks from one network each rank one higher, because a network may have any number of addresses. */
  readonly network?: string
}

const checks = semaphore({ room: maxAtOnce, maxWaiting, refusal: () => unavailable(retryAfterSeconds) })

const oneOfFew = async <T>(work: () => Promise<T>, { rank, network }: Turn = { rank: 0 }): Promise<T> => {
  const done = await checks.enter({ rank, group: network })
  try {
    return await work()
  } finally {
    done()
  }
}

/** 24 random letters and digits, 120 bits, without those that look alike. */
export const newPassword = (): string =>
  [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => alphabet[byte & 31]).join('')
const alphabet = '23456789abcdefghijkmnpqrstuvwxyz'
