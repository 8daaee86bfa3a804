/** SHA-256 as text. What arrives in pieces goes into a `Bun.CryptoHasher` instead. */
export const sha256 = (content: string | Uint8Array, encoding: 'hex' | 'base64url'): string =>
  Bun.SHA256.hash(content, encoding)

/** SHA-256 as 32 bytes. */
export const sha256Bytes = (content: string | Uint8Array): Buffer => {
  const bytes = Buffer.allocUnsafe(32)
  Bun.SHA256.hash(content, bytes)
  return bytes
}

/** HMAC with SHA-256 of these parts, one after the other. */
export const hmac = (key: string | Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hasher = new Bun.CryptoHasher('sha256', key)
  for (const part of parts) hasher.update(part)
  return hasher.digest()
}
