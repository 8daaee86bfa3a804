import { type AppError, invalid } from '../../base/errors.ts'
import { maySend } from '../../config/sender.ts'
import { type DigestTimes, digestTimes } from '../../outbox/digest-times.ts'
import type { Owner } from '../owner.ts'
import { settingOf, settings } from './declared.ts'
import type { FormLimits } from './form-limits.ts'
import { fishingInPage } from './page-secrets.ts'
import {
  type FormSettings,
  type SentSettings,
  type SettingName,
  type SettingsChanges,
  settingNames,
} from './settings.ts'

/**
 * Refuses what this server cannot do, or its operator does not allow.
 *
 * @param stored returns the settings of the form now. What was stored before a limit was lowered may be sent back as it was read.
 * @throws AppError `invalid`
 */
export const refuseBeyondServer = (
  values: SentSettings,
  limits: FormLimits,
  stored: () => FormSettings | undefined,
  owner: () => Owner,
): void => {
  for (const name of settingNames) {
    const value = values[name]
    refuseWithoutMail(name, value, limits)
    const { bound } = settingOf(name)
    if (bound && Number(value ?? 0) > bound.most(limits) && stored()?.[name] !== value)
      throw refused(name, `must be at most ${bound.most(limits)}, which is what this server allows (${bound.variable})`)
  }
  if (values.page !== undefined || values.fields) refusePage(values, limits, stored())
  if (values.sender) refuseSender(values.sender, limits, stored, owner)
}

const refuseSender = (
  name: string,
  { senders }: FormLimits,
  stored: () => FormSettings | undefined,
  owner: () => Owner,
): void => {
  const sender = senders.find((one) => one.name === name)
  if ((sender && maySend(sender, owner().email)) || stored()?.sender === name) return
  throw refused('sender', 'must be null, or a sender that the operator of this server offers to the owner of the form')
}

/** Refuses a page where no command can: the words are of this version, and the operator's wish of this server. */
const refusePage = (values: SentSettings, { formPages }: FormLimits, stored: FormSettings | undefined): void => {
  const page = values.page === undefined ? stored?.page : settings.page.kind.toStored(values.page)
  if (!page) return
  if (!formPages && !Bun.deepEquals(page, stored?.page))
    throw refused('page', 'must be null: this server shows no forms (FORMBOX_FORM_PAGES)')
  const asked = fishingInPage(page, values.fields ?? stored?.fields ?? [])
  if (!asked) return
  const { at, words } = asked
  const message = `must not ask for “${words}”: a page of Formbox asks for no passwords, PINs, codes or numbers of cards, or seed phrases`
  if (at.startsWith('/page')) throw invalid({ field: 'page', message, path: at })
  if (values.fields) throw invalid({ field: 'fields', message, path: at })
  throw refused('page', `is not possible while a field of the form asks for “${words}”`)
}

/**
 * Refuses a value that needs e-mail on a server that sends none.
 *
 * @throws AppError `invalid`
 */
export const refuseWithoutMail = (name: SettingName, value: unknown, { canMail }: FormLimits): void => {
  const { withoutMail } = settingOf(name)
  if (!withoutMail || canMail || !value || (Array.isArray(value) && value.length === 0)) return
  const message = `must be ${withoutMail}: this server sends no email, because FORMBOX_URL, FORMBOX_MAIL_URL and FORMBOX_MAIL_FROM are not set`
  throw refused(name, message)
}

const refused = (name: SettingName, message: string): AppError => invalid({ field: name, message, path: `/${name}` })

/** The settings as they are stored. That each is valid is checked before. */
export const toStoredSettings = (values: SentSettings): SettingsChanges =>
  Object.fromEntries(
    settingNames.map((name) => {
      const value = values[name]
      return [name, value === undefined ? undefined : settingOf(name).kind.toStored(value)]
    }),
  )

/** The time of a change, and when digests are due in a time zone that is set. */
export const timesOf = (
  { timeZone }: SettingsChanges,
  at: number,
): { readonly now: number; readonly digestAt?: DigestTimes } => ({
  now: at,
  ...(timeZone !== undefined && { digestAt: digestTimes(timeZone, at) }),
})
