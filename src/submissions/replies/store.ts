import { and, eq } from 'drizzle-orm'
import { invalid, tooManyRequests } from '../../base/errors.ts'
import type { FormTo } from '../../forms/access.ts'
import type { Form } from '../../forms/form.ts'
import { ownerEmailReader } from '../../forms/owner-email.ts'
import { type FormSettings, parseSettings, type ReplySettings } from '../../forms/settings/settings.ts'
import type { Language } from '../../languages/languages.ts'
import type { Reader } from '../../storage/reader.ts'
import { param, users } from '../../storage/tables.ts'
import { inboxOf } from '../lists.ts'
import { fieldsIn } from '../sent-fields.ts'
import { submissionReads } from '../submission-reads.ts'
import { wholeReader } from '../whole-text.ts'
import { answeredAddress, languageOf } from './answerable.ts'

export type ReplyStore = ReturnType<typeof openReplyStore>

/** A form's reply, and the submission that it belongs to. */
export interface AnsweredForm extends Pick<FormSettings, 'notify' | 'allowedOrigins'> {
  readonly reply: ReplySettings
  readonly title: string
  /** The column of the form, and the address of its owner: by which sender its mail leaves. */
  readonly settings: string | null
  readonly ownerEmail: string
  readonly submission: { readonly id: string; readonly data: string }
  /** The language in which its visitor is answered, unless the browser says another one. */
  readonly language: Language
}

/** A reply to a visitor. */
interface ReplyText {
  readonly subject: string
  readonly text: string
}

/** A form's reply to the newest submission. */
export interface ReplyPreview extends ReplyText {
  /** Null if no one would get it. */
  readonly to: string | null
  /** Why it is not sent for now; null if it is. */
  readonly waits: string | null
}

/** The result of sending it to oneself. */
export interface ReplyTest extends ReplyText {
  readonly to: string
  /** Null if there was no response. */
  readonly status: number | null
  /** The reason of the failure, in words for the owner; null if it was taken. */
  readonly error: string | null
  /** The beginning of the response of the mail server, as text. */
  readonly answer: string
  readonly milliseconds: number
}

/** Makes the mail, and sends it. */
export interface ReplyTransport {
  make(answered: AnsweredForm): Promise<Omit<ReplyPreview, 'to'>>
  send(answered: AnsweredForm, to: string): Promise<ReplyTest>
}

interface Options {
  readonly reader: Reader
  /** Null if this server sends no mail. */
  readonly transport: ReplyTransport | null
  /** Counts a test of this user. Returns how many seconds to wait if there were too many. */
  readonly countTest: (userId: string) => number | null
}

/** Shows the replies of forms, without sending any. */
export const openReplyStore = ({ reader, transport, countTest }: Options) => {
  const { findNewestRow } = submissionReads(reader.db)
  const readWhole = wholeReader(reader.db)
  const findEmail = reader.db
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.id, param('id')), users.isProved))
    .prepare()

  const ownerEmailOf = ownerEmailReader(reader.db)

  const answeredOf = (form: Form): AnsweredForm | null => {
    const { number, title, submissionCount, settings } = form
    const parsed = parseSettings(settings)
    const { reply, notify, allowedOrigins } = parsed
    if (reply === null) return null
    const list = inboxOf(number)
    const newest = submissionCount > 0 ? findNewestRow(list) : undefined
    const submission = { id: newest?.id ?? '', data: (newest && readWhole(list, newest.id)?.data) || '{}' }
    const language = languageOf(parsed, fieldsIn(submission.data))
    const ownerEmail = ownerEmailOf(form)
    return { reply, notify, allowedOrigins, settings, ownerEmail, language, title, submission }
  }

  return {
    /** Null without the setting, or a mail server. */
    async preview(form: FormTo<'configure'>): Promise<ReplyPreview | null> {
      const answered = answeredOf(form)
      if (!answered || !transport) return null
      const to = answeredAddress(answered, fieldsIn(answered.submission.data)) ?? null
      return { to, ...(await transport.make(answered)) }
    },

    /**
     * Sends it to the user's own address, and waits for what the mail server says.
     *
     * @throws AppError `invalid` without the setting or for an address that is not
     *   proved, `rate_limited`
     */
    async test(userId: string, form: FormTo<'configure'>): Promise<ReplyTest> {
      const answered = answeredOf(form)
      if (!answered || !transport)
        throw invalid({
          field: 'reply',
          message: 'must be set, on a server that sends email, before it can be tested',
        })
      const to = findEmail.get({ id: userId })?.email
      if (to === undefined)
        throw invalid({
          field: 'reply',
          message: 'can be tested once you have proved your email address, to which the test goes',
        })
      const wait = countTest(userId)
      if (wait !== null) throw tooManyRequests(wait)
      return transport.send(answered, to)
    },
  }
}
