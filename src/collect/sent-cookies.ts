import { dayMilliseconds } from '../base/durations.ts'
import { sha256 } from '../base/hash.ts'
import { confirmPath } from '../config/addresses.ts'
import { defineCookie } from '../http/cookies.ts'

/** How many of its submissions a browser keeps: all together must fit into the headers of a request. */
const slots = 16

/**
 * The cookies by which a browser shows that it sent a form itself: then a click on the link in the mail is enough. Each is
 * for one submission, and is sent to the pages of such links alone.
 */
export const sentCookies = (publicUrl: string | null) => {
  const cookies = Array.from({ length: slots }, (_, slot) =>
    defineCookie({
      name: `formbox_sent${slot}`,
      shape: /^[\w-]{22}$/,
      lifetimeSeconds: 0,
      path: confirmPath(''),
      publicUrl,
    }),
  )
  let next = 0

  return {
    /** @param days how long the submission waits */
    set(request: Request, token: string, days: number): string {
      const cookie = cookies[next++ % slots] as (typeof cookies)[number]
      return cookie.set(request, token, (days * dayMilliseconds) / 1000)
    },

    /** The hashes of all that a browser has. */
    hashesIn: (request: Request): readonly string[] =>
      request.headers.has('cookie')
        ? cookies.flatMap((cookie) => {
            const token = cookie.read(request)
            return token === undefined ? [] : [sha256(token, 'hex')]
          })
        : [],
  }
}
