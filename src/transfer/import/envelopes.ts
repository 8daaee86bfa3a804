import type { Field } from '../../submissions/fields.ts'
import { lastColumns } from '../export/last-columns.ts'

/** What a service writes around the fields of a submission. */
interface Envelope {
  /** The member that has the fields. */
  readonly data: string
  /** All that may stand beside it. An object with any other member is no envelope. */
  readonly known: ReadonlySet<string>
  /** At least one of these stands beside it. */
  readonly marks: readonly string[]
  readonly spam?: string
  /** Members that are used, or whose value is that of every submission. */
  readonly used: ReadonlySet<string>
}

const usedMembers = ['data', 'createdAt', 'formId', 'files', 'isSpam', 'note', 'noteCount']

/** Formbox, and the API of Formbase. */
const formbox: Envelope = {
  data: 'data',
  known: new Set([...usedMembers, 'id', 'reason', ...lastColumns.map(([name]) => name)]),
  marks: ['id', 'createdAt'],
  spam: 'isSpam',
  used: new Set([...usedMembers, ...lastColumns.flatMap(([name, isImported]) => (isImported ? name : []))]),
}

/** https://open-api.netlify.com, `submission`. */
const netlify: Envelope = {
  data: 'data',
  known: new Set(
    (
      'id number title name first_name last_name email company summary body data created_at human_fields ' +
      'ordered_human_fields site_url form_id form_name site_name'
    ).split(' '),
  ),
  marks: ['human_fields', 'ordered_human_fields', 'site_url'],
  used: new Set(['data', 'created_at']),
}

/** Netlify without what could be fields of the form. */
const short: Envelope = { ...netlify, known: new Set(['id', 'data', 'created_at']), marks: ['id', 'created_at'] }

/** Basin, as scripts that read its API show it. */
const basin: Envelope = {
  data: 'payload_params',
  known: new Set(
    (
      'id form_id form_name email ip ip_address user_agent referrer referer read spam spam_score spam_reason trash ' +
      'created_at updated_at attachments payload_params'
    ).split(' '),
  ),
  marks: ['id', 'created_at'],
  spam: 'spam',
  used: new Set(['payload_params', 'created_at', 'spam']),
}

const envelopes = [formbox, short, netlify, basin]

/** The envelope that an object with these members is; undefined if it has the fields themselves. */
export const envelopeOf = (members: readonly Field[]): Envelope | undefined =>
  envelopes.find(
    ({ data, known, marks }) =>
      members.some(({ name, json }) => name === data && json.startsWith('{')) &&
      members.some(({ name, json }) => marks.includes(name) && json !== 'null' && json !== '""') &&
      members.every(({ name }) => known.has(name)),
  )
