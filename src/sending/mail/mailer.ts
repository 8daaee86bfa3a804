import { lazily } from '../../base/lazily.ts'
import type { MailConfig } from '../../config/mail.ts'
import type { Outcome } from './failure.ts'
import type { Mail } from './parcel.ts'
import type { WayOptions } from './way.ts'

/** How an attempt to send a mail ended. */
interface Sent extends Outcome {
  readonly milliseconds: number
}

export interface Mailer {
  /** Never throws. @param signal ends the attempt early */
  send(mail: Mail, signal?: AbortSignal): Promise<Sent>
  /** Ends all connections. Mails under way fail. */
  close(): void
}

/** Sends by the way that is configured, which is loaded for the first mail: a server without mail needs none of it. */
export const openMailer = (config: MailConfig, options: Partial<WayOptions> = {}): Mailer => {
  const sender = lazily(async () => (await import('./sender.ts')).openSender(config, options))
  return {
    async send(mail, signal) {
      const start = performance.now()
      const outcome = await sender().then(({ attempt }) => attempt(mail, signal ? [signal] : []), notLoaded)
      return { ...outcome, milliseconds: Math.round(performance.now() - start) }
    },
    close() {
      sender
        .loaded()
        ?.then(({ close }) => close())
        .catch(() => {})
    },
  }
}

/** A file of the program could not be read, for example because too many are open. */
const notLoaded = (): Outcome => ({
  ...{ result: 'later', status: null, answer: '', isOurFault: false },
  error: 'The email could not be sent',
  operatorError: 'What sends email could not be loaded',
})
