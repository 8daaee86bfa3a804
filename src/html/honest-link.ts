import { visible } from '../base/visible.ts'

/**
 * Whether a web address in a text of someone else leads where it seems to, so that it may be a link: the host as it is typed
 * is the one that a browser opens. `https://bank.example@evil.example` does not, nor does `https://bank.example∕.evil.example`
 * with a character that only looks like a slash, one that no one sees, or a host in another alphabet, which browsers open
 * under its name in ASCII (UTS 46). Nor does one with a backslash, which browsers take for a slash.
 *
 * @param address that begins with `http://` or `https://`
 */
export const isHonestLink = (address: string): boolean => {
  const [, host] = /^https?:\/\/([^/?#]*)/i.exec(address) ?? []
  const url = URL.parse(address)
  // A direction or control character could make the rest look like another address.
  return url !== null && url.host === host?.toLowerCase() && url.username === '' && visible(address) === address
}
