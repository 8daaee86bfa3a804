import { receivers } from '../db/tables.ts'
import type { TextRule } from '../text-rules.ts'

export const webhookFormats = receivers.format.enumValues

export const descriptionRule: TextRule = { maxLength: 200 }
