const prefix = 'whsec_'

/** A secret of Standard Webhooks 1.0.0, which allows 24 to 64 bytes: `whsec_` and base64 of 32 random bytes. */
export const newSecret = (): string =>
  prefix + Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')

/** The key to sign with. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(prefix.length), 'base64')
