import { invalid } from '../errors.ts'
import { httpUrlInWords, isHttpUrl, type TextRule } from '../text-rules.ts'

export const webhookUrlRule: TextRule = { minLength: 1, maxLength: 2048 }

/**
 * Whether a text is the URL of a webhook: absolute, `http:` or `https:`, without a name and a password, which would be
 * shown wherever the URL is. What it resolves to is checked when a message is sent.
 */
export const isWebhookUrl = (text: string): boolean => {
  if (!isHttpUrl(webhookUrlRule, text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** What the URL of a webhook is, in words. */
export const webhookUrlInWords = `${httpUrlInWords(webhookUrlRule)}, without a user name and password`

/** What a person typed. @throws AppError `invalid` */
export const parseWebhookUrl = (text: string): string => {
  const url = text.trim()
  if (isWebhookUrl(url)) return url
  throw invalid({ field: 'url', message: `must be ${webhookUrlInWords}, such as https://example.com/hook` })
}
