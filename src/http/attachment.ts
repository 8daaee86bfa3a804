/** `Content-Disposition` of a file to be saved under the form's title (RFC 6266, RFC 8187). */
export const attachment = (title: string, extension: string): string => {
  const name = `${fileName(title)}.${extension}`
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[^\x20-\x7e]|[%"\\]/gu, '_')
  if (plain === name) return `attachment; filename="${name}"`
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

const maxCharacters = 80

/** What every file system takes as a name, and nothing that hides how it ends: no control and direction characters. */
const fileName = (title: string): string => {
  const visible = title.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ').replace(/[/\\:*?"<>|]/g, '-')
  const short = [...visible.replace(/\s+/g, ' ').trim()].slice(0, maxCharacters).join('')
  const name = short.replace(/^[. ]+|[. ]+$/g, '')
  if (name === '') return 'submissions'
  // Devices of Windows, whatever extension follows.
  return /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(name.split('.')[0] as string) ? `form ${name}` : name
}
