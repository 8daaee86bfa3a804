import { domainToASCII } from 'node:url'

/**
 * The e-mail address as mail servers take it, or null if it is not one. A domain with other than ASCII letters gets its
 * ASCII form (RFC 5890). Other letters before the `@` are refused: only servers with SMTPUTF8 (RFC 6531) would take
 * them. So are quoted names and addresses in brackets, which hardly anyone has, and `=?`, with which an encoded word
 * begins (RFC 2047): many programs would show such an address as another one.
 *
 * It depends on the runtime's tables of Unicode, so no command may call it: its result is an input.
 */
export const toMailAddress = (text: string): string | null => {
  const at = text.lastIndexOf('@')
  const name = text.slice(0, Math.max(at, 0))
  const domain = text.slice(at + 1)
  if (text.length > 1000 || name.length > 64 || !isName.test(name) || name.includes('=?')) return null
  // Most are in their ASCII form, which takes ten times as long to find out.
  const isAscii = isPlainDomain.test(domain) && !domain.includes('--')
  if (!isAscii && /[\s\p{C}]/u.test(domain)) return null
  const address = isAscii ? text : `${name}@${domainToASCII(domain)}`
  return address.length <= 254 && isDomain.test(address.slice(name.length + 1)) ? address : null
}

/**
 * The address as it is stored, of one that `toMailAddress` takes: without letters other than ASCII, in which one domain can
 * be written in any number of ways.
 */
export const toStoredAddress = (text: string): string => {
  const address = toMailAddress(text) ?? text
  return address.toLowerCase() === inLowerAscii(text) ? text : address
}

/** Folds only ASCII letters: otherwise, two letters would become one, such as the Kelvin sign and `k`. */
export const inLowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/**
 * The address to which a reply can be sent, or null. A name without a full stop, an IP address or a domain of local
 * networks may be a machine in the operator's network. Some relays take `ada%example.org@…` and `example.org!ada@…` for
 * addresses of `example.org`, so one person would have any number of spellings. Programs own some mailboxes: they would
 * reply to the reply, or tell an administrator of it.
 */
export const toAnswerableAddress = (text: string): string | null => {
  const address = toMailAddress(text.trim())
  if (address === null || !/\.[a-z][a-z0-9-]*[a-z0-9]$/.test(address) || ofNobody.test(address)) return null
  const [name = ''] = splitPerson(address)
  if (/[%!]/.test(name)) return null
  return ofPrograms.includes(name.replaceAll(/[._-]/g, '')) ? null : address
}

/** RFC 2606, 6761, 6762, 7686 and 8375, and what local networks are called by custom (RFC 6762 appendix G). */
const ofNobody =
  /\.(?:test|invalid|localhost|localdomain|local|internal|intranet|private|lan|home|corp|home\.arpa|onion)$/

const ofPrograms = ['mailerdaemon', 'postmaster', 'noreply', 'donotreply']

/**
 * The person behind an address, as an address: in lower case, and without what can be added to it at will, which is a tag
 * (`ada+shop@…`), and at Gmail full stops. It is only for counting. A server that knows no tags may have two people there.
 *
 * @param address as `toMailAddress` returns it
 */
export const toPerson = (address: string): string => splitPerson(address).join('@')

const splitPerson = (address: string): [name: string, domain: string] => {
  const lower = address.toLowerCase()
  const at = lower.lastIndexOf('@')
  const [name = ''] = /^.[^+]*/.exec(lower.slice(0, at)) ?? []
  const domain = lower.slice(at + 1)
  return /^g(oogle)?mail\.com$/.test(domain) ? [name.replaceAll('.', ''), 'gmail.com'] : [name, domain]
}

// `Dot-string` and `Domain` of RFC 5321 section 4.1.2. No label is tried twice, however long the text is.
const isName = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
/** Not what a parser of hosts takes for a number, or for a name in Punycode. */
const isPlainDomain = /^(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*$/
const isDomain = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
