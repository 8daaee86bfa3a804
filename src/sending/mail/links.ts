/**
 * A text with a space after each character that belongs to an address. Mail programs make links of `https://` and of
 * `example.com` alike, some also of look-alikes of the full stop. None of them takes a space for a part of a link, while
 * an invisible character is often ignored, by the program or by the browser that it opens.
 */
export const withoutLinks = (text: string): string =>
  text.replaceAll(/([.:/\\@\u2024\u3002\uff0e\uff61\uff1a\uff0f\uff20])(?![\s.:/])/g, '$1 ')

/**
 * Whether some mail program may make a link of a part of the text: an address of a page or of a person, a name of a host
 * (a full stop before two letters or digits, of which one is a letter), an IP address, or what follows a scheme. It is
 * looked at as browsers write it, which know other full stops, and wide letters.
 */
export const hasLink = (text: string): boolean => links.test(asBrowsersWrite(text))

/**
 * Normalises the text. Marks after the eighth in a row, which no language has, are left out: sorting many takes the
 * square of their number.
 */
export const asBrowsersWrite = (text: string): string =>
  text
    .replace(/([\p{M}\uff9e\uff9f]{8})[\p{M}\uff9e\uff9f]+/gu, '$1')
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll('\u3002', '.')

// A scheme is looked for from its colon: from each letter on, it took the square of the length.
const links =
  /@|www\.|\/\/|\\\\|\.(?=[\p{L}\p{M}\p{N}-]*\p{L})[\p{L}\p{M}\p{N}-]{2}|\d\.\d+\.\d+\.\d|:(?=\S)(?<=(?<![\p{L}\p{N}])[a-z][a-z\d+.-]*:)/iu
