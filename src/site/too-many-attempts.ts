/** What a page answers when a password is not checked because too many attempts have failed. */
export const tooManyAttempts = (retryAfterSeconds: number) => {
  const minutes = Math.ceil(retryAfterSeconds / 60)
  return {
    status: 429,
    headers: { 'retry-after': String(retryAfterSeconds) },
    problem: `Too many failed attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
  }
}
