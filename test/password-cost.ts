const full = Bun.password.hash

/**
 * Lets the passwords that the service hashes in this process cost a hundredth. A hash contains its cost, so that it is
 * quick to check as well. To make one takes a tenth of a second and 64 MiB, on purpose.
 */
export const hashQuickly = (): void => {
  Bun.password.hash = (password) => full(password, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })
}

/** Hashes as the service does, for a test that is about that. */
export const atFullCost = async <T>(work: () => Promise<T>): Promise<T> => {
  const usual = Bun.password.hash
  Bun.password.hash = full
  try {
    return await work()
  } finally {
    Bun.password.hash = usual
  }
}
