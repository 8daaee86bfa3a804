/** JSON text of more characters is stored in pieces. */
const maxWholeCharacters = 4096
/** Bytes of each piece. The last piece is always shorter, and may be empty, so a reader recognises it. */
export const pieceBytes = 64 * 1024

/** A submission's JSON text in pieces of UTF-8; null if it is short enough to be stored whole. */
export const toPieces = (data: string): Buffer[] | null => {
  if (data.length <= maxWholeCharacters) return null
  const bytes = Buffer.from(data)
  const count = Math.floor(bytes.length / pieceBytes) + 1
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes))
}
