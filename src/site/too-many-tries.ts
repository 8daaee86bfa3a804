/** What a page answers when a password is not checked because too many tries have failed. */
export const tooManyTries = (retryAfterSeconds: number) => {
  const minutes = Math.ceil(retryAfterSeconds / 60)
  return {
    status: 429,
    headers: { 'retry-after': String(retryAfterSeconds) },
    problem: `Too many failed tries. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
  }
}
