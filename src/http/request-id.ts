const run = crypto.getRandomValues(Buffer.alloc(6)).toString('hex')
let count = 0

/** Unique across runs. The last part counts the requests of this run. */
export const newRequestId = (): string => `${run}-${(count++).toString(36)}`
