import { receivers } from '../db/tables.ts'
import { invalid } from '../errors.ts'
import { isText, type TextRule, textInWords } from '../text-rules.ts'
import type { WebhookFormat } from './webhook-writes.ts'

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
