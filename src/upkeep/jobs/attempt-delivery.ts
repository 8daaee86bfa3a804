import { creationTime } from '../../base/id.ts'
import { formPath, submissionAt, submissionPath } from '../../config/addresses.ts'
import type { Config } from '../../config/config.ts'
import type { MailConfig } from '../../config/mail.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import type { Claimed } from '../../outbox/claim.ts'
import { digestReader } from '../../outbox/digests.ts'
import { deliveryKinds } from '../../outbox/kinds.ts'
import { addressReads } from '../../outbox/known-addresses.ts'
import type { OutboxWrites } from '../../outbox/outbox-writes.ts'
import { type FoundReceiver, receiverOfDelivery } from '../../outbox/receivers.ts'
import { maxAttachedBytes } from '../../sending/mail/attachments.ts'
import { addedMail, digestMail, silenceMail, submissionMail } from '../../sending/mail/messages.ts'
import type { Mail } from '../../sending/mail/parcel.ts'
import { type ListedSubmission, listSubmission, maxListed } from '../../sending/mail/shown-fields.ts'
import { unsubscribeLink } from '../../sending/mail/unsubscribe.ts'
import { fileLink } from '../../sending/webhooks/file-link.ts'
import { webhookMessage } from '../../sending/webhooks/message.ts'
import { openPoster, type Poster } from '../../sending/webhooks/post.ts'
import type { Reader } from '../../storage/reader.ts'
import type { SecretWrites } from '../../storage/secrets/secret-writes.ts'
import { openSigningKey } from '../../storage/secrets/signing-key.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { MailWords } from '../../submissions/confirm/asked.ts'
import { confirmReads } from '../../submissions/confirm/confirm-reads.ts'
import { type FileReads, fileReads, type StoredFile } from '../../submissions/files/file-reads.ts'
import { inboxOf, listOf } from '../../submissions/lists.ts'
import type { StoredSubmission } from '../../submissions/stored-submission.ts'
import { submissionReads } from '../../submissions/submission-reads.ts'
import { firstText, wholeReader } from '../../submissions/whole-text.ts'
import { replyAttempts } from './attempt-reply.ts'
import { type ChooseMailer, openMailers } from './mailers.ts'
import type { Attempted } from './send-deliveries.ts'

interface LoadOptions {
  readonly config: Pick<Config, 'mail' | 'senders' | 'publicUrl' | 'webhookAllowed'>
  readonly reader: Reader
  readonly writer: Pick<Writer<SecretWrites & OutboxWrites>, 'run'>
  readonly now: () => number
}

/** Opens everything that makes and sends messages. It is loaded with the first delivery. */
export const loadAttempts = ({ config, reader, writer, now }: LoadOptions) => {
  const { mail, publicUrl, webhookAllowed } = config
  const signingKey = openSigningKey({ reader, writer })
  const files = fileReads(reader.db)
  const mailers = openMailers(config)
  const sendMail = mail && mailers && mailAttempts({ config: mail, choose: mailers.choose, files, signingKey })
  const answering = openMailers(config)
  const sendReply = mail && answering && replyAttempts({ config: mail, choose: answering.choose, writer, signingKey })
  const post = openPoster({ allowed: webhookAllowed, now })
  const attempt = deliveryAttempts({ reader, files, post, sendMail, sendReply, signingKey, publicUrl, now })
  const close = () => {
    mailers?.close()
    answering?.close()
  }
  return { attempt, close }
}

interface Options {
  readonly reader: Reader
  readonly files: FileReads
  readonly post: Poster
  /** Null if this server sends no mail. */
  readonly sendMail: Send | null
  /** Sends replies. */
  readonly sendReply: Options['sendMail']
  /** See storage/secrets/signing-key.ts. */
  readonly signingKey: () => Promise<Uint8Array>
  /** The beginning of links; null if it is not known. */
  readonly publicUrl: string | null
  readonly now: () => number
}

/** Makes the message of a delivery, and sends it. */
type Send = (delivery: Delivery, signal: AbortSignal) => Promise<Attempted>

