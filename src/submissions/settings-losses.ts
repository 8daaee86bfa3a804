import type { FormTo } from '../forms/access.ts'
import { parseSettings, type SettingsChanges } from '../forms/settings/settings.ts'
import type { SubmissionStore } from './store.ts'

/** What is lost with a change of a setting: what is older than it is kept from then on, or the text of a field. */
type Loss =
  | { readonly setting: 'retentionDays' | 'spamDays'; readonly days: number; readonly tooOld: number }
  | { readonly setting: 'honeypot'; readonly name: string }

interface Kept {
  readonly form: FormTo<'read'>
  /** The fields that the form has had so far. */
  readonly fieldNames: readonly string[]
  readonly countOlder: SubmissionStore['countOlder']
}

/** What a form loses with these changes of its settings: a door asks before it saves them. */
export const lossesOf = ({ form, fieldNames, countOlder }: Kept, changes: SettingsChanges): readonly Loss[] => {
  const { retentionDays, honeypot, spamDays } = changes
  const before = parseSettings(form.settings)
  const losses: Loss[] = []
  if (typeof retentionDays === 'number' && retentionDays < (before.retentionDays ?? Number.POSITIVE_INFINITY))
    losses.push({
      ...{ setting: 'retentionDays', days: retentionDays },
      tooOld: countOlder(form, 'inbox', retentionDays),
    })
  if (spamDays !== undefined && spamDays < before.spamDays)
    losses.push({ setting: 'spamDays', days: spamDays, tooOld: countOlder(form, 'spam', spamDays) })
  if (honeypot !== undefined && honeypot !== before.honeypot && fieldNames.includes(honeypot))
    losses.push({ setting: 'honeypot', name: honeypot })
  return losses.filter((loss) => loss.setting === 'honeypot' || loss.tooOld > 0)
}
