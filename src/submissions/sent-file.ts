/** A file that was sent with a form, as `collect/parse.ts` stores it. */
export interface SentFile {
  readonly filename: string
  readonly type: string
  /** Bytes. */
  readonly size: number
  readonly base64: string
}

export const isFile = (value: unknown): value is SentFile => {
  const { filename, type, size, base64 } = (value ?? {}) as Partial<Record<keyof SentFile, unknown>>
  return [filename, type, base64].every((text) => typeof text === 'string') && typeof size === 'number'
}

/** The files in a field: one, several, or none. Other values may stand between them. */
export const filesIn = (value: unknown): SentFile[] => (Array.isArray(value) ? value : [value]).filter(isFile)

/** `PDF, 2.4 MB` */
export const fileFacts = ({ filename, size }: SentFile): string => {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1]?.toUpperCase()
  return `${extension ? `${extension}, ` : ''}${inBytes(size)}`
}

const inBytes = (size: number): string => {
  if (size < 1000) return `${size} bytes`
  return size < 1_000_000 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`
}
