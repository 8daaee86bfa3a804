import { limitedFields } from '../forms/fields/limited-fields.ts'
import type { Form } from '../forms/form.ts'
import { type Closing, mayClose, refuseIfClosed } from '../forms/settings/opening.ts'
import { type FormSettings, parseSettings } from '../forms/settings/settings.ts'
import { fullPlaces, RefusedFields, refuseWrongFields, repeatedValues } from './check-fields.ts'
import { refuseFiles, type SentSubmission } from './fields.ts'
import type { SpentChallenge } from './spam/challenge-writes.ts'
import type { SubmissionStore } from './store.ts'

type Accepting = Pick<Form, 'id'> & Closing

/**
 * All that may refuse a submission or hold it back, in the order in which it is asked; docs/spam.md has the same
 * list. Before this asks, the door looks for a repeat; what fills in the trap is not asked for its fields; and the store
 * judges spam (spam/judge.ts) and asks for a confirmation (confirm/asked.ts). The command asks again for what others may have changed meanwhile.
 */
export const acceptanceOrder = [
  'repeat',
  'closed',
  'trap',
  'fields',
  'once',
  'places',
  'proof of work',
  'spam',
  'confirmation',
] as const

/** A reason for which a form may refuse a submission before the command. */
interface Rule {
  /** Whether a form with these settings refuses any submission for it. */
  readonly applies: (settings: FormSettings) => boolean
  /** @throws AppError */
  readonly check: (
    form: Accepting,
    sent: SentSubmission,
    settings: FormSettings,
  ) => SpentChallenge | undefined | Promise<SpentChallenge | undefined>
}

interface Options {
  readonly now: () => number
  /** Absent where the sender is signed in, who need not prove more. @throws AppError `unsolved` */
  readonly checkChallenge?: Rule['check']
  readonly submissions: Pick<SubmissionStore, 'fullAmong' | 'refusedAgain'>
}

/** All rules of a form for its submissions, in one list. If one might refuse a repeat, the first one is looked for. */
export const openAcceptance = ({ now, checkChallenge = () => undefined, submissions }: Options) => {
  const rules: Readonly<Partial<Record<(typeof acceptanceOrder)[number], Rule>>> = {
    closed: {
      applies: mayClose,
      check(form) {
        refuseIfClosed(form, now())
        return undefined
      },
    },
    fields: {
      applies: (settings) => limitsFiles(settings) || settings.fields.length > 0,
      check(_, sent, settings) {
        if (limitsFiles(settings)) refuseFiles(sent, settings)
        refuseWrongFields(sent, settings)
        return undefined
      },
    },
    // The command decides about these two. Asked here, what is refused spends no proof of work. What is to be held is asked for
    // all that follows: otherwise its sender learns that someone has sent the same.
    once: {
      applies: ({ challenge, fields }) => challenge && (limitedFields(fields)?.once.size ?? 0) > 0,
      async check(form, sent, { fields }) {
        const names = sent.control.isTrapFilled ? [] : await submissions.refusedAgain(form.id, sent.fields)
        if (names.length > 0) throw new RefusedFields(repeatedValues(fields, names), sent)
        return undefined
      },
    },
    places: {
      applies: ({ challenge, fields }) => challenge && (limitedFields(fields)?.places.size ?? 0) > 0,
      check(form, sent, { fields }) {
        const full = sent.control.isTrapFilled ? [] : submissions.fullAmong(form.id, sent.fields)
        if (full.length > 0) throw new RefusedFields(fullPlaces(sent.fields, fields, full), sent)
        return undefined
      },
    },
    // What is refused above spends no proof of work.
    'proof of work': { applies: ({ challenge }) => challenge, check: checkChallenge },
  }
  const inOrder = acceptanceOrder.flatMap((name) => rules[name] ?? [])

  return {
    mayRefuse({ settings }: Pick<Form, 'settings'>): boolean {
      const parsed = parseSettings(settings)
      for (const { applies } of inOrder) if (applies(parsed)) return true
      return false
    },

    /**
     * Returns the solved challenge, if the form asks for one.
     *
     * @throws AppError `closed`, `invalid` for a file or a field, `unsolved`
     */
    async check(form: Accepting, sent: SentSubmission): Promise<SpentChallenge | undefined> {
      const settings = parseSettings(form.settings)
      let solved: SpentChallenge | undefined
      for (const rule of inOrder)
        if (rule.applies(settings)) solved = (await rule.check(form, sent, settings)) ?? solved
      return solved
    },
  }
}

const limitsFiles = ({ acceptFiles, fileTypes, maxFiles, maxFileBytes }: FormSettings): boolean =>
  !acceptFiles || fileTypes.length > 0 || maxFiles !== null || maxFileBytes !== null
