import type { MailConfig } from '../config/mail-settings.ts'
import { creationTime } from '../id.ts'
import type { Mail, Mailer } from '../mail/mailer.ts'
import { addedMail, digestMail, submissionMail } from '../mail/messages.ts'
import { unsubscribeLink } from '../mail/unsubscribe.ts'
import type { Claimed } from '../outbox/claim.ts'
import type { Told } from './attempt-delivery.ts'
import type { Attempted } from './send-deliveries.ts'

interface Options {
  readonly config: MailConfig
  readonly mailer: Mailer
  /** See secrets/signing-key.ts. */
  readonly signingKey: () => Promise<Uint8Array>
}

/** Makes the mail of a claimed delivery, and hands it to the mail server. */
export const mailAttempts = ({ config: { publicUrl }, mailer, signingKey }: Options) => {
  const toMail = (
    { id, kind, submission, lastSubmission, count, subject }: Claimed,
    told: Told,
    key: Uint8Array,
  ): Mail => {
    const { form, receiver } = told
    const formPage = `${publicUrl}/forms/${form.id}`
    const stop = unsubscribeLink(publicUrl, key, { receiver: receiver.id, address: receiver.target })
    const about = { id, to: receiver.target, form, link: formPage, stop }
    if (kind === 'added' || submission === null) return addedMail(about)
    if (kind === 'digest') {
      const until = creationTime(lastSubmission ?? submission)
      return digestMail({ ...about, count: count ?? 1, from: creationTime(submission), until })
    }
    const link = `${formPage}/submissions/${submission}`
    return submissionMail({ ...about, link, submission: { id: submission, data: told.data ?? '{}', subject } })
  }

  return async (claimed: Claimed, told: Told, signal: AbortSignal): Promise<Attempted> =>
    await mailer.send(toMail(claimed, told, await signingKey()), signal)
}
