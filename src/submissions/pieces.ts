/** Longer JSON text than so many characters is kept in pieces. */
const maxWholeCharacters = 4096
/** Bytes of each piece but the last, which is shorter and may be empty: so its end is known without counting them. */
export const pieceBytes = 64 * 1024

/** The pieces of a submission's JSON text in UTF-8; null for one that is short enough to be kept whole. */
export const toPieces = (data: string): Buffer[] | null => {
  if (data.length <= maxWholeCharacters) return null
  const bytes = Buffer.from(data)
  const count = Math.floor(bytes.length / pieceBytes) + 1
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes))
}
