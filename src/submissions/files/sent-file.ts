import type { Texts } from '../../languages/texts.ts'

/** A file of a submission, as its data names it. */
export interface SentFile {
  readonly filename: string
  readonly type: string
  /** Bytes. */
  readonly size: number
  /** Its identifier (see store.ts). */
  readonly file: string
}

const types = { filename: 'string', type: 'string', size: 'number', file: 'string' } as const satisfies {
  readonly [Name in keyof SentFile]-?: string
}
const names = Object.keys(types) as readonly (keyof SentFile)[]

/** Members that people do not see, and no search finds. */
export const unseenMembers: ReadonlySet<string> = new Set(names.filter((name) => name !== 'filename'))

/** Whether members of these types make a file. */
export const areOfFile = (typeOf: (name: keyof SentFile) => string | undefined): boolean =>
  names.every((name) => typeOf(name) === types[name])

/** Returns whether it looks like a file. JSON may say so of one that is not there. */
export const isFile = (value: unknown): value is SentFile =>
  areOfFile((name) => typeof (value as Partial<SentFile> | null | undefined)?.[name])

/** The files in a field: one, several, or none. Other values may stand between them. */
export const filesIn = (value: unknown): SentFile[] => (Array.isArray(value) ? value : [value]).filter(isFile)

/** `PDF, 2.4 MB` @param words in which a visitor reads it */
export const fileFacts = (
  { filename, size }: SentFile,
  words: Pick<Texts['mail'], 'size' | 'file'> = ofOwner,
): string => {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1]?.toUpperCase()
  return extension === undefined ? words.size(size) : words.file(extension, size)
}

/** `2.4 MB` */
export const inBytes = (size: number): string => {
  if (size < 1000) return `${size} bytes`
  return size < 1_000_000 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`
}

const ofOwner = { size: inBytes, file: (extension: string, bytes: number) => `${extension}, ${inBytes(bytes)}` }
