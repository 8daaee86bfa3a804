/** `api_` and 40 random letters and digits, 238 bits. */
export const newKey = (): string => {
  let key = 'api_'
  while (key.length < 4 + 40)
    // 248 is the greatest multiple of 62 in a byte: taking more would make some characters likelier than others.
    for (const byte of crypto.getRandomValues(new Uint8Array(64)))
      if (byte < 248 && key.length < 4 + 40) key += alphabet[byte % 62]
  return key
}
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** SHA-256 in hexadecimal. A slow hash would guard a password; 238 random bits need none, and each request pays it. */
export const hashKey = (key: string): string => Bun.SHA256.hash(key, 'hex')

/** The part of a key that is shown to tell it from others: 4 of its 40 characters. */
export const startOfKey = (key: string): string => key.slice(0, 8)
