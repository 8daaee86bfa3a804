import type { Size } from './staged.ts'

const maxSubmissions = 1_000_000
const maxMebibytes = 512

/** Whether an import of this size is taken while a server runs. Its rows are in the data file twice for a while. */
export const isTaken = ({ count, bytes }: Size): boolean =>
  count <= maxSubmissions && bytes <= maxMebibytes * 1024 * 1024

export const tooMuch = `has more than ${maxSubmissions} submissions or ${maxMebibytes} MiB of them`
