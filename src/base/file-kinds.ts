// What names and media types say of a file, and by which bytes it may then begin (see submissions/files/kind.ts).

export const script = 'text/x-script'
export const oldOffice = 'application/x-cfb'

/** A claim about a file, and what its first bytes may then be. */
interface Format {
  readonly types: readonly string[]
  readonly extensions: readonly string[]
  readonly kinds: readonly string[]
  /** Types of sound in the same container. */
  readonly soundTypes?: readonly string[]
  /** Whether its first bytes are always of one of these kinds, so that unknown ones contradict. */
  readonly isCertain?: true
}

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/heic', 'image/avif']
const heif = ['image/heic', 'image/avif']
/** What browsers record. Pages name that as they like, such as `voice.wav`. */
const recorded = ['audio/webm', 'video/webm', 'audio/ogg', 'video/ogg']
const mp3 = ['audio/mpeg', ...recorded]
const mp4 = ['video/mp4', 'video/quicktime', ...recorded]
const film = ['audio/mpeg', ...mp4]
const soundInMp4 = ['audio/mp4', 'audio/x-m4a']
const anyText = [script]
const office = 'application/vnd.openxmlformats-officedocument.'
const openDocument = 'application/vnd.oasis.opendocument.'
/** An encrypted one looks as in earlier years. */
const newOffice = { kinds: ['application/zip', oldOffice], isCertain: true } as const
/** Many programs write a page or a table in text under these names. */
const earlyOffice = { kinds: [oldOffice, 'application/zip'] }
const zipped = { kinds: ['application/zip'], isCertain: true } as const

const formats: readonly Format[] = [
  { types: ['image/png'], extensions: ['.png'], kinds: ['image/png'], isCertain: true },
  {
    types: ['image/jpeg', 'image/jpg', 'image/pjpeg'],
    extensions: ['.jpg', '.jpeg', '.jfif'],
    kinds: ['image/jpeg'],
    isCertain: true,
  },
  { types: ['image/gif'], extensions: ['.gif'], kinds: ['image/gif'], isCertain: true },
  { types: ['image/webp'], extensions: ['.webp'], kinds: ['image/webp'], isCertain: true },
  { types: ['image/heic', 'image/heif'], extensions: ['.heic', '.heif'], kinds: heif, isCertain: true },
  { types: ['image/avif'], extensions: ['.avif'], kinds: heif, isCertain: true },
  { types: ['image/svg+xml'], extensions: ['.svg'], kinds: anyText },
  { types: ['image/tiff'], extensions: ['.tif', '.tiff'], kinds: [] },
  { types: ['image/bmp'], extensions: ['.bmp'], kinds: [] },
  { types: ['application/pdf'], extensions: ['.pdf'], kinds: ['application/pdf'], isCertain: true },
  { types: [`${office}wordprocessingml.document`], extensions: ['.docx'], ...newOffice },
  { types: [`${office}spreadsheetml.sheet`], extensions: ['.xlsx'], ...newOffice },
  { types: [`${office}presentationml.presentation`], extensions: ['.pptx'], ...newOffice },
  { types: ['application/msword'], extensions: ['.doc'], ...earlyOffice },
  { types: ['application/vnd.ms-excel'], extensions: ['.xls'], ...earlyOffice },
  { types: ['application/vnd.ms-powerpoint'], extensions: ['.ppt'], ...earlyOffice },
  { types: [`${openDocument}text`], extensions: ['.odt'], ...zipped },
  { types: [`${openDocument}spreadsheet`], extensions: ['.ods'], ...zipped },
  { types: [`${openDocument}presentation`], extensions: ['.odp'], ...zipped },
  { types: ['application/zip', 'application/x-zip-compressed'], extensions: ['.zip'], ...zipped },
  { types: ['audio/mpeg', 'audio/mp3'], extensions: ['.mp3', '.mpga'], kinds: mp3 },
  { types: soundInMp4, extensions: ['.m4a'], kinds: mp4 },
  { types: ['audio/wav', 'audio/x-wav'], extensions: ['.wav'], kinds: recorded },
  { types: ['audio/ogg', 'application/ogg'], extensions: ['.ogg', '.oga', '.opus'], kinds: recorded },
  { types: ['audio/webm'], extensions: ['.weba'], kinds: recorded },
  { types: ['video/mp4', 'video/x-m4v'], extensions: ['.mp4', '.m4v'], kinds: mp4, soundTypes: soundInMp4 },
  { types: ['video/quicktime'], extensions: ['.mov', '.qt'], kinds: mp4 },
  { types: ['video/3gpp', 'audio/3gpp'], extensions: ['.3gp', '.3gpp'], kinds: mp4 },
  { types: ['video/mpeg'], extensions: ['.mpg', '.mpeg'], kinds: film },
  { types: ['audio/aiff', 'audio/x-aiff'], extensions: ['.aif', '.aiff'], kinds: film },
  { types: ['audio/midi', 'audio/x-midi'], extensions: ['.mid', '.midi'], kinds: film },
  { types: ['video/ogg'], extensions: ['.ogv'], kinds: recorded },
  { types: ['video/webm'], extensions: ['.webm'], kinds: recorded, soundTypes: ['audio/webm'] },
  { types: ['text/plain'], extensions: ['.txt', '.text', '.log'], kinds: anyText },
  { types: ['text/csv'], extensions: ['.csv'], kinds: anyText },
  { types: ['text/html'], extensions: ['.html', '.htm'], kinds: anyText },
  { types: ['text/markdown'], extensions: ['.md', '.markdown'], kinds: anyText },
  { types: ['application/json'], extensions: ['.json'], kinds: anyText },
  { types: ['application/yaml', 'text/yaml'], extensions: ['.yaml', '.yml'], kinds: anyText },
  { types: ['application/rtf', 'text/rtf'], extensions: ['.rtf'], kinds: [] },
  { types: ['application/xml', 'text/xml'], extensions: ['.xml'], kinds: anyText },
  // Any other media type, by what is before its slash.
  { types: ['image/*'], extensions: [], kinds: images },
  { types: ['audio/*', 'video/*'], extensions: [], kinds: film },
  { types: ['text/*'], extensions: [], kinds: anyText },
]

export const formatByClaim: ReadonlyMap<string, Format> = new Map(
  formats.flatMap((format) => [...format.types, ...format.extensions].map((claim) => [claim, format] as const)),
)

/** @param claim a media type, `image/*`, or an extension such as `.pdf`, in lower case */
export const formatOf = (claim: string): Format | undefined =>
  formatByClaim.get(claim) ?? (/\/[^*]/.test(claim) ? formatOf(claim.replace(/\/.*/s, '/*')) : undefined)

/** A list for `accept`, by which browsers choose files by their names: with the other extensions of each format. */
export const withLikeExtensions = (entries: readonly string[]): string[] => [
  ...new Set(
    entries.flatMap((entry) => [entry, ...(entry.startsWith('.') ? (formatByClaim.get(entry)?.extensions ?? []) : [])]),
  ),
]
