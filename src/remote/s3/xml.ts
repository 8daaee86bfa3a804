// Responses of S3 are flat lists of elements. These functions find nothing in anything else.

/** The content of each element with this name. A pattern would take hours for 4 MB of starts without an end. */
export const elements = (xml: string, name: string): string[] =>
  xml
    .split(`<${name}>`)
    .slice(1)
    .flatMap((rest) => {
      const end = rest.indexOf(`</${name}>`)
      return end === -1 ? [] : [rest.slice(0, end)]
    })

/** The text of the first element with this name. */
export const textOf = (xml: string, name: string): string | undefined => {
  const [content] = elements(xml, name)
  return content?.replaceAll(
    /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, word, decimal, hex) => {
      if (word) return words[word as keyof typeof words] ?? whole
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}
const words = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" } as const

export const escapeXml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
