import { Type } from '@sinclair/typebox'
import { type Member, maxMembers } from '../accounts/members/member-writes.ts'
import { inviteDays, type ListedMember } from '../accounts/members/store.ts'
import { parseEmail } from '../accounts/users/email.ts'
import { createdAt } from '../base/id.ts'
import { itemsOf } from '../base/list-page.ts'
import { invitePath } from '../config/addresses.ts'
import { type MemberRole, memberRoles } from '../forms/access.ts'
import type { EndedShare } from '../forms/ended-shares.ts'
import type { SharedForm } from '../forms/lists/shared-forms.ts'
import { endedShares, trail } from '../storage/tables.ts'
import type { Stores } from '../stores/stores.ts'
import { FormSchema, formListJson } from './form-json.ts'
import { jsonBody } from './json-body.ts'
import { Choice, NamedObject, Text } from './kind-schema.ts'
import { readOperation, writeOperation } from './operation.ts'
import { listParameters, PaginationSchema, paginationJson, toPage } from './pagination.ts'
import { commonErrors, createErrors, SuccessSchema } from './response-schemas.ts'
import { checkedQuery } from './schema-check.ts'

const tags = ['Members'] as const

export const memberOperations = ({ access, members, formLists, listTrail, readFieldNames }: Stores) => [
  readOperation({
    method: 'GET',
    path: '/forms/:formId/members',
    role: 'manager',
    operationId: 'listMembers',
    tags,
    summary: 'List the members of a form',
    description: `The people with whom the form is shared, and those who are invited: at most ${maxMembers}, in the order in which they were added. Needs the role manager.`,
    query: checkedQuery(MembersQuerySchema, toPage),
    answer: MemberListSchema,
    errors: commonErrors,
    handle({ caller, params, query }) {
      const found = members.listMembers(access.findFormTo('share', caller.userId, params.formId))
      const page = itemsOf(found.members, query).map(toJson)
      const owner = JSON.stringify(found.owner)
      return `{"owner":${owner},"members":${JSON.stringify(page)},"pagination":${paginationJson(query, found.members.length)}}`
    },
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/members',
    role: 'manager',
    operationId: 'addMember',
    tags,
    summary: 'Share a form',
    description:
      'Shares the form with the user who has proved this address. Without such a user, it makes an invitation: a link that works ' +
      `once, within ${inviteDays} days, to make an account with this address. A server that sends email mails it, and shows it to no one else; any other ` +
      'server returns it once. A key that is limited to forms cannot invite people: that is 403. A form has at ' +
      `most ${maxMembers} members and invitations. Needs the role manager.`,
    body: jsonBody(MemberInputSchema),
    hasSecret: true,
    answer: AddedMemberSchema,
    errors: commonErrors,
    async handle({ caller, params, body, serverAddress }) {
      const shared = { email: parseEmail(body.email), role: body.role }
      const { token, isMailed, isProved, ...member } = await members.addMember(caller, params.formId, shared)
      const inviteUrl = token === undefined ? null : `${serverAddress}${invitePath(token)}`
      return { ...member, proved: isProved, createdAt: createdAt(member.id), inviteUrl, mailed: isMailed }
    },
  }),

  writeOperation({
    method: 'PATCH',
    path: '/forms/:formId/members/:memberId',
    role: 'manager',
    operationId: 'updateMember',
    tags,
    summary: 'Change the role of a member',
    description: 'Changes what a person may do with the form, from their next request on. Needs the role manager.',
    body: jsonBody(MemberChangesSchema),
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params, body }) =>
      members.updateMember(caller.userId, params.formId, params.memberId, body.role),
  }),

  writeOperation({
    method: 'DELETE',
    path: '/forms/:formId/members/:memberId',
    role: 'manager',
    operationId: 'removeMember',
    tags,
    summary: 'Remove a member',
    description:
      'Ends a person’s access to the form, or cancels an invitation, at once. Needs the role manager, unless a person ' +
      'leaves the form.',
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params }) => members.removeMember(caller.userId, params.formId, params.memberId),
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/owner',
    role: 'owner',
    operationId: 'handOverForm',
    tags,
    summary: 'Hand a form over',
    description:
      'Makes a member who has proved the address the owner of the form. The former owner becomes a manager. Webhooks, keys, ' +
      'deliveries and members stay as they are. Only the owner may do this.',
    body: jsonBody(OwnerInputSchema),
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params, body }) => members.handOver(caller.userId, params.formId, parseEmail(body.email)),
  }),

  readOperation({
    method: 'GET',
    path: '/forms/:formId/trail',
    role: 'manager',
    operationId: 'listTrail',
    tags,
    summary: 'See what was done with a form',
    description:
      'Who shared the form, exported, erased or deleted submissions, changed settings, or made a key for it, in the last 90 ' +
      'days, newest first, at most 10,000 entries. It contains nothing that visitors sent. Needs the role manager.',
    query: checkedQuery(MembersQuerySchema, toPage),
    answer: TrailSchema,
    errors: commonErrors,
    handle({ caller, params, query }) {
      const { total, deeds } = listTrail(access.findFormTo('share', caller.userId, params.formId), query)
      const trail = deeds.map(({ at, ...deed }) => ({ at: new Date(at).toISOString(), ...deed }))
      return `{"trail":${JSON.stringify(trail)},"pagination":${paginationJson(query, total)}}`
    },
  }),

  readOperation({
    method: 'GET',
    path: '/shared/forms',
    role: 'user',
    operationId: 'listSharedForms',
    tags,
    summary: 'List the forms of others',
    description:
      'The forms that other users share with the user who owns the key, newest first, with the role there and the address of ' +
      'the owner. All operations on a form work for them as far as the role allows it. `ended` lists up to ten that were ' +
      'deleted, or are no longer shared, in the last 30 days.',
    query: checkedQuery(MembersQuerySchema, toPage),
    forms: 'several',
    answer: SharedFormListSchema,
    errors: createErrors.filter((status) => status !== 403),
    handle({ caller, query }) {
      const { total, forms: found } = formLists.listShared(caller.userId, query, caller.forms)
      const ended = formLists.listEnded(caller.userId).filter(({ formId }) => caller.forms?.has(formId) ?? true)
      const end = `],"ended":${JSON.stringify(ended.map(endedJson))},"pagination":${paginationJson(query, total)}}`
      return formListJson(found, end, readFieldNames, sharedJson)
    },
  }),
]

