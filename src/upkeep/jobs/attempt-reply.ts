import type { MailConfig } from '../../config/mail.ts'
import { parseSettings, type ReplySettings } from '../../forms/settings/settings.ts'
import type { Claimed } from '../../outbox/claim.ts'
import type { OutboxWrites } from '../../outbox/outbox-writes.ts'
import type { FoundReceiver } from '../../outbox/receivers.ts'
import { confirmLink } from '../../sending/mail/confirm-link.ts'
import { mailToVisitor } from '../../sending/mail/reply.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { MailWords } from '../../submissions/confirm/asked.ts'
import type { StoredSubmission } from '../../submissions/stored-submission.ts'
import type { ChooseMailer } from './mailers.ts'
import type { Attempted } from './send-deliveries.ts'

interface Options {
  readonly config: MailConfig
  /** They send nothing else, so that a mail that one gets goes out at once. */
  readonly choose: ChooseMailer
  readonly writer: Pick<Writer<OutboxWrites>, 'run'>
  /** See storage/secrets/signing-key.ts. */
  readonly signingKey: () => Promise<Uint8Array>
}

/** A claimed reply with its form and its submission as they are now. */
interface Delivery extends FoundReceiver {
  readonly claimed: Claimed
  /** With all its data. */
  readonly submission: StoredSubmission | undefined
  /** What the mail says that asks to confirm the address, as it stood; undefined for a reply. */
  readonly asking?: MailWords | undefined
}

/** Mails of which no one knows whether they arrived, because Formbox was ended meanwhile. There is no third one. */
const maxLost = 2

/**
 * Makes the reply to a visitor, and hands it to its mail server: one after the other, and each is written down
 * just before. So a machine that dies again and again neither floods a visitor nor counts what it has not sent.
 */
export const replyAttempts = ({ config, choose, writer, signingKey }: Options) => {
  /** Of each sender. */
  const last = new Map<string | null, Promise<unknown>>()

  /** Makes the mail of the current settings. The setting exists as long as its receiver does. */
  const toMail = ({ claimed, form, submission, asking }: Delivery, key: Uint8Array) => {
    const { id: of, data } = submission ?? { id: '', data: '{}' }
    const link = asking && confirmLink(config.publicUrl, key, { formId: form.id, submissionId: of })
    return mailToVisitor(config, {
      ...{ id: claimed.id, to: claimed.target ?? '', language: claimed.language, key },
      ...{ form, submission: { id: of, data } },
      reply: asking ?? (parseSettings(form.settings).reply as ReplySettings),
      ...(link !== undefined && { link }),
    })
  }

  const send = async (delivery: Delivery, signal: AbortSignal): Promise<Attempted> => {
    const { form, id, count } = delivery.claimed
    if ((count ?? 0) >= maxLost) return lostTooOften
    const chosen = choose(delivery.form)
    if ('waits' in chosen) return chosen.waits
    const mail = await toMail(delivery, await signingKey())
    if (signal.aborted) return tooBusy
    await writer.run('beginReply', { form, id })
    return { ...(await chosen.mailer.send(mail, signal)), wasBegun: true }
  }

  return (delivery: Delivery, signal: AbortSignal): Promise<Attempted> => {
    const { sender } = parseSettings(delivery.form.settings)
    const sent = (last.get(sender) ?? Promise.resolve()).then(() => send(delivery, signal))
    last.set(
      sender,
      sent.catch(() => {}),
    )
    return sent
  }
}

const lostTooOften: Attempted = {
  result: 'refused',
  status: null,
  error: 'Formbox was stopped twice while it sent the email, which may have arrived.',
  answer: '',
}

const tooBusy: Attempted = {
  result: 'later',
  status: null,
  error: 'The mail server does not respond in time',
  answer: '',
}
