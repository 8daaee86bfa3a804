import { formatByClaim, formatOf, oldOffice, script } from '../../base/file-kinds.ts'
import type { FoundKind } from '../../languages/texts.ts'

// Our own small table instead of the package `file-type`: that one knows some 200 kinds, and unpacks archives and follows
// tags in what strangers send to tell them apart. The rules of a form need these few, from the bytes that are there.

/** How many bytes at the beginning of a file `kindOf` looks at. */
export const kindBytes = 4096

const program = 'application/x-executable'

/**
 * The kind of a file as a media type, read from its first bytes; null if they are of none of the kinds known here. All of
 * Office since 2007 and OpenDocument is `application/zip`, earlier or encrypted Office `application/x-cfb`, programs of all
 * systems are `application/x-executable`, and scripts that name their interpreter `text/x-script`.
 *
 * @param firstBytes up to 4,096 of them
 */
export const kindOf = (firstBytes: Uint8Array): string | null => {
  // One character a byte.
  const text = Buffer.from(firstBytes.subarray(0, kindBytes)).toString('latin1')
  const begins = (...beginnings: string[]): boolean => beginnings.some((beginning) => text.startsWith(beginning))
  if (isProgram(text, begins)) return program
  // Not the recordings of telephones that begin with `#!AMR`.
  if (/^#![ \t]*\//.test(text)) return script
  if (begins('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (begins('\xff\xd8\xff')) return 'image/jpeg'
  if (begins('GIF87a', 'GIF89a')) return 'image/gif'
  if (begins('RIFF') && text.startsWith('WEBP', 8)) return 'image/webp'
  // The last two are an empty archive and one in parts.
  if (begins('PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08')) return 'application/zip'
  if (begins('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return oldOffice
  // Tags, or a frame of layer III. Text in UTF-16 begins with FF FE, which is not one.
  if (begins('ID3', '\xff\xfb', '\xff\xfa', '\xff\xf3', '\xff\xf2', '\xff\xe3', '\xff\xe2')) return 'audio/mpeg'
  if (begins('\x1a\x45\xdf\xa3')) return isSoundInMatroska(text) ? 'audio/webm' : 'video/webm'
  if (begins('OggS')) return text.includes('\x80theora') ? 'video/ogg' : 'audio/ogg'
  const box = begins('\0') ? text.slice(4, 8) : ''
  if (box === 'ftyp') return kindOfBrand(text.slice(8, 12))
  // QuickTime before it had brands.
  if (['moov', 'mdat', 'wide'].includes(box)) return 'video/quicktime'
  // Readers of PDF take other bytes before it. So it comes last.
  return text.slice(0, 1024).includes('%PDF-') ? 'application/pdf' : null
}

/**
 * Whether it is a program for Linux; macOS, the last for several processors, and Java; WebAssembly; Windows, where
 * zeros tell it from a text.
 */
const isProgram = (text: string, begins: (...beginnings: string[]) => boolean): boolean =>
  begins(
    '\x7fELF',
    '\xfe\xed\xfa\xce',
    '\xfe\xed\xfa\xcf',
    '\xce\xfa\xed\xfe',
    '\xcf\xfa\xed\xfe',
    '\xca\xfe\xba\xbe',
  ) ||
  begins('\0asm') ||
  (begins('MZ') && text.slice(0, 64).includes('\0'))

/** Whether it names codecs, and none of a picture: the element 86 of each track (RFC 9559, 5.1.4.1.21). */
const isSoundInMatroska = (text: string): boolean => /\x86[\x80-\xff]A_/.test(text) && !/\x86[\x80-\xff]V_/.test(text)

const kindOfBrand = (brand: string): string => {
  if (/^avi[fs]$/.test(brand)) return 'image/avif'
  if (/^(hei[cxms]|hev[cxms]|m[is]f1)$/.test(brand)) return 'image/heic'
  return brand === 'qt  ' ? 'video/quicktime' : 'video/mp4'
}

const words = new Map([
  [program, 'a program'],
  [script, 'a script'],
  [oldOffice, 'an Office document'],
  ['image/png', 'a PNG image'],
  ['image/jpeg', 'a JPEG image'],
  ['image/gif', 'a GIF image'],
  ['image/webp', 'a WebP image'],
  ['image/heic', 'an HEIC image'],
  ['image/avif', 'an AVIF image'],
  ['application/pdf', 'a PDF'],
  ['application/zip', 'a ZIP archive or a document'],
  ['audio/mpeg', 'MP3 audio'],
  ['video/mp4', 'an MP4 file'],
  ['video/quicktime', 'a QuickTime file'],
  ['audio/webm', 'a WebM file'],
  ['video/webm', 'a WebM file'],
  ['audio/ogg', 'an Ogg file'],
  ['video/ogg', 'an Ogg file'],
])

/** The kind in words, to be read after “is”: `a PNG image`. */
export const kindWords = (kind: string | null): string => words.get(kind ?? '') ?? 'of another kind'

/** The kind for visitors, who need not know more. */
export const toFoundKind = (kind: string | null): FoundKind => {
  if (kind === program) return 'program'
  if (kind === script) return 'script'
  if (kind === oldOffice) return 'document'
  if (kind === 'application/pdf') return 'pdf'
  if (kind === 'application/zip') return 'archive'
  const [group] = kind?.split('/') ?? []
  return group === 'image' || group === 'audio' || group === 'video' ? group : 'other'
}

/** The name of an image's format, as its files are called; null for anything else. */
export const imageFormat = (kind: string | null): string | null =>
  kind?.startsWith('image/') === true ? kind.slice('image/'.length).toUpperCase() : null

/** An entry of the setting in a word for visitors: `PDF`, `Word`, or `image/*`, for which each language has a word. */
export const kindName = (entry: string): string => {
  if (entry.endsWith('/*')) return entry
  const extension = entry.startsWith('.') ? entry : formatByClaim.get(entry)?.extensions[0]
  return extension === undefined ? entry : (programNames.get(extension) ?? extension.slice(1).toUpperCase())
}

/** Documents that people call by their program, and a container that has one name. */
const programNames = new Map([
  ['.weba', 'WebM'],
  ['.webm', 'WebM'],
  ['.doc', 'Word'],
  ['.docx', 'Word'],
  ['.xls', 'Excel'],
  ['.xlsx', 'Excel'],
  ['.ppt', 'PowerPoint'],
  ['.pptx', 'PowerPoint'],
])

/** Whether this media type, `image/*` or extension is that of images. */
export const isImage = (claim: string): boolean =>
  claim.startsWith('image/') || formatOf(claim)?.types[0]?.startsWith('image/') === true

/** Whether the bytes are of a kind that this media type, `image/*` or extension stands for. */
export const isOfKind = (claim: string, kind: string | null): boolean =>
  kind !== null && formatOf(claim)?.kinds.includes(kind) === true

/** Whether the bytes cannot be what a media type, `image/*` or extension says. */
export const contradicts = (claim: string, kind: string | null): boolean => {
  const format = formatOf(claim)
  if (!format) return false
  return kind === null ? format.isCertain === true : !format.kinds.includes(kind)
}

/** The media types that a file claims to have, by what was declared and by its extension, in lower case. */
export const claimedTypes = (name: string, type: string): readonly string[] =>
  [declaredType(type), ...(formatOf(extensionOf(name))?.types ?? [])].filter((claimed) => claimed !== '')

const declaredType = (type: string): string => type.replace(/;.*/s, '').trim().toLowerCase()

/**
 * Whether a file is of the format of an extension, although it has another one: one of the same format, as `.jpeg` is for
 * `.jpg`; or a declared type of that format, which its first bytes bear out. Telephones send photos without any.
 *
 * @param extension such as `.jpg`, in lower case @param kind as `kindOf` has read it
 */
export const isLike = (extension: string, name: string, type: string, kind: string | null): boolean => {
  const format = formatByClaim.get(extension)
  if (!format || isActiveUnder(extension, name)) return false
  if (format.extensions.includes(extensionOf(name))) return true
  const { types, soundTypes = [] } = format
  return [...types, ...soundTypes].includes(declaredType(type)) && kind !== script && isOfKind(extension, kind)
}

/**
 * Whether a file says by its name or its declared type what its first bytes contradict. No kind of text has such bytes, so a
 * text contradicts only what always begins in another way, and nothing contradicts a name or type that is not known here.
 *
 * @param kind as `kindOf` has read it
 */
export const disagrees = (name: string, type: string, kind: string | null): boolean =>
  claimedTypes(name, type).some((claimed) => contradicts(claimed, kind))

const activeExtensions =
  /^\.(?:x?html?|xht|shtml?|mht|mhtml|hta|php\d?|phtml?|pht|phar|aspx?|as[ahm]x|jspx?|cfm|cgi|m?js|jse|jnlp|vbs?|vbe|ws[cfh]?|sct|bat|cmd|com|exe|scr|pif|cpl|dll|ms[cip]|chm|hlp|inf|lnk|scf|url|reg|xll|psm?1|sh|bash|[ckz]sh|jar|py|pl|rb|app|application|appimage|command|desktop|dmg|pkg|apk)$/

/**
 * Whether the name is that of a web page, a script or a program, which a system runs by its name alone, and is not what the
 * entry is about. A made-up type such as `image/x`, or a PDF that is a page as well, would let it in.
 *
 * @param entry a media type, a group such as `image/*`, or an extension that is known here, in lower case
 */
export const isActiveUnder = (entry: string, name: string): boolean => {
  const extension = extensionOf(withoutEnd(name))
  if (!activeExtensions.test(extension)) return false
  const format = entry.endsWith('/*') ? undefined : formatByClaim.get(entry)
  return format ? !format.extensions.includes(extension) : !/^(text\/|application\/[^*])/.test(entry)
}

/** Windows takes dots and spaces at the end away. Its names have up to 255 characters. */
const withoutEnd = (name: string): string => name.slice(-255).replace(/[.\s]+$/, '')

const extensionOf = (name: string): string => /\.[^.]*$/.exec(name.trim().toLowerCase())?.[0] ?? ''

/** Whether a text could be the name of a file and nothing else: one line that ends with a usual extension. */
export const isFileName = (text: string): boolean =>
  text.includes('.') &&
  /^[^\s\\/:*?"<>|\p{Cc}.][^\\/:*?"<>|\p{Cc}]{0,250}$/u.test(text) &&
  formatOf(extensionOf(text)) !== undefined
