import type { SentSettings } from '../settings/settings.ts'
import type { WebhookMembers } from '../webhooks/webhook-members.ts'

/** A form as a file describes it. Each value is valid by itself. */
export interface DescribedForm {
  /** Its name in files. */
  readonly name: string
  /** The identifier of the form that is meant, if this server has it. */
  readonly id: string | undefined
  readonly title: string
  readonly description: string | null
  readonly returnUrl: string | null
  /** The others have their defaults. */
  readonly settings: SentSettings
  readonly webhooks: readonly DescribedWebhook[]
}

/** With its secrets, of which nothing may be shown. */
export interface DescribedWebhook extends WebhookMembers {
  readonly name: string
  readonly id: string | undefined
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Undefined to leave it as it is. */
  readonly enabled: boolean | undefined
  /** Undefined for the one that it has, or a new one. */
  readonly secret: string | undefined
}

export const maxForms = 1000
export const maxFileBytes = 1024 * 1024

export const nameInWords = '1 to 64 letters, digits, - and _, beginning with a letter or a digit'
/** Whether files may call a form or a webhook so: it needs no quotation marks there. */
export const isName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text)

/** How a file names a secret: `env:` and the name of an environment variable. */
export const environmentPrefix = 'env:'
