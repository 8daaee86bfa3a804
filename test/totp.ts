// Codes as an app on a phone makes them, written anew from RFC 6238.
import { createHmac } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const fromBase32 = (text: string): Buffer => {
  const bits = [...text].map((character) => alphabet.indexOf(character).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code that an app shows at this time. */
export const codeFor = (secret: string, now: number): string => {
  const counter = Buffer.from(
    Math.floor(now / 30_000)
      .toString(16)
      .padStart(16, '0'),
    'hex',
  )
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const start = (mac[19] as number) % 16
  const bytes = mac.subarray(start, start + 4)
  return String(((bytes.readUInt32BE() << 1) >>> 1) % 1_000_000).padStart(6, '0')
}

/** The secret that the page to turn it on shows. */
export const secretOn = (page: string): string => /name="secret" value="([A-Z2-7]{32})"/.exec(page)?.[1] ?? ''

/** What says that the password was right, on the page that asks for a code. */
export const stateOn = (page: string): string => /name="state" value="([^"]+)"/.exec(page)?.[1] ?? ''

/** The recovery codes on the page that shows them. */
export const recoveryCodesOn = (page: string): string[] => page.match(/\b[2-9a-z]{4}(?:-[2-9a-z]{4}){3}\b/g) ?? []
