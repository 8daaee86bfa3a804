import { creationTime } from '../../base/id.ts'
import { toMailAddress } from '../../base/mail-address.ts'
import { shownLine } from '../../base/short-text.ts'
import { clocksIn } from '../../base/time-zone.ts'
import { serverUrl, submissionAt } from '../../config/addresses.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import { clock, days, longDay, withCommas } from '../../html/format.ts'
import { type DigestPeriod, digestPeriods } from '../../outbox/digest-times.ts'
import { asRead } from '../../submissions/sent-as-read.ts'
import { fieldsIn } from '../../submissions/sent-fields.ts'
import { visitorsAddress } from '../../submissions/visitors-address.ts'
import type { Attachment } from './attachments.ts'
import { headlineOf, toFromName } from './headline.ts'
import { type Letter, toParts } from './letter.ts'
import { withoutLinks } from './links.ts'
import type { Mail } from './parcel.ts'
import { type ListedSubmission, showFields, showSubmission } from './shown-fields.ts'
import { unsubscribeHeaders } from './unsubscribe.ts'

/** A mail about a form. */
interface About {
  /** Identifies the mail, the same for each attempt. */
  readonly id: string
  readonly to: string
  readonly form: { readonly id: string; readonly title: string; readonly settings?: string | null }
  /** Address of the page that the mail leads to: of the submission, or of the form. */
  readonly link: string
  /** The result of `unsubscribeLink`. */
  readonly stop: string
}

interface OfSubmission extends About {
  /** `data` is the text of a JSON object, `subject` what the visitor sent as the subject, if any. */
  readonly submission: { readonly id: string; readonly data: string; readonly subject: string | null }
  /** Identifiers of its files, which are links then. */
  readonly fileIds?: readonly string[]
  readonly attachments?: readonly Attachment[]
  /** Why the files are not attached: what follows "because". */
  readonly notAttached?: string
}

/** Makes the mail about one submission. Replies go to the visitor, if there is a valid address in the fields. */
export const submissionMail = (mail: OfSubmission): Mail => {
  const { form, submission, link, fileIds = [], attachments, notAttached } = mail
  const fields = fieldsIn(submission.data)
  const settings = form.settings ?? null
  const title = shownLine(form.title)
  const replyTo = visitorsAddress(fields, settings)
  const zone = parseSettings(settings).timeZone
  const sent = `Sent on ${inZone(zone, creationTime(submission.id))} ${named(zone)}.`
  const { subject, fromName } = headlineOf({ ...form, settings, fields, subject: submission.subject })
  const letter = about(mail, replyTo, {
    subject,
    title,
    lines: [
      replyTo === null ? sent : `${sent} Reply to this email to write to ${replyTo}.`,
      ...(notAttached === undefined ? [] : [`The files are not attached, because ${notAttached}.`]),
    ],
    fields: showFields(asRead(fields, settings), link, fileIds),
    button: { label: 'Open the submission', url: link },
    footer: [footerOf(link, settings)],
  })
  return { ...letter, fromName, ...(attachments && { attachments }) }
}

const footerOf = (link: string, settings: string | null): string =>
  `You get emails about this form because your address is in its settings on ${ownHost(link)}${sentAs(settings)}.`

/** Names the operator's sender, whose address says nothing of the server. */
const sentAs = (settings: string | null): string => {
  const { sender } = parseSettings(settings)
  return sender === null ? '' : `, which sends them as “${sender}”`
}

interface Digest extends About {
  /** Unix time in milliseconds of the first submission and of the last one, and how many there are. */
  readonly from: number
  readonly until: number
  readonly count: number
  /** The newest of them, newest first. */
  readonly submissions: readonly ListedSubmission[]
  /** How often the address gets one; null for one about what came after the most mails an hour. */
  readonly every: DigestPeriod | null
  /** The time zone of the form. */
  readonly zone: string
}

