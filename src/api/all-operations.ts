import type { Stores } from '../stores/stores.ts'
import { answersOperations } from './answers.ts'
import { confirmationOperations } from './confirmations.ts'
import { deliveryOperations } from './deliveries.ts'
import { exportOperations } from './export.ts'
import { fileOperations } from './files.ts'
import { formSettingsOperations } from './form-settings.ts'
import { formOperations } from './forms.ts'
import { handlingOperations } from './handling.ts'
import { importOperations } from './imports.ts'
import { inboxOperations } from './inbox.ts'
import { learnedSpamOperations } from './learned-spam.ts'
import { memberOperations } from './members.ts'
import { noteOperations } from './notes.ts'
import type { Operation } from './operation.ts'
import { personalDataOperations } from './personal-data.ts'
import { searchOperations } from './search.ts'
import { sheetOperations } from './sheets.ts'
import { submissionOperations } from './submissions.ts'
import { visitorMailTests } from './visitor-mail-tests.ts'
import { webhookOperations } from './webhooks.ts'

/** All operations of the API, in the order of the OpenAPI document. */
export const allOperations = (stores: Stores): readonly Operation[] => [
  ...formOperations(stores),
  ...formSettingsOperations(stores),
  ...visitorMailTests(stores),
  ...submissionOperations(stores),
  ...learnedSpamOperations(stores),
  ...handlingOperations(stores),
  ...noteOperations(stores),
  ...confirmationOperations(stores),
  ...fileOperations(stores),
  ...inboxOperations(stores),
  ...searchOperations(stores),
  ...answersOperations(stores),
  ...exportOperations(stores),
  ...importOperations(stores),
  ...webhookOperations(stores),
  ...deliveryOperations(stores),
  ...sheetOperations(stores),
  ...memberOperations(stores),
  ...personalDataOperations(stores),
]
