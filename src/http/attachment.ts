import { fileName } from '../base/file-name.ts'
import type { ExportedFile } from '../transfer/export/store.ts'
import { fileFormats } from '../transfer/formats.ts'
import type { StreamedFile } from './streamed.ts'

/** Submissions as a file that is saved under the title of their form: `Contact.csv`, and spam as `Contact spam.csv`. */
export const exportedFile = ({ format, title, isSpam, ...sending }: ExportedFile): StreamedFile => ({
  mediaType: fileFormats[format].mediaType,
  disposition: attachment(title, isSpam ? ` spam.${format}` : `.${format}`),
  ...sending,
})

/** `Content-Disposition` for a file that is saved under the form's title (RFC 6266, RFC 8187). @param ending such as `.csv` */
export const attachment = (title: string, ending: string): string =>
  contentDisposition(fileName(title, 'submissions') + ending)

/** The header for a file that already has a name with its extension. */
export const attachmentNamed = (name: string): string => contentDisposition(fileName(name, 'file'))

const contentDisposition = (name: string): string => {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    // Some characters have just become slashes and full stops.
    .replace(/^\.+|[^\x20-\x7e]|[%"\\/:*?<>|]/gu, '_')
  if (plain === name) return `attachment; filename="${name}"`
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
