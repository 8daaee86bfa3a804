import { fishingIn } from '../fields/fishing-words.ts'
import type { FormField } from '../fields/form-field.ts'
import { type FormSettings, type PageSettings, parseSettings } from './settings.ts'

/** What asks for a secret on a page. */
interface Fishing {
  /** JSON pointer into the settings. */
  readonly at: string
  readonly words: string
}

/** Finds what asks for a secret on a page with these fields. */
export const fishingInPage = (
  { button }: Pick<PageSettings, 'button'>,
  fields: readonly FormField[],
): Fishing | undefined => {
  const texts = fields.flatMap(({ name, label, help, options = [] }, position) => {
    const at = `/fields/${position}`
    const chosen = options.map((option, place) => [`${at}/options/${place}`, option] as const)
    return [[`${at}/name`, name] as const, [`${at}/label`, label] as const, [`${at}/help`, help] as const, ...chosen]
  })
  for (const [at, text] of [...texts, ['/page/button', button] as const]) {
    const words = text && fishingIn(text)
    if (words) return { at, words }
  }
  return undefined
}

/** Verdicts that are remembered: some 100 bytes each. */
const maxVerdicts = 10_000

// To judge 5,000 options takes 16 to 50 ms, which no visitor may cause again and again: the parsed settings of large forms
// are soon forgotten, so their text is known by its hash. With a seed of this process, no one can make two that are alike.
const seed = crypto.getRandomValues(new BigUint64Array(1))[0]
const verdicts = new Map<bigint, Fishing | null>()
const ofParsed = new WeakMap<FormSettings, Fishing | null>()

/**
 * Finds what asks for a secret on the page of a form, and where the form is shown again. Asked whenever it is drawn: the
 * settings may have been stored by an earlier version that knew fewer words, or by two requests at the same time.
 *
 * @param settings as they are stored
 */
export const fishingInForm = (settings: string | null): Fishing | undefined => {
  if (settings === null) return undefined
  const parsed = parseSettings(settings)
  const known = ofParsed.get(parsed)
  if (known !== undefined) return known ?? undefined
  const hash = Bun.hash.wyhash(settings, seed)
  const remembered = verdicts.get(hash)
  const verdict =
    remembered === undefined ? (fishingInPage(parsed.page ?? { button: null }, parsed.fields) ?? null) : remembered
  if (verdicts.size >= maxVerdicts) verdicts.clear()
  verdicts.set(hash, verdict)
  ofParsed.set(parsed, verdict)
  return verdict ?? undefined
}
