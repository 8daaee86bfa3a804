import { createHmac } from 'node:crypto'
import { secureCompare } from '../../base/secure-compare.ts'

/**
 * One-time passwords by time (RFC 6238): SHA-1, 6 digits, 30 seconds, from 1970 on. No other parameters
 * work in every app. SHA-1 is no weakness here: HMAC does not depend on its resistance to collisions.
 */
const stepMilliseconds = 30_000
const digits = 6
/** A phone whose clock is wrong by half a minute, and someone who types slowly. */
const toleratedSteps = 1

/** The number of the interval of 30 seconds that this time is in. */
const stepAt = (time: number): number => Math.floor(time / stepMilliseconds)

/** The code of an interval. @param secret in base 32 */
const codeAt = (secret: string, step: number): string => {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = (mac.at(-1) as number) & 15
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits
  return String(number).padStart(digits, '0')
}

/** The latest interval, of the current one and its neighbours, whose code this is; null if it is of none. */
export const stepOf = (secret: string, code: string, now: number): number | null => {
  const current = stepAt(now)
  for (let step = current + toleratedSteps; step >= current - toleratedSteps; step--)
    if (secureCompare(code, codeAt(secret, step))) return step
  return null
}

/** 160 random bits, as RFC 4226 recommends, in base 32. */
export const newTotpSecret = (): string => toBase32(crypto.getRandomValues(new Uint8Array(20)))

/** The text of the QR code for an app. @param account as the app shows it */
export const otpauthUri = (secret: string, issuer: string, account: string): string =>
  `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`

/** The shape of a secret that `newTotpSecret` made. */
export const totpSecretShape = /^[A-Z2-7]{32}$/

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, of a whole number of groups of 5 bytes, so without padding. */
const toBase32 = (bytes: Uint8Array): string => {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) text += alphabet[(value >> (bits - 5)) & 31]
  }
  return text
}

const fromBase32 = (text: string): Buffer => {
  const bytes: number[] = []
  let bits = 0
  let value = 0
  for (const character of text) {
    value = ((value << 5) | alphabet.indexOf(character)) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((value >> bits) & 255)
  }
  return Buffer.from(bytes)
}
