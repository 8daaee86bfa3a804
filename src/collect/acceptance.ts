import type { SpentChallenge } from '../challenge/challenge-writes.ts'
import { formClosed } from '../errors.ts'
import type { Form } from '../forms/ownership.ts'
import { type FormSettings, parseSettings } from '../forms/settings.ts'
import { refuseFiles, type SentSubmission } from '../submissions/fields.ts'
import type { Challenges } from './challenges.ts'

type Asked = Pick<Form, 'id' | 'settings'>

/** A reason for which a form may refuse a submission. */
interface Rule {
  /** Whether a form with these settings refuses any submission for it. */
  readonly applies: (settings: FormSettings) => boolean
  /** @throws AppError */
  readonly check: (form: Asked, sent: SentSubmission) => SpentChallenge | undefined | Promise<SpentChallenge>
}

/** All rules of a form for what it is sent, in one list: a repeat is looked for where one of them might refuse it. */
export const openAcceptance = (challenges: Challenges) => {
  const rules: readonly Rule[] = [
    {
      applies: ({ open }) => !open,
      check() {
        throw formClosed()
      },
    },
    {
      applies: ({ acceptFiles }) => !acceptFiles,
      check(_, sent) {
        refuseFiles(sent)
        return undefined
      },
    },
    { applies: ({ challenge }) => challenge, check: challenges.check },
  ]

  return {
    mayRefuse({ settings }: Asked): boolean {
      const parsed = parseSettings(settings)
      return rules.some(({ applies }) => applies(parsed))
    },

    /**
     * Returns the solved challenge, if the form asks for one.
     *
     * @throws AppError `closed`, `invalid` for a file, `unsolved`
     */
    async check(form: Asked, sent: SentSubmission): Promise<SpentChallenge | undefined> {
      const settings = parseSettings(form.settings)
      let solved: SpentChallenge | undefined
      for (const rule of rules) if (rule.applies(settings)) solved = (await rule.check(form, sent)) ?? solved
      return solved
    },
  }
}
