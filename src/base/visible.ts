/**
 * Control characters and those that reorder the text around them (Unicode TR 9 section 2), as visible symbols. Tabs and
 * line breaks stay.
 */
export const visible = (text: string): string =>
  hidden.test(text)
    ? text.replaceAll(new RegExp(hidden, 'gu'), (character) => {
        const code = character.charCodeAt(0)
        if (code < 0x20) return String.fromCharCode(0x2400 + code)
        return code === 0x7f ? '\u2421' : '\ufffd'
      })
    : text

const hidden = /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u
