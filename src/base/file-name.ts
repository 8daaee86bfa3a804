import { oneLine } from './short-text.ts'

const maxCharacters = 80
/** File systems take 255 in all, and a number or an extension may be added. */
const maxBytes = 200

/**
 * A name that every file system accepts, without control and direction characters, which could hide the extension. A
 * long one is cut, but not its extension.
 */
export const fileName = (title: string, otherwise: string): string => {
  const visible = title.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ').replace(/[/\\:*?"<>|]/g, '-')
  const name = cut(oneLine(visible)).replace(/^[. ]+|[. ]+$/g, '')
  if (name === '') return otherwise
  // Windows reserves these names for devices, whatever the extension.
  return /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(name.split('.')[0] as string) ? `form ${name}` : name
}

const cut = (name: string): string => {
  const characters = [...name]
  if (characters.length <= maxCharacters && Buffer.byteLength(name) <= maxBytes) return name
  const extension = /\.[a-z0-9]{1,10}$/i.exec(name)?.[0] ?? ''
  const start = characters.slice(0, maxCharacters - extension.length)
  while (Buffer.byteLength(start.join('')) + extension.length > maxBytes) start.pop()
  return start.join('') + extension
}
