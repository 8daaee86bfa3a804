import { type AppError, collecting, type Issue, invalid } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import { addressReads } from '../../outbox/known-addresses.ts'
import type { Db } from '../../storage/open.ts'
import { accessIn } from '../access.ts'
import { type Form, formReader } from '../form.ts'
import { type Owner, ownerReader } from '../owner.ts'
import type { FormLimits } from '../settings/form-limits.ts'
import { addressOf, type NotifyEntry } from '../settings/notify-entries.ts'
import { refuseBeyondServer, timesOf, toStoredSettings } from '../settings/sent-settings.ts'
import {
  defaultSettings,
  type FormSettings,
  parseSettings,
  type SettingsChanges,
  settingNames,
} from '../settings/settings.ts'
import type { AppliedForm } from './apply-writes.ts'
import type { DescribedForm } from './described.ts'
import { formStates } from './form-state.ts'
import { planWebhooks } from './plan-webhooks.ts'
import { difference, shown, withoutNull } from './shown-values.ts'

/** The changes to one form. */
export interface Step {
  readonly name: string
  readonly id: string
  readonly kind: 'new' | 'changed' | 'same'
  /** The differences, one per line, in words for the operator: without secrets. */
  readonly differences: readonly string[]
  /** Anything else that the operator should know. */
  readonly remarks: readonly string[]
  readonly applied: AppliedForm
}

interface Options {
  readonly userId: string
  readonly email: string
  readonly mayOwnForms: boolean
  readonly limits: FormLimits
  /** Whether the server connects to an IP address. */
  readonly isReachable: (address: string) => boolean
  /** Unix milliseconds. */
  readonly now: number
}

/**
 * Finds what differs between forms and what a file says of them.
 *
 * @throws AppError `invalid` with everything that is wrong
 */
export const planForms = (db: Db, described: readonly DescribedForm[], options: Options): Step[] => {
  const finder = formFinder(db, options)
  const issues: Issue[] = []
  const steps = described.flatMap((form) => {
    const toIssue = ({ field, message }: Issue): Issue => ({
      field: `forms.${form.name}${field === undefined ? '' : `.${field}`}`,
      message: withoutNull(message),
    })
    return collecting(issues, () => planForm(db, form, finder(form), options), toIssue) ?? []
  })
  if (issues.length > 0) throw invalid(...issues)
  return steps
}

/** Finds the form that is meant; undefined if there is none yet. */
const formFinder = (db: Db, { userId, email }: Options): ((described: DescribedForm) => Form | undefined) => {
  const { findByName } = formStates(db)
  const { mayDo } = accessIn(db)
  const findForm = formReader(db)
  const taken = new Map<string, string>()
  const refused = (message: string): AppError => invalid({ field: 'id', message })

  return ({ name, id }) => {
    const named = id === undefined ? undefined : findForm(id)
    // A form that someone else shares has a name among those of its owner.
    const own = findByName(named?.userId ?? userId, name)
    if (named && !mayDo(userId, named, 'configure')) throw refused(`names a form that ${email} may not change`)
    if (named && own && named.id !== own.id) throw refused(`names another form than ${own.id}, which has this name`)
    if (named && named.name !== null && named.name !== name)
      throw refused(`names the form that files call ${named.name}; without an id, a new form is made`)
    const found = named ?? own
    const other = found && taken.get(found.id)
    if (other !== undefined) throw refused(`names the same form as forms.${other}`)
    if (found) taken.set(found.id, name)
    return found
  }
}

const planForm = (db: Db, described: DescribedForm, found: Form | undefined, options: Options): Step => {
  const { userId, email, mayOwnForms, limits, now } = options
  const { name } = described
  if (!found && !mayOwnForms)
    throw invalid({ message: `${email} may own no forms; formbox user allow ${email} changes that` })
  const id = found?.id ?? newId(now)
  const issues: Issue[] = []
  const webhooks = collecting(issues, () => planWebhooks(db, described.webhooks, found, options))
  const fields = changedFields(described, found)
  const before = found ? parseSettings(found.settings) : defaultSettings
  const { notify: sent, ...stored } = collecting(issues, () => toStoredSettings(described.settings)) ?? {}
  const { notify, stopped } = withoutStopped(db, id, sent, before)
  const owner = () => ownerReader(db)(found ?? { userId })
  const settings = collecting(issues, () => changedSettings({ ...stored, notify }, before, limits, owner)) ?? {}
  if (issues.length > 0) throw invalid(...issues)

  const differences = [
    ...(found && found.name === null ? [`name: ${difference(null, name)}`] : []),
    ...differencesOf(found, fields),
    ...differencesOf(found && before, settings),
    ...(webhooks?.differences ?? []),
  ]
  const unknownId = described.id !== undefined && !found ? ['its id names no form of this server'] : []
  return {
    name,
    id,
    kind: !found ? 'new' : differences.length > 0 ? 'changed' : 'same',
    differences,
    remarks: [...unknownId, ...stopped, ...(webhooks?.remarks ?? [])],
    applied: {
      name,
      id,
      before: found ? formStates(db).stateOf(found) : null,
      fields,
      settings,
      digestAt: timesOf(settings, now).digestAt,
      webhooks: webhooks?.applied ?? [],
    },
  }
}

const changedFields = ({ title, description, returnUrl }: DescribedForm, found: Form | undefined) => {
  const before = found ?? { title: null, description: null, returnUrl: null }
  return {
    ...(title !== before.title && { title }),
    ...(description !== before.description && { description }),
    ...(returnUrl !== before.returnUrl && { returnUrl }),
  }
}

/** Leaves out people who stopped these mails. A person can add them again, but a file that is applied again and again cannot. */
const withoutStopped = (
  db: Db,
  formId: string,
  notify: readonly NotifyEntry[] = [],
  before: FormSettings,
): { readonly notify: readonly NotifyEntry[]; readonly stopped: readonly string[] } => {
  const { isStopped, hasLeft } = addressReads(db)
  const present = before.notify.map((entry) => addressOf(entry).toLowerCase())
  const reasons = notify.map((entry) => {
    const address = addressOf(entry)
    if (present.includes(address.toLowerCase())) return null
    if (isStopped(address)) return `notify: ${address} has stopped all emails of this server, and is left out`
    const left = `notify: ${address} has stopped the emails of this form, and is left out; its page can add it again`
    return hasLeft(formId, address) ? left : null
  })
  return {
    notify: notify.filter((_, position) => reasons[position] === null),
    stopped: reasons.filter((reason) => reason !== null),
  }
}

/** @throws AppError `invalid` if this server refuses one that is to change */
const changedSettings = (
  stored: SettingsChanges,
  before: FormSettings,
  limits: FormLimits,
  owner: () => Owner,
): SettingsChanges => {
  const wanted = settingNames.map((name) => [name, stored[name] === undefined ? defaultSettings[name] : stored[name]])
  const changed = wanted.filter(([name, value]) => !Bun.deepEquals(value, before[name as keyof FormSettings]))
  const changes: SettingsChanges = Object.fromEntries(changed)
  refuseBeyondServer(changes, limits, () => before, owner)
  return changes
}

/** A line for each value that changes. @param before undefined if the form is new */
const differencesOf = (before: object | undefined, changes: object): string[] =>
  Object.entries(changes).map(([name, value]) => {
    const old = (before as Readonly<Record<string, unknown>> | undefined)?.[name]
    return `${name}: ${before ? difference(old, value) : shown(value)}`
  })
