import { sha256 } from '../hash.ts'

/** A new key: its value, which is shown once, and what is stored of it. */
export const newKey = (): { readonly value: string; readonly hash: string; readonly start: string } => {
  const value = newValue()
  // Tells it apart from others: 4 of its 40 characters.
  return { value, hash: hashKey(value), start: value.slice(0, 8) }
}

/** `api_` and 40 random letters and digits, 238 bits. */
const newValue = (): string => {
  let key = 'api_'
  while (key.length < 4 + 40)
    // 248 is the largest multiple of 62 in a byte: with larger bytes, some characters would be more likely than others.
    for (const byte of crypto.getRandomValues(new Uint8Array(64)))
      if (byte < 248 && key.length < 4 + 40) key += alphabet[byte % 62]
  return key
}
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** SHA-256 in hexadecimal. Only passwords need a slow hash; this one is of 238 random bits, and each request waits. */
export const hashKey = (key: string): string => sha256(key, 'hex')
