import { minuteMilliseconds } from '../base/durations.ts'
import { sha256 } from '../base/hash.ts'
import { lazily } from '../base/lazily.ts'
import { newToken } from '../base/token.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import script from '../html/challenge.js' with { type: 'text' }
import { isUnchanged } from '../http/headers.ts'
import { createRateLimiter } from '../http/rate-limit.ts'
import { languages, loadTexts } from '../languages/languages.ts'
import type { SentSubmission } from '../submissions/fields.ts'
import { checkSolution, lifetimeMilliseconds, newChallenge, puzzles } from '../submissions/spam/challenge.ts'
import { type SpentChallenge, unsolved } from '../submissions/spam/challenge-writes.ts'

type Challenged = Pick<Form, 'id' | 'settings'>

interface Options {
  /** See storage/secrets/signing-key.ts. */
  readonly signingKey: () => Promise<Uint8Array>
  readonly now: () => number
}

/** The proof of work that a form may ask for. */
export const openChallenges = ({ signingKey, now }: Options) => {
  const bitsFor = openDifficulty(now)

  return {
    /** JSON of a new challenge for a visitor from this address, or of null if the form asks for none. */
    async create(form: Challenged, address: string): Promise<string> {
      if (!parseSettings(form.settings).challenge) return '{"challenge":null}'
      const key = await signingKey()
      const bits = bitsFor(address)
      const random = newToken(16)
      const challenge = newChallenge({ key, formId: form.id, bits, random, now: now() })
      return JSON.stringify({ challenge, puzzles, bits, expiresIn: lifetimeMilliseconds / 1000 })
    },

    /**
     * Checks the solution in a submission to a form that asks for one.
     *
     * @throws AppError `unsolved`
     */
    async check(form: Pick<Form, 'id'>, { control }: SentSubmission): Promise<SpentChallenge> {
      const { challenge } = control
      if (challenge === undefined) throw unsolved('must be there: this form asks for a proof of work')
      return checkSolution(challenge, { key: await signingKey(), formId: form.id, now: now() })
    },
  }
}

/** About 66,000 hashes for the 32 puzzles of a challenge (docs/spam.md says how long that takes). */
export const easiestBits = 11
export const hardestBits = easiestBits + 4

const windowMilliseconds = 10 * minuteMilliseconds
/** Challenges in a window before the next ones are harder. */
const freeChallenges = 20

/**
 * Difficulty of the next challenge for an address. One that asks for more than 20 in ten minutes, as only robots and large
 * offices do, has twice the work with each doubling, up to 16 times. No one is refused. Memory is bounded as for the
 * rate limits.
 */
export const openDifficulty = (now: () => number): ((address: string) => number) => {
  // Counts, and refuses no one.
  const counter = createRateLimiter(Number.MAX_SAFE_INTEGER, now, windowMilliseconds)
  return (address) => {
    const { limit, remaining } = counter.take(address)
    const doublings = Math.ceil(Math.log2((limit - remaining) / freeChallenges))
    return Math.min(easiestBits + Math.max(0, doublings), hardestBits)
  }
}

/** With the sentences of all languages: pages of other sites may be in any. */
const openScript = lazily(async () => {
  const sentences = await Promise.all(
    languages.map(async (language) => {
      const { wait, failed } = (await loadTexts(language)).challenge
      return [language, { wait, failed: failed('HOST') }] as const
    }),
  )
  const text = script
    // The comments inside are for readers of the source: a sixth of what visitors would load.
    .replaceAll(/^ +(?:\/\/|\/\*\*) .*\n/gm, '')
    .replace("'SENTENCES'", () => JSON.stringify(Object.fromEntries(sentences)))
  return { body: new Blob([text]), etag: `"${sha256(text, 'hex').slice(0, 16)}"` }
})

/**
 * The script that solves challenges. Pages of other sites load it, and their authors copied its address long ago, so the
 * address stays the same, and browsers ask once a day whether the script is still the same.
 */
export const challengeScript = async (request: Request): Promise<Response> => {
  const { body, etag } = await openScript()
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=86400',
    'cross-origin-resource-policy': 'cross-origin',
    etag,
  }
  if (isUnchanged(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
  return new Response(body, { headers: { ...headers, 'content-length': String(body.size) } })
}
