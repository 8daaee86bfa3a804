import { filterPaths, registerSchemaPath } from '@elysiajs/swagger/utils'
import type { TSchema } from '@sinclair/typebox'
import type { Config } from '../../config/config.ts'
import { ErrorSchema, IdSchema, IdsSchema, SuccessSchema } from '../answer-schemas.ts'
import { DeliveryListSchema, DeliverySchema, RetriedSchema } from '../deliveries.ts'
import {
  FormChangesSchema,
  FormListSchema,
  FormSchema,
  FormsChangesSchema,
  NewFormSchema,
  NewFormsSchema,
} from '../form-json.ts'
import { FormSettingsSchema, SettingsChangesSchema } from '../form-settings.ts'
import { BulkHandlingSchema, HandlingChangesSchema, HandlingSchema } from '../handling.ts'
import {
  AddedMemberSchema,
  DeedSchema,
  EndedShareSchema,
  MemberChangesSchema,
  MemberListSchema,
  MemberSchema,
  NewMemberSchema,
  NewOwnerSchema,
  SharedFormListSchema,
  SharedFormSchema,
  TrailSchema,
} from '../members.ts'
import type { Operation } from '../operation.ts'
import { PaginationSchema } from '../pagination.ts'
import { ErasedSchema, FoundPersonSchema, PersonErasureSchema, PersonSchema, PersonSearchSchema } from '../people.ts'
import { ReplyTestSchema } from '../replies.ts'
import { CreatedSheetSchema, NewSheetSchema, SheetListSchema, SheetSchema } from '../sheets.ts'
import {
  ExportedSubmissionsSchema,
  SearchResultSchema,
  SpamListSchema,
  SpamSchema,
  SpamSearchResultSchema,
  SubmissionListSchema,
  SubmissionSchema,
} from '../submission-json.ts'
import {
  CreatedWebhookSchema,
  NewWebhookSchema,
  WebhookChangesSchema,
  WebhookListSchema,
  WebhookSchema,
  WebhookSecretSchema,
  WebhookTestSchema,
} from '../webhooks.ts'
import { withCodeSamples } from './code-samples.ts'
import { toOpenApi303 } from './to-openapi-303.ts'

/** The schemas that have a name in the document. Operations refer to them by it. */
const schemas: Record<string, TSchema> = {
  Error: ErrorSchema,
  Id: IdSchema,
  Ids: IdsSchema,
  Success: SuccessSchema,
  Pagination: PaginationSchema,
  Form: FormSchema,
  FormList: FormListSchema,
  NewForm: NewFormSchema,
  NewForms: NewFormsSchema,
  FormChanges: FormChangesSchema,
  FormsChanges: FormsChangesSchema,
  FormSettings: FormSettingsSchema,
  SettingsChanges: SettingsChangesSchema,
  ReplyTest: ReplyTestSchema,
  Submission: SubmissionSchema,
  SubmissionList: SubmissionListSchema,
  SearchResult: SearchResultSchema,
  SpamSearchResult: SpamSearchResultSchema,
  ExportedSubmissions: ExportedSubmissionsSchema,
  Spam: SpamSchema,
  SpamList: SpamListSchema,
  Handling: HandlingSchema,
  HandlingChanges: HandlingChangesSchema,
  BulkHandling: BulkHandlingSchema,
  Webhook: WebhookSchema,
  WebhookList: WebhookListSchema,
  NewWebhook: NewWebhookSchema,
  CreatedWebhook: CreatedWebhookSchema,
  WebhookChanges: WebhookChangesSchema,
  WebhookSecret: WebhookSecretSchema,
  WebhookTest: WebhookTestSchema,
  Delivery: DeliverySchema,
  DeliveryList: DeliveryListSchema,
  Retried: RetriedSchema,
  PersonSearch: PersonSearchSchema,
  FoundPerson: FoundPersonSchema,
  Person: PersonSchema,
  PersonErasure: PersonErasureSchema,
  Erased: ErasedSchema,
  Sheet: SheetSchema,
  SheetList: SheetListSchema,
  NewSheet: NewSheetSchema,
  CreatedSheet: CreatedSheetSchema,
  Member: MemberSchema,
  MemberList: MemberListSchema,
  NewMember: NewMemberSchema,
  AddedMember: AddedMemberSchema,
  MemberChanges: MemberChangesSchema,
  NewOwner: NewOwnerSchema,
  Deed: DeedSchema,
  Trail: TrailSchema,
  SharedForm: SharedFormSchema,
  EndedShare: EndedShareSchema,
  SharedFormList: SharedFormListSchema,
}
const names = new Map(Object.entries(schemas).map(([name, schema]) => [schema, name]))

/**
 * The document that `@elysiajs/swagger` makes of the operations, corrected to be valid. The plugin itself is left out: it
 * would also serve a page that loads scripts from another host, and bring the themes of that page into the executable.
 *
 * @param address the server's, for the code samples
 */
export const describeApi = (config: Config, operations: readonly Operation[], address: string): string => {
  const registered = {}
  for (const { method, path, query, tags, operationId, summary, description } of operations)
    registerSchemaPath({
      schema: registered,
      method,
      path: `/api/v1${path}`,
      hook: { ...(query && { query: query.schema }), detail: { tags: [...tags], operationId, summary, description } },
      models: schemas,
    })
  const paths = filterPaths(registered, { excludeStaticFile: true, exclude: [] })
  const described = documentation(config)
  const components = { ...described.components, schemas }
  // As JSON, because the schemas of TypeBox have more than that says.
  const document = JSON.parse(JSON.stringify({ openapi: '3.0.3', ...described, paths, components }))
  return JSON.stringify(withCodeSamples(toOpenApi303(document, operations, names), address))
}

const documentation = ({ publicUrl }: Config) => ({
  info: {
    title: 'Formbox',
    description:
      'Manages forms and the submissions that they collect. Every operation needs an API key, sent as ' +
      '`Authorization: Bearer api_…`. Each key may make 100 requests per minute, unless the operator has set another ' +
      'limit. The `X-RateLimit-*` headers say how many are left.',
    version: '1.0.0',
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    contact: { name: 'The operator of this server', ...(publicUrl !== null && { url: publicUrl }) },
  },
  servers: [{ url: `${publicUrl ?? ''}/api/v1`, description: 'This server' }],
  tags: [
    { name: 'Forms', description: 'Create, read, change, duplicate and delete forms' },
    { name: 'Settings', description: 'Read and change the settings of a form' },
    { name: 'Submissions', description: 'Read and delete submissions' },
    { name: 'Handling', description: 'Mark submissions as done, and put notes on them' },
    { name: 'Spam', description: 'Read, accept and delete submissions in quarantine' },
    { name: 'Files', description: 'Download the files of submissions' },
    { name: 'Search', description: 'Find submissions by what is in them' },
    { name: 'Export', description: 'Download submissions as files' },
    { name: 'Webhooks', description: 'Send submissions to other programs' },
    { name: 'Sheets', description: 'Let spreadsheets read submissions at an address' },
    { name: 'Deliveries', description: 'See who was told about submissions, and try again' },
    { name: 'Members', description: 'Share forms with other people' },
    { name: 'People', description: 'Find, export and erase what somebody has sent, in all forms' },
  ],
  security: [{ bearer: [] }],
  components: {
    securitySchemes: {
      bearer: {
        type: 'http' as const,
        scheme: 'bearer',
        bearerFormat: 'api_…',
        description: 'An API key from the page `/settings/keys`: `api_…`, without the word `Bearer` before it.',
      },
    },
  },
})
