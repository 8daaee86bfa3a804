import { isIP } from 'node:net'
import { invalid } from '../errors.ts'

/** Whether it is an IP address, without brackets, or a host name. */
export const isHost = (host: string): boolean => isIP(host) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(host)

/** The host of a URL without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * The user or the password in a URL.
 *
 * @param name the setting
 * @throws AppError `invalid` that does not show the text
 */
export const decodeCredential = (name: string, text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid({ field: name, message: 'has a % in the user or the password that is not part of a code; write %25' })
  }
}
