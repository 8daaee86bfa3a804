const run = crypto.getRandomValues(Buffer.alloc(6)).toString('hex')
let count = 0

/** Unique among all requests of all runs; says how many came before it in this one. */
export const newRequestId = (): string => `${run}-${(count++).toString(36)}`
