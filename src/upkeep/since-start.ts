import { oneLine } from '../base/short-text.ts'
import type { Claimed } from '../outbox/claim.ts'
import { isMailKind } from '../outbox/kinds.ts'
import type { OnBackup } from './jobs/make-backups.ts'
import type { Attempted } from './jobs/send-deliveries.ts'

/** A failure that nothing has made good since. */
export interface Failure {
  /** Unix milliseconds. */
  readonly at: number
  /** A sentence for the operator, without a full stop. */
  readonly reason: string
  /** Whether nothing gets through until a setting is changed. */
  readonly isLasting: boolean
}

export interface MailSinceStart {
  readonly accepted: number
  readonly acceptedAt: number | null
}

/** Messages by the addresses from which they came. */
export interface SendersSinceStart {
  readonly count: number
  /** The address, if all came from one; null otherwise. */
  readonly only: string | null
}

export type SinceStart = ReturnType<typeof openSinceStart>

/** What can fail: emails, or backups at one place. */
type What = 'mail' | Parameters<OnBackup>[0]['place']

/** Remembers what the page of the server shows of this process. It takes the same memory however much there was. */
export const openSinceStart = (now: () => number) => {
  let mail: MailSinceStart = { accepted: 0, acceptedAt: null }
  let senders: SendersSinceStart = { count: 0, only: null }
  const failures = new Map<What, Failure>()
  let offSiteAt: number | null = null

  return {
    mail: (): MailSinceStart => mail,
    senders: (): SendersSinceStart => senders,
    failureOf: (what: What): Failure | null => failures.get(what) ?? null,
    /** When the backup was made that was last put elsewhere, Unix milliseconds; null if this process has put none. */
    offSiteAt: (): number | null => offSiteAt,

    noteFailure(what: What, reason: string, isLasting = false): void {
      failures.set(what, { at: now(), reason: oneLine(reason), isLasting })
    },

    /** A mail that one server refuses for its recipient says nothing about ours. */
    noteMail(attempted: Pick<Attempted, 'result' | 'error' | 'operatorError' | 'isOurFault' | 'isOfForm'>): void {
      const { result, isOurFault = false, isOfForm = false } = attempted
      if (result === 'delivered') {
        mail = { accepted: mail.accepted + 1, acceptedAt: now() }
        failures.delete('mail')
      } else if (result === 'later' && !isOfForm) {
        const reason = attempted.operatorError ?? attempted.error ?? 'The email could not be sent'
        this.noteFailure('mail', reason, isOurFault)
      }
    },

    noteDelivery(kind: Claimed['kind'], attempted: Attempted): void {
      if (isMailKind(kind)) this.noteMail(attempted)
    },

    noteSender(address: string): void {
      const only = senders.count === 0 || senders.only === address ? address : null
      senders = { count: senders.count + 1, only }
    },

    noteBackup({ place, result, newestAt }: Parameters<OnBackup>[0]): void {
      if (result !== 'made') return
      failures.delete(place)
      if (place !== 'local') offSiteAt = newestAt ?? offSiteAt
    },
  }
}