const sharedJson = ({ role, owner }: SharedForm): string => `,"role":"${role}","owner":${JSON.stringify(owner)}`

const endedJson = ({ formId: id, title, at, reason }: EndedShare) => ({
  id,
  title,
  at: new Date(at).toISOString(),
  reason,
})

const stateOf = ({ userId }: Pick<Member, 'userId'>): 'member' | 'invited' => (userId === null ? 'invited' : 'member')

const toJson = ({ id, email, role, userId, isProved, invitedBy }: ListedMember) => ({
  id,
  email,
  role,
  state: stateOf({ userId }),
  proved: isProved === true,
  invitedBy,
  createdAt: createdAt(id),
})

const MembersQuerySchema = Type.Object(listParameters)

const MemberRoleSchema = Choice<MemberRole>({
  name: 'MemberRole',
  choices: memberRoles,
  description:
    '`reader` may read, search, export and download; `editor` may also mark, handle and delete submissions and retry ' +
    'deliveries; `manager` may also change settings, webhooks, sheets and members',
  example: 'reader',
})

const MemberInputSchema = NamedObject('MemberInput', {
  email: Text({
    minLength: 3,
    maxLength: 254,
    description: 'Address of the person, which is also the name of their account',
    example: 'grace@example.com',
  }),
  role: MemberRoleSchema,
})

const OwnerInputSchema = NamedObject('OwnerInput', {
  email: Text({
    minLength: 3,
    maxLength: 254,
    description: 'Address of the member who is to own the form',
    example: 'hopper@example.org',
  }),
})

const MemberChangesSchema = NamedObject('MemberChanges', { role: MemberRoleSchema })

const MemberStateSchema = Type.Unsafe<string>({
  name: 'MemberState',
  type: 'string',
  enum: ['member', 'invited'],
  description: '`invited` until the invitation is accepted',
  example: 'member',
})

const member = {
  id: Type.String({ description: 'Member identifier', example: '01kahp5x2r00member4znwe8cm3k' }),
  email: Type.String({ example: 'grace@example.com' }),
  role: MemberRoleSchema,
  state: MemberStateSchema,
  proved: Type.Boolean({
    description:
      'Whether there is an account with this address whose user has proved it: by a mailed link, through a provider of ' +
      'single sign-on, or by the operator. With any other account, a form is shared by an invitation.',
    example: true,
  }),
  invitedBy: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description:
      'Of an account whose address is not proved: address of the user by whose invitation it was made; null if that user was deleted',
    example: null,
  }),
  createdAt: Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' }),
}

const MemberSchema = NamedObject('Member', member)

const AddedMemberSchema = NamedObject('AddedMember', {
  ...member,
  inviteUrl: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description:
      'Of an invitation, on a server that sends no email: the link to hand over, on the host of the request if the operator has not set FORMBOX_URL. It is never shown again.',
    example: null,
  }),
  mailed: Type.Boolean({
    description:
      'Whether the link was mailed. Within 24 hours, an address gets one such mail for the forms of an owner, and three in all. A user sends at most 50, and 50 are sent ' +
      'for all forms of one owner.',
    example: false,
  }),
})

const MemberListSchema = NamedObject('MemberList', {
  owner: Type.String({ description: 'Address of the owner, who is not a member', example: 'ada@example.com' }),
  members: Type.Array(MemberSchema),
  pagination: PaginationSchema,
})

const DeedKindSchema = Type.Unsafe<string>({
  name: 'DeedKind',
  type: 'string',
  enum: [...trail.what.enumValues],
  example: 'shared',
})

const DeedSchema = NamedObject('Deed', {
  at: Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' }),
  by: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description: 'Address of the user; null if the user was deleted',
    example: 'ada@example.com',
  }),
  what: DeedKindSchema,
  detail: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description:
      'The address and the role of a member, the names of settings, what became of a webhook or a sheet, the name of a key, or ' +
      'the format of an export; null for keys with different names within an hour, which are one entry',
    example: 'grace@example.com reader',
  }),
  count: Type.Integer({
    minimum: 1,
    description: 'How many submissions were deleted, or how often it was done within an hour',
    example: 1,
  }),
})

const TrailSchema = NamedObject('Trail', { trail: Type.Array(DeedSchema), pagination: PaginationSchema })

const SharedFormSchema = NamedObject('SharedForm', {
  ...FormSchema.properties,
  role: MemberRoleSchema,
  owner: Type.String({ description: 'Address of the owner', example: 'ada@example.com' }),
})

const EndedShareSchema = NamedObject('EndedShare', {
  id: Type.String({ description: 'Of the form', example: '01kahp5x2r0form2zq8nv7yt4mab' }),
  title: Type.String({ example: 'Contact' }),
  at: Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' }),
  reason: Type.Unsafe<string>({ type: 'string', enum: [...endedShares.reason.enumValues], example: 'deleted' }),
})

const SharedFormListSchema = NamedObject('SharedFormList', {
  forms: Type.Array(SharedFormSchema),
  ended: Type.Array(EndedShareSchema),
  pagination: PaginationSchema,
})
