import type { MemberStore } from '../accounts/members/store.ts'
import type { SheetStore } from '../accounts/sheets/store.ts'
import type { FormAccess } from '../forms/access.ts'
import type { ReadFieldNames } from '../forms/field-names.ts'
import type { FormLists } from '../forms/lists/store.ts'
import type { FormStore } from '../forms/store.ts'
import type { ListTrail } from '../forms/trail.ts'
import type { WebhookStore } from '../forms/webhooks/store.ts'
import type { AnswersStore } from '../submissions/answers/store.ts'
import type { ConfirmReads } from '../submissions/confirm/confirm-reads.ts'
import type { DeliveryStore } from '../submissions/deliveries/store.ts'
import type { FileReads } from '../submissions/files/file-reads.ts'
import type { FileStore } from '../submissions/files/store.ts'
import type { InboxStore } from '../submissions/inbox/inbox.ts'
import type { MailPreviews } from '../submissions/replies/mail-previews.ts'
import type { SubmissionSearch } from '../submissions/search/search.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { ExportStore } from '../transfer/export/store.ts'
import type { ImportStore } from '../transfer/import/store.ts'
import type { PeopleStore } from '../transfer/people/store.ts'
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

interface Stores {
  readonly access: FormAccess
  readonly readFieldNames: ReadFieldNames
  readonly fileReads: FileReads
  readonly listTrail: ListTrail
  readonly formLists: FormLists
  readonly forms: FormStore
  readonly submissions: SubmissionStore
  readonly confirmReads: ConfirmReads
  readonly inbox: InboxStore
  readonly files: FileStore
  readonly searches: SubmissionSearch
  readonly answers: AnswersStore
  readonly exports: ExportStore
  readonly imports: ImportStore
  readonly webhooks: WebhookStore
  readonly deliveries: DeliveryStore
  readonly mailPreviews: MailPreviews
  readonly people: PeopleStore
  readonly sheets: SheetStore
  readonly members: MemberStore
}

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
  ...inboxOperations(stores.inbox),
  ...searchOperations(stores.searches),
  ...answersOperations(stores.answers),
  ...exportOperations(stores.exports),
  ...importOperations(stores),
  ...webhookOperations(stores),
  ...deliveryOperations(stores),
  ...sheetOperations(stores),
  ...memberOperations(stores),
  ...personalDataOperations(stores.people),
]