/** Makes the mail about several submissions. */
export const digestMail = (mail: Digest): Mail => {
  const { form, link, from, until, submissions, every, zone } = mail
  const title = shownLine(form.title)
  const many = `${withCommas(mail.count)}${every === null ? ' more' : ''} ${mail.count === 1 ? 'submission' : 'submissions'}`
  const local = (at: number): string => inZone(zone, at)
  const last = local(until)
  const isOneDay = longDay(clocksIn(zone, from)) === longDay(clocksIn(zone, until))
  const times = `from ${local(from)} to ${isOneDay ? last.slice(-'00:00'.length) : last}`
  const more = mail.count - submissions.length
  const letter = about(mail, null, {
    subject: `${many}: ${title}`,
    title,
    lines: [
      `${many}, ${from === until ? `sent on ${last}` : times} ${named(zone)}.`,
      ...(every !== null
        ? []
        : ['You get at most 60 emails an hour about single submissions. One email for each form lists the others.']),
    ],
    fields: {
      shown: submissions.map((one) => showSubmission(one, local(creationTime(one.id)), submissionAt(link, one.id))),
      rest:
        more > 0 ? { label: `${withCommas(more)} more ${more === 1 ? 'submission' : 'submissions'}`, url: link } : null,
    },
    button: { label: 'Open the form', url: link },
    footer: [
      every === null
        ? footerOf(link, form.settings ?? null)
        : `You get one email ${digestPeriods[every].inMail} in the time zone ${zone}, because your address is in the settings of this form on ${ownHost(link)}${sentAs(form.settings ?? null)}.`,
    ],
  })
  return { ...letter, fromName: toFromName(form.title) }
}

/** Makes the mail that an address gets, once, when it was added to a form's settings. */
export const addedMail = (mail: About): Mail => {
  const title = shownLine(withoutLinks(mail.form.title), maxStrangersTitle)
  const host = ownHost(mail.link)
  return about(mail, null, {
    subject: `You will get emails about ${title}`,
    title,
    lines: [
      `Your address, ${shownLine(mail.to, 254)}, was added to the settings of this form on ${host}.`,
      'From now on, you will get an email whenever someone submits the form. If you do not want these emails, stop them below, for this form or ' +
        `for all forms on ${host}.`,
    ],
    button: null,
    footer: [`Someone with an account on ${host} added you.`],
  })
}

/** Makes the mail that shows whether the mails of a form arrive at an address. */
export const receiverTestMail = (mail: About): Mail => {
  const title = shownLine(withoutLinks(mail.form.title), maxStrangersTitle)
  return about(mail, null, {
    subject: `Test: ${title}`,
    title,
    lines: ['This is a test. What people send by this form will arrive here as well.'],
    button: { label: 'Open the form', url: mail.link },
    footer: [footerOf(mail.link, mail.form.settings ?? null)],
  })
}

/** Makes the mail that an address gets when nothing has come for the days that the form's settings say. */
export const silenceMail = (mail: About & { readonly days: number }): Mail => {
  const { form, link } = mail
  const title = shownLine(form.title)
  const silence = days(mail.days)
  const letter = about(mail, null, {
    subject: `Nothing for ${silence}: ${title}`,
    title,
    lines: [
      `No one has sent this form for ${silence}, although submissions came before.`,
      'If that surprises you, fill it in on your page yourself, and see whether it arrives. The page may have changed, or the address that it sends to.',
      'You get no second email about this before another submission has come.',
    ],
    button: { label: 'Open the form', url: link },
    footer: [footerOf(link, form.settings ?? null)],
  })
  return { ...letter, fromName: toFromName(form.title) }
}

interface InvitingMail extends About {
  /** Address of the user who invites. */
  readonly by: string
}

/** Makes the mail that invites someone to a form. */
export const invitationMail = (mail: InvitingMail): Mail => {
  const title = shownLine(withoutLinks(mail.form.title), maxStrangersTitle)
  const host = ownHost(mail.link)
  return about(mail, null, {
    subject: `You are invited to ${title}`,
    title,
    lines: [
      `${shownLine(mail.by, 254)} shares this form on ${host} with you, so that you can read what people send.`,
      `The link below is for your address, ${shownLine(mail.to, 254)}. It works once, within seven days.`,
    ],
    button: { label: 'Accept the invitation', url: mail.link },
    footer: [
      `If you do not know who that is, ignore this email: no one gets your address, and you get no emails about the form.`,
    ],
  })
}

