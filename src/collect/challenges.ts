import { checkSolution, lifetimeMilliseconds, newChallenge, puzzles } from '../challenge/challenge.ts'
import type { SpentChallenge } from '../challenge/challenge-writes.ts'
import { unsolved } from '../errors.ts'
import type { Form } from '../forms/ownership.ts'
import { parseSettings } from '../forms/settings.ts'
import type { SentSubmission } from '../submissions/fields.ts'
import { openDifficulty } from './difficulty.ts'

type Challenged = Pick<Form, 'id' | 'settings'>

interface Options {
  /** See secrets/signing-key.ts. */
  readonly signingKey: () => Promise<Uint8Array>
  readonly now: () => number
}

export type Challenges = ReturnType<typeof openChallenges>

/** The proof of work that a form may ask for. */
export const openChallenges = ({ signingKey, now }: Options) => {
  const bitsFor = openDifficulty(now)

  return {
    /** JSON of a new challenge for a visitor from this address; of null if the form asks for none. */
    async create(form: Challenged, address: string): Promise<string> {
      if (!parseSettings(form.settings).challenge) return '{"challenge":null}'
      const key = await signingKey()
      const bits = bitsFor(address)
      const random = crypto.getRandomValues(Buffer.alloc(16)).toString('base64url')
      const challenge = newChallenge({ key, formId: form.id, bits, random, now: now() })
      return JSON.stringify({ challenge, puzzles, bits, expiresIn: lifetimeMilliseconds / 1000 })
    },

    /**
     * To be called if the form asks for one.
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
