/** Bytes of each piece of a file but its last one: as much as someone who downloads slowly holds. */
export const pieceBytes = 64 * 1024

/** The most that `FORMBOX_FILE_LIMIT` allows, and less than the pieces that one file has numbers for. */
export const maxFileBytes = 100 * 1024 * 1024

/** The number of a file's first piece. Those of the next file begin after 256 MiB. */
export const firstPiece = (file: number): number => file * 4096
