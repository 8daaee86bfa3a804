import { lazily } from '../../base/lazily.ts'
import { toMailAddress } from '../../base/mail-address.ts'
import type { MailConfig } from '../../config/mail.ts'
import { usualResolver } from '../../remote/checked-lookup.ts'
import { answerOffline } from '../../remote/offline.ts'
import { openApi } from './api.ts'
import { type Outcome, toFailure } from './failure.ts'
import { type Mail, toParcel } from './parcel.ts'
import { openSmtp } from './smtp.ts'
import { inTurn } from './turns.ts'
import type { OpenWay, Patience, WayOptions } from './way.ts'

/** Opens its way when the first mail is sent, and tries again for the next one if that fails. */
export const openSender = (
  config: MailConfig,
  { patience = usualPatience, resolver = usualResolver }: Partial<WayOptions>,
) => {
  const way = lazily(async () => inTurn(await openWay(config, { patience, resolver })))
  return {
    attempt: async (mail: Mail, signals: readonly AbortSignal[]): Promise<Outcome> => {
      const to = toMailAddress(mail.to)
      if (!to) return { ...nothing, result: 'refused', error: noAddress, operatorError: noAddress }
      const replyTo = mail.replyTo === null ? null : toMailAddress(mail.replyTo)
      try {
        const madeUp = answerOffline(to.slice(to.lastIndexOf('@') + 1))
        if (madeUp) return { ...nothing, result: 'delivered', status: 250, answer: madeUp.answer }
        const signal = AbortSignal.any([AbortSignal.timeout(patience.mail), ...signals])
        return await (await way()).send(toParcel(mail, { from: config.from, to, replyTo }), signal)
      } catch (error) {
        return toFailure(error, config)
      }
    },
    async close(): Promise<void> {
      ;(await way.loaded())?.close()
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
