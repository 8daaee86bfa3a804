import type { Config } from '../../config/config.ts'
import type { Sender } from '../../config/sender.ts'

/** The limits of the operator. What a form asks for beyond them is refused in sent-settings.ts. */
export interface FormLimits {
  /** Whether a mail server is configured. */
  readonly canMail: boolean
  /** Other senders, which forms may choose. */
  readonly senders: readonly Pick<Sender, 'name' | 'users'>[]
  /** Submissions a minute from one address; 0 for any number. */
  readonly submitLimit: number
  /** Bytes of one file. */
  readonly fileLimitBytes: number
  /** Whether forms may have pages. */
  readonly formPages: boolean
}

export const formLimitsOf = ({ mail, senders, submitLimit, fileLimitBytes, formPages }: Config): FormLimits => ({
  canMail: mail !== null,
  senders,
  submitLimit,
  fileLimitBytes,
  formPages,
})
