import { type Issue, invalid } from '../../base/errors.ts'
import { isAlwaysThere, isSeen, sendsFiles } from '../fields/form-field.ts'
import { type FormSettings, maxMaxFiles, type SettingsChanges } from './settings.ts'

// What a setting may be by itself is declared in declared.ts. These rules are about settings that must fit each other. They
// are asked by the command that stores a change, because another change may come first. So this file loads no page.

/**
 * Refuses settings that contradict each other.
 *
 * @param settings all of the form, as they would be after the change
 * @param changes what the error names, if there is a choice
 * @throws AppError `invalid` with the first rule that is broken
 */
export const refuseTogether = (settings: FormSettings, changes: SettingsChanges): void => {
  for (const rule of rules) {
    const issue = rule(settings, changes)
    if (issue) throw invalid(issue)
  }
}

/** What is wrong; undefined if the settings fit. */
type Rule = (settings: FormSettings, changes: SettingsChanges) => Issue | undefined

/** A form that closes before it opens would never be open. */
const closesAfterItOpens: Rule = ({ opensAt, closesAt }) => {
  if (opensAt === null || closesAt === null || opensAt < closesAt) return undefined
  return issue('closesAt', `must be later than when the form opens (opensAt), ${opensAt}`)
}

/**
 * A copy of what was sent goes to an address that anyone may have typed. So the sender has to show a proof of work, and
 * to come from a page of the owner.
 */
const copyGoesToTheSender: Rule = ({ reply, challenge, allowedOrigins }, changes) => {
  if (!reply?.copy || (challenge && allowedOrigins.length > 0)) return undefined
  if (changes.reply)
    return issue(
      'reply',
      'must not have a copy unless `challenge` is on and `allowedOrigins` names pages that may send',
      '/reply/copy',
    )
  const field = challenge ? 'allowedOrigins' : 'challenge'
  return issue(field, `must ${challenge ? 'not be empty' : 'be true'} while \`reply\` sends visitors a copy`)
}

/** A submission that fills in the trap is spam, so no visible field may have its name. */
const trapIsNoField: Rule = ({ fields, honeypot }, changes) => {
  const position = fields.findIndex(({ name }) => name === honeypot)
  if (position === -1) return undefined
  if (!changes.fields) return issue('honeypot', 'must not be the name of one of the fields')
  return issue('fields', `must not have a field with the name of the trap, ${honeypot}`, `/fields/${position}/name`)
}

/** No submission could have files that must be there and that the form does not take. */
const requiredFilesAreTaken: Rule = ({ acceptFiles, maxFiles, fields }, changes) => {
  const required = [...fields.entries()].filter(([, field]) => isAlwaysThere(field) && sendsFiles(field.type))
  const most = acceptFiles ? (maxFiles ?? maxMaxFiles) : 0
  const tooMany = required[most]
  if (tooMany === undefined) return undefined
  const [position, { name }] = tooMany
  if (changes.fields) {
    const message = acceptFiles
      ? `must not have more required files than a submission may have: ${most}`
      : 'must not have a required file while none is accepted (`acceptFiles` is false)'
    return issue('fields', message, `/fields/${position}/required`)
  }
  if (acceptFiles) return issue('maxFiles', `must be at least ${required.length}, because so many files are required`)
  return issue('acceptFiles', `must be true while the field ${name} for a file is required`)
}

/** A page without an input would be of no use to visitors. */
const pageHasInput: Rule = ({ page, fields }, changes) => {
  if (page === null || fields.some(({ type }) => isSeen(type))) return undefined
  return changes.fields
    ? issue('fields', 'must have a field that is not hidden while the form has a page')
    : issue('page', 'needs a field that is not hidden')
}

/** A page that may be framed needs the origins that may frame it. */
const framesAreKnown: Rule = ({ page, allowedOrigins }, changes) => {
  if (!page?.frame || allowedOrigins.length > 0) return undefined
  if (!changes.page) return issue('allowedOrigins', 'must not be empty while the page may be framed')
  return issue('page', 'must not be framed while every page may send: list the allowed origins first', '/page/frame')
}

/** Only an address that must be there, and is one, can get the mail. */
const addressIsAsked: Rule = ({ confirm, fields }, changes) => {
  if (!confirm || fields.some((one) => one.name === confirm.field && one.type === 'email' && isAlwaysThere(one)))
    return undefined
  return changes.confirm || !changes.fields
    ? issue('confirm', 'must name a required field of the type `email` in `fields`', '/confirm/field')
    : issue(
        'fields',
        `must have the required field ${confirm.field} of the type \`email\`, whose address \`confirm\` uses`,
      )
}

/** In the order in which they are asked: a client gets one error, and machines of a cluster must agree which. */
const rules: readonly Rule[] = [
  closesAfterItOpens,
  copyGoesToTheSender,
  trapIsNoField,
  requiredFilesAreTaken,
  pageHasInput,
  framesAreKnown,
  addressIsAsked,
]

const issue = (field: keyof FormSettings, message: string, path = `/${field}`): Issue => ({ field, message, path })
