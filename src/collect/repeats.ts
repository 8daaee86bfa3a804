import { challengeField, idempotencyField } from '../forms/control-fields.ts'
import type { Form } from '../forms/ownership.ts'
import { parseSettings } from '../forms/settings.ts'
import { checkKey, createUnderWay } from '../http/idempotency-key.ts'
import { type First, keptResult, nameRequest, type Once, type Repeatable } from '../once/once.ts'
import type { Field } from './fields.ts'

interface Options {
  readonly findFirst: (once: Once) => First | undefined
  readonly now: () => number
}

interface Sent {
  readonly form: Pick<Form, 'id' | 'settings'>
  /** `Idempotency-Key`, if there is one. */
  readonly header: string | undefined
  readonly fields: readonly Field[]
  readonly onRepeat: () => void
}

/** Submissions that are sent again. */
export const openRepeats = ({ findFirst, now }: Options) => {
  const carryOut = createUnderWay()

  return {
    /**
     * Stores a submission, unless the same one was stored before. Returns its identifier.
     *
     * @throws AppError `invalid` if the key is none, or was used for another submission; `unavailable` while the first
     *   one is being stored
     */
    storeOnce(sent: Sent, store: (repeatable?: Repeatable) => Promise<string>): Promise<string> {
      const once = toOnce(sent, now())
      if (!once) return store()
      const repeatable = { once, onRepeat: sent.onRepeat }
      const first = mayRefuse(sent.form) ? keptResult(findFirst(once), repeatable) : undefined
      if (first !== undefined) return Promise.resolve(first)
      // A browser does not try again. It waits in the writer's queue behind the first one.
      return sent.header === undefined ? store(repeatable) : carryOut(once, () => store(repeatable))
    },
  }
}

/**
 * Whether a repeat has to be found before it is stored, because the form might refuse it now: its proof of work was used.
 * To look for all of them took 20 µs, since what was read before the last commit is read again. The command finds the others.
 */
const mayRefuse = ({ settings }: Sent['form']): boolean => {
  const { open, challenge, acceptFiles } = parseSettings(settings)
  return challenge || !open || !acceptFiles
}

/**
 * What tells a submission that is sent again from others; undefined if neither the header nor the field `_idempotency`
 * does.
 *
 * Fields are compared, not bytes, because a browser that sends a form again separates its parts in another way. The proof
 * of work is left out: by then, a browser may have another one. With the field, other content is another submission, and
 * no mistake: a visitor may go back, change the text and send it again.
 */
const toOnce = ({ form, header, fields }: Sent, at: number): Once | undefined => {
  const key = header ?? keyIn(fields)
  if (key === undefined) return undefined
  const isField = header === undefined
  const scope = `form ${form.id} ${isField ? 'field' : 'header'}`
  return nameRequest({ scope, key, content: contentOf(fields), isNamedByContent: isField, at })
}

/** A browser leaves the field empty if it does not run the script that fills it in. */
const keyIn = (fields: readonly Field[]): string | undefined => {
  const json = fields.find(({ name }) => name === idempotencyField)?.json
  if (json === undefined || json === '""') return undefined
  return checkKey(json.startsWith('"') ? JSON.parse(json) : '', idempotencyField)
}

const contentOf = (fields: readonly Field[]): string =>
  fields
    .filter(({ name }) => name !== idempotencyField && name !== challengeField)
    .map(({ name, json }) => `${JSON.stringify(name)}:${json}`)
    .join()
