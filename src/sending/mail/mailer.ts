import { lazily } from '../../base/lazily.ts'
import { toMailAddress } from '../../base/mail-address.ts'
import type { MailConfig } from '../../config/mail.ts'
import { usualResolver } from '../../remote/checked-lookup.ts'
import { refuseOffline } from '../../remote/offline.ts'
import type { Resolver } from '../../remote/resolver.ts'
import { openApi } from './api.ts'
import { type Outcome, toFailure } from './failure.ts'
import { type Mail, toParcel } from './parcel.ts'
import { openSmtp } from './smtp.ts'
import type { OpenWay, Patience, WayOptions } from './way.ts'

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

/** Sends by the way that is configured, which is opened for the first mail. */
export const openMailer = (
  config: MailConfig,
  patience: Patience = usualPatience,
  resolver: Resolver = usualResolver,
): Mailer => {
  const way = lazily(() => openWay(config, { patience, resolver }))

  const attempt = async (mail: Mail, signals: readonly AbortSignal[]): Promise<Outcome> => {
    const to = toMailAddress(mail.to)
    if (!to) return { ...nothing, result: 'refused', error: noAddress, operatorError: noAddress }
    const replyTo = mail.replyTo === null ? null : toMailAddress(mail.replyTo)
    try {
      refuseOffline()
      const signal = AbortSignal.any([AbortSignal.timeout(patience.mail), ...signals])
      return await (await way()).send(toParcel(mail, { from: config.from, to, replyTo }), signal)
    } catch (error) {
      return toFailure(error, config)
    }
  }

  return {
    async send(mail, signal) {
      const start = performance.now()
      const outcome = await attempt(mail, signal ? [signal] : [])
      return { ...outcome, milliseconds: Math.round(performance.now() - start) }
    },
    close() {
      way
        .loaded()
        ?.then((open) => open.close())
        .catch(() => {})
    },
  }
}

const openWay = async ({ server, oauth, publicUrl }: MailConfig, options: WayOptions): Promise<OpenWay> =>
  server.way === 'smtp'
    ? await openSmtp({ server, oauth, publicUrl, ...options })
    : openApi({ server, oauth, ...options })

const nothing = { status: null, error: null, operatorError: null, answer: '', isOurFault: false } as const
const noAddress = 'Email cannot be sent to this address'

const usualPatience: Patience = { connect: 15_000, greeting: 30_000, answer: 30_000, mail: 40_000 }
