/** A random text that no one can guess: base64url. @param bytes how many random ones it stands for */
export const newToken = (bytes = 32): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64url')
