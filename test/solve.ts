/** Solves a challenge as docs/contract.md describes it, without the code of the server or its script. */
export const solve = ({ challenge, puzzles, bits }: { challenge: string; puzzles: number; bits: number }): string => {
  const signature = challenge.split('.').at(-1) as string
  const nonces = Array.from({ length: puzzles }, (_, puzzle) => {
    const message = Buffer.alloc(48)
    message.write(signature, 'latin1')
    message[43] = puzzle
    for (let nonce = 0; ; nonce++) {
      message.writeUInt32BE(nonce, 44)
      const hash = new Bun.CryptoHasher('sha256').update(message).digest('hex')

      if (hash.startsWith('0'.repeat(bits >> 2)) && Number.parseInt(hash.slice(0, 8), 16) < 2 ** (32 - bits))
        return nonce.toString(36)
    }
  })
  return [challenge, ...nonces].join('.')
}
