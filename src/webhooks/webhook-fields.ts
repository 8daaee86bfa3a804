import { isIP } from 'node:net'
import { receivers } from '../db/tables.ts'
import { invalid } from '../errors.ts'
import { httpUrlInWords, isHttpUrl, isText, type TextRule, textInWords } from '../text-rules.ts'
import type { WebhookFormat } from './webhook-services.ts'

export const webhookFormats = receivers.format.enumValues

export const descriptionRule: TextRule = { maxLength: 200 }

// What a person typed. The API checks the same rules with its schemas.

/** @throws AppError `invalid` */
export const parseWebhookFormat = (text: string): WebhookFormat => {
  const format = webhookFormats.find((one) => one === text)
  if (format) return format
  throw invalid({ field: 'format', message: `must be one of ${webhookFormats.join(', ')}` })
}

/** @throws AppError `invalid` */
export const parseWebhookDescription = (text: string): string | null => {
  const description = text.trim()
  if (isText(descriptionRule, description)) return description || null
  throw invalid({
    field: 'description',
    message: `must be ${textInWords(descriptionRule)}; got ${[...description].length}`,
  })
}

export const webhookUrlRule: TextRule = { minLength: 1, maxLength: 2048 }

/**
 * Whether a text is the URL of a webhook: absolute, `http:` or `https:`, without a name and a password, which would be
 * shown wherever the URL is. What a name resolves to is checked when a message is sent.
 */
export const isWebhookUrl = (text: string): boolean => {
  if (!isHttpUrl(webhookUrlRule, text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** The rule for the URL of a webhook, in words. */
export const webhookUrlInWords = `${httpUrlInWords(webhookUrlRule)}, without a user name and password, which belong into headers as "Authorization: Basic" and the Base64 of name:password`

/** Parses the URL that a person typed. @throws AppError `invalid` */
export const parseWebhookUrl = (text: string): string => {
  const url = text.trim()
  if (isWebhookUrl(url)) return url
  throw invalid({ field: 'url', message: `must be ${webhookUrlInWords}` })
}

/**
 * Refuses a URL whose address can be seen in it and is one that the server never connects to.
 *
 * @param isReachable whether the server connects to an address
 * @throws AppError `invalid`
 */
export const refuseUnreachable = (url: string, isReachable: (address: string) => boolean): void => {
  const { hostname } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const addresses = host === 'localhost' ? ['127.0.0.1', '::1'] : isIP(host) === 0 ? [] : [host]
  if (addresses.length === 0 || addresses.some(isReachable)) return
  throw invalid({
    field: 'url',
    message: `must be at a public address, or at one that FORMBOX_WEBHOOK_ALLOW names; ${hostname} is neither`,
    path: '/url',
  })
}
