import { domainToASCII } from 'node:url'

/**
 * The e-mail address as mail servers take it, or null if it is not one. A domain with other than ASCII letters gets its
 * ASCII form (RFC 5890). Other letters before the `@` are refused: only servers with SMTPUTF8 (RFC 6531) would take
 * them. So are quoted names and addresses in brackets, which hardly anybody has, and `=?`, with which an encoded word
 * begins (RFC 2047): many programs would show such an address as another one.
 */
export const toMailAddress = (text: string): string | null => {
  const at = text.lastIndexOf('@')
  const name = text.slice(0, Math.max(at, 0))
  const domain = text.slice(at + 1)
  if (text.length > 1000 || name.length > 64 || !isName.test(name) || name.includes('=?') || /[\s\p{C}]/u.test(domain))
    return null
  const address = `${name}@${domainToASCII(domain)}`
  return address.length <= 254 && isDomain.test(address.slice(name.length + 1)) ? address : null
}

/**
 * The address as it is stored, of one that `toMailAddress` takes: without letters other than ASCII, in which one domain can
 * be written in any number of ways.
 */
export const toStoredAddress = (text: string): string => {
  const address = toMailAddress(text) ?? text
  return address.toLowerCase() === text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) ? text : address
}

// `Dot-string` and `Domain` of RFC 5321 section 4.1.2. No label is tried twice, however long the text is.
const isName = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const isDomain = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