interface AboutAccount {
  readonly id: string
  readonly to: string
  /** The address of the account. */
  readonly email: string
  /** The address at which this server is reached. */
  readonly publicUrl: string
  /** The result of `unsubscribeLink`. */
  readonly stop: string
}

/** Makes the mail whose link shows that an address is that of its user. @param mail.link leads to the page that asks */
export const proofMail = ({ email, link, ...mail }: AboutAccount & { readonly link: string }): Mail => {
  const host = ownHost(mail.publicUrl)
  const who = `Someone who is signed in on ${host} as ${shownLine(email, 254)}`
  return ofAccount(mail, {
    subject: `Is this your address? ${host}`,
    title: 'Confirm your address',
    lines: [
      toMailAddress(email) === mail.to
        ? `${who} says that this address is theirs.`
        : `${who} wants to use this address, ${shownLine(mail.to, 254)}, in place of that one.`,
      'If that was you, open the link in the browser in which you are signed in. It works for 24 hours.',
    ],
    button: { label: 'Confirm the address', url: link },
    footer: ['If it was not you, ignore this email: nothing changes.'],
  })
}

/** Makes the mail to the address that an account had until now. */
export const formerAddressMail = ({ email, ...mail }: AboutAccount): Mail => {
  const host = ownHost(mail.publicUrl)
  return ofAccount(mail, {
    subject: `Your account on ${host} has another address`,
    title: 'Your account has another address',
    lines: [
      `Someone who is signed in on ${host} has changed the address of the account ${shownLine(email, 254)}. Sign in with the new one from now on.`,
      'If that was not you, tell the person who runs this server at once.',
    ],
    button: null,
    footer: ['You get this email once, because it was the address of your account.'],
  })
}

/** Anyone who can create a form may send its title to any address. */
const maxStrangersTitle = 60

interface Test {
  readonly id: string
  readonly to: string
  readonly publicUrl: string
  /** Unix time in milliseconds. */
  readonly now: number
}

/** Shows that mail arrives. */
export const testMail = ({ id, to, publicUrl, now }: Test): Mail => ({
  to,
  replyTo: null,
  messageId: id,
  headers: {},
  ...toParts({
    subject: `Test email from ${ownHost(publicUrl)}`,
    title: 'Formbox can send email',
    lines: [`Sent on ${inZone('UTC', now)} UTC as a test.`],
    button: { label: 'Open Formbox', url: serverUrl(publicUrl) },
    footer: [],
    stop: null,
  }),
})

const about = ({ id, to, form, link, stop }: About, replyTo: string | null, letter: Omit<Letter, 'stop'>): Mail => ({
  to,
  replyTo,
  messageId: id,
  headers: { ...unsubscribeHeaders(stop), ...listHeader(form.id, link) },
  ...toParts({ ...letter, stop: { label: 'Stop these emails', url: stop } }),
})

const ofAccount = ({ id, to, stop }: Omit<AboutAccount, 'email'>, letter: Omit<Letter, 'stop'>): Mail => ({
  to,
  replyTo: null,
  messageId: id,
  headers: unsubscribeHeaders(stop),
  ...toParts({ ...letter, stop: { label: 'Stop all emails of this server', url: stop } }),
})

/** RFC 2919: filters of mail programs recognise all mails of a form by it. An IPv6 address would not be valid there. */
const listHeader = (formId: string, link: string): Record<string, string> => {
  const { hostname } = new URL(link)
  return hostname.startsWith('[') ? {} : { 'List-ID': `<${formId}.${hostname}>` }
}

const inZone = (zone: string, at: number): string => {
  const clocks = clocksIn(zone, at)
  return `${longDay(clocks)}, ${clock(clocks)}`
}

const named = (zone: string): string => (zone === 'UTC' ? zone : `(${zone})`)

const ownHost = (url: string): string => new URL(url).host