/** A claimed delivery with its receiver, its form and its submission as they are now. */
interface Delivery extends FoundReceiver {
  readonly claimed: Claimed
  /** With all its data; undefined if the delivery is about none. */
  readonly submission: StoredSubmission | undefined
  /** What the mail says that asks to confirm its address, as it stood when it was sent. */
  readonly asking?: MailWords | undefined
  readonly files: readonly StoredFile[]
  /** The submissions of a digest, as far as it shows them, and how many there are. */
  readonly digest: Pick<Parameters<typeof digestMail>[0], 'submissions' | 'count'> | undefined
}

/** Makes the message of a claimed delivery as things are now, and sends it. */
export const deliveryAttempts = ({ reader, files, post, sendMail, sendReply, signingKey, publicUrl, now }: Options) => {
  const find = receiverOfDelivery(reader.db)
  const readWhole = wholeReader(reader.db)
  const readDigest = digestedReader(reader)
  const { isStopped } = addressReads(reader.db)
  const { recordOf } = confirmReads(reader.db)

  const postToWebhook = async (delivery: Delivery, signal: AbortSignal): Promise<Attempted> => {
    const { claimed, receiver, form, submission = null } = delivery
    const attemptAt = now()
    const fileUrls = await urlsOf(delivery, attemptAt)
    const { url, ...message } = webhookMessage({
      ...{ id: claimed.id, receiver, form, submission, attemptAt, fileUrls },
      link: publicUrl && `${publicUrl}${submissionPath(form.id, claimed.submission ?? '')}`,
    })
    const { status, error, answer, retryAfterMilliseconds } = await post(url, { ...message, signal })
    if (status === 410)
      return {
        result: 'refused',
        status,
        error,
        answer,
        disabledReason: 'It responded with 410, which means that it is gone for good.',
      }
    return { result: error === null ? 'delivered' : 'later', status, error, answer, retryAfterMilliseconds }
  }

  /** Only files that are the submission's: JSON may name those of someone else. */
  const urlsOf = async ({ form, files }: Delivery, attemptAt: number): Promise<Map<string, string>> => {
    if (publicUrl === null || files.length === 0) return new Map()
    const key = await signingKey()
    return new Map(files.map(({ id }) => [id, fileLink(publicUrl, key, { formId: form.id, fileId: id }, attemptAt)]))
  }

  const senders = {
    webhook: postToWebhook,
    email: sendMail ?? noMail,
    reply: sendReply ?? noMail,
    confirm: sendReply ?? noMail,
  }

  return async (claimed: Claimed, signal: AbortSignal): Promise<Attempted> => {
    const { submission, target, endsAt } = claimed
    const { about: what, to } = deliveryKinds[claimed.kind]
    const found = find(claimed.receiver)
    const isOff = (to === 'reply' || to === 'confirm') && found && parseSettings(found.form.settings)[to] === null
    if (isOff || found?.receiver.isEnabled === false) return switchedOff
    if (target !== null && isStopped(target)) return stopped
    if (endsAt !== null && now() >= endsAt) return tooLate
    const isOfSubmission = what === 'submission'
    const list = found && listOf(found.form, to === 'confirm' ? 'unconfirmed' : 'inbox')
    const about = list && isOfSubmission && ([list, submission ?? ''] as const)
    const stored = about ? readWhole(...about) : undefined
    const digest = found && what === 'submissions' ? await readDigest(found.form, claimed) : undefined
    if (found && to === 'confirm' && !stored) return noLongerHeld
    if (!found || (isOfSubmission && !stored) || digest?.count === 0) return gone
    const asking = to === 'confirm' ? recordOf(found.form, submission ?? '')?.mail : undefined
    const delivery = { claimed, ...found, submission: stored, asking, files: about ? files.list(...about) : [], digest }
    return await senders[to](delivery, signal)
  }
}

/**
 * Reads what a digest is about, as it is now. Of a long submission it reads the beginning, and lets requests through before
 * the next one.
 */
const digestedReader = ({ db }: Reader) => {
  const newest = digestReader(db)
  const { findRow, pieceReader } = submissionReads(db)

  return async (
    { number, settings }: FoundReceiver['form'],
    { id: digest, count }: Claimed,
  ): Promise<NonNullable<Delivery['digest']>> => {
    const inbox = inboxOf(number)
    const ids = newest(digest, maxListed)
    const submissions: ListedSubmission[] = []
    for (const id of ids) {
      const found = findRow(inbox, id)
      if (!found) continue
      const { data } = found
      submissions.push(listSubmission(id, data || firstText(pieceReader(inbox), id).text, settings))
      if (data === '') await Bun.sleep(0)
    }
    // Not those that are spam since it was sent.
    return { submissions, count: submissions.length + Math.max(0, (count ?? 0) - ids.length) }
  }
}

/** The delivery was deleted as well. */
const gone: Attempted = {
  result: 'refused',
  status: null,
  error: 'The submission or the receiver was deleted.',
  answer: '',
}

/** Since it was claimed. The secret of one that was taken away is gone. */
const switchedOff: Attempted = { result: 'refused', status: null, error: 'The receiver was switched off.', answer: '' }

/** The visitor wants no mail, and said so after the delivery was written down. */
const stopped: Attempted = { result: 'skipped', skipReason: 'stopped', status: null, error: null, answer: '' }

/** What it asks to confirm was let in by hand, confirmed or deleted after the delivery was claimed. */
const noLongerHeld: Attempted = { ...stopped, skipReason: 'confirmed' }

/** The server was off. */
const tooLate: Attempted = { result: 'refused', status: null, error: 'It was not sent within 24 hours.', answer: '' }

/** The setting was there when the address was added. */
const noMail: Send = async () => ({
  result: 'later',
  status: null,
  error: 'No mail server is set up: FORMBOX_MAIL_URL and FORMBOX_MAIL_FROM are missing.',
  answer: '',
})

interface MailOptions {
  readonly config: MailConfig
  readonly choose: ChooseMailer
  readonly files: Pick<FileReads, 'bytesOf'>
  /** See storage/secrets/signing-key.ts. */
  readonly signingKey: () => Promise<Uint8Array>
}

/** After as many attempts with attachments, none has any: what hinders them must not keep the mail from arriving. */
const maxAttemptsAttached = 3

/** Makes the mail of a claimed delivery, and hands it to the mail server. */
const mailAttempts = ({ config: { publicUrl }, choose, files, signingKey }: MailOptions): Options['sendMail'] => {
  const toMail = (delivery: Delivery, key: Uint8Array, attached: Attached): Mail => {
    const { claimed, form, receiver, digest } = delivery
    const { id, kind, submission, subject } = claimed
    const data = delivery.submission?.data ?? '{}'
    const formPage = `${publicUrl}${formPath(form.id)}`
    const stop = unsubscribeLink(publicUrl, key, { receiver: receiver.id, address: receiver.target })
    const about = { id, to: receiver.target, form, link: formPage, stop }
    if (kind === 'silence') return silenceMail({ ...about, days: claimed.count ?? 1 })
    if (kind === 'added' || submission === null) return addedMail(about)
    if (digest) {
      const [from, until] = [submission, digest.submissions[0]?.id ?? submission].map(creationTime) as [number, number]
      const zone = parseSettings(form.settings).timeZone
      return digestMail({ ...about, ...digest, from, until, every: receiver.digest, zone })
    }
    const link = submissionAt(formPage, submission)
    const fileIds = delivery.files.map((file) => file.id)
    return submissionMail({ ...about, link, submission: { id: submission, data, subject }, fileIds, ...attached })
  }

  /** The files of a submission as attachments, or why they are none; neither if the form does not want them. */
  const attach = ({ claimed, form, files: sent }: Delivery): Attached => {
    if (sent.length === 0 || !parseSettings(form.settings).attachFiles) return {}
    if (sent.reduce((sum, { size }) => sum + size, 0) > maxAttachedBytes)
      return { notAttached: 'they have more than 7 MiB together' }
    if (claimed.attempts > maxAttemptsAttached)
      return { notAttached: `${maxAttemptsAttached} attempts to send them failed` }
    return { attachments: sent.map((file) => ({ ...file, read: (gone) => files.bytesOf(file, gone) })) }
  }

  return async (delivery, signal) => {
    const chosen = choose(delivery.form)
    if ('waits' in chosen) return chosen.waits
    const { mailer } = chosen
    const key = await signingKey()
    const attached = attach(delivery)
    const sent = await mailer.send(toMail(delivery, key, attached), signal)
    if (sent.result !== 'refused' || !attached.attachments) return sent
    // It may be too large, or hold what the mail server does not take.
    return await mailer.send(toMail(delivery, key, { notAttached: 'the mail server refused them' }), signal)
  }
}

type Attached = Pick<Parameters<typeof submissionMail>[0], 'attachments' | 'notAttached'>
