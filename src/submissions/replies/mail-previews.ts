import { and, eq } from 'drizzle-orm'
import { invalid, tooManyRequests } from '../../base/errors.ts'
import type { FormTo } from '../../forms/access.ts'
import type { Form } from '../../forms/form.ts'
import { ownerReader } from '../../forms/owner.ts'
import {
  type ConfirmSettings,
  type FormSettings,
  parseSettings,
  type ReplySettings,
} from '../../forms/settings/settings.ts'
import type { Language } from '../../languages/languages.ts'
import type { FoundReceiver } from '../../outbox/receivers.ts'
import type { Reader } from '../../storage/reader.ts'
import { param, users } from '../../storage/tables.ts'
import { inboxOf } from '../lists.ts'
import { fieldsIn } from '../sent-fields.ts'
import { submissionReads } from '../submission-reads.ts'
import { wholeReader } from '../whole-text.ts'
import { answeredAddress, languageOf } from './answerable.ts'

/** What a form sends its visitors: its automatic reply, or the mail that asks to confirm the address. */
export type VisitorMail = 'reply' | 'confirm'

type Written = { readonly reply: ReplySettings } | { readonly confirm: ConfirmSettings }

/** One of these, and the submission that it belongs to. */
export interface AnsweredForm {
  readonly written: Written
  /** With the address of its owner: by which sender its mail leaves. */
  readonly form: FoundReceiver['form']
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

/** Shows the mails that a form sends its visitors, and tries them on the user who asks. */
export const openMailPreviews = ({ reader, transport, countTest }: Options) => {
  const { findNewestRow } = submissionReads(reader.db)
  const readWhole = wholeReader(reader.db)
  const findEmail = reader.db
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.id, param('id')), users.isProved))
    .prepare()

  const ownerOf = ownerReader(reader.db)

  const answeredOf = (form: Form, what: VisitorMail): AnsweredForm | null => {
    const { number, submissionCount, settings } = form
    const parsed = parseSettings(settings)
    const written = writtenIn(parsed, what)
    if (!written) return null
    const list = inboxOf(number)
    const newest = submissionCount > 0 ? findNewestRow(list) : undefined
    const submission = { id: newest?.id ?? '', data: (newest && readWhole(list, newest.id)?.data) || '{}' }
    const language = languageOf(parsed, fieldsIn(submission.data))
    return { written, form: { ...form, ownerEmail: ownerOf(form).email }, language, submission }
  }

  return {
    /** Null without the setting, or a mail server. */
    async preview(form: FormTo<'configure'>, what: VisitorMail): Promise<ReplyPreview | null> {
      const answered = answeredOf(form, what)
      if (!answered || !transport) return null
      const to = addressIn(answered) ?? null
      return { to, ...(await transport.make(answered)) }
    },

    /**
     * Sends it to the user's own address, and waits for what the mail server says.
     *
     * @throws AppError `invalid` without the setting or for an address that is not
     *   proved, `rate_limited`
     */
    async test(userId: string, form: FormTo<'configure'>, what: VisitorMail): Promise<ReplyTest> {
      const answered = answeredOf(form, what)
      if (!answered || !transport)
        throw invalid({
          field: what,
          message: 'must be set, on a server that sends email, before it can be tested',
        })
      const to = findEmail.get({ id: userId })?.email
      if (to === undefined)
        throw invalid({
          field: what,
          message: 'can be tested once you have proved your email address, to which the test goes',
        })
      const wait = countTest(userId)
      if (wait !== null) throw tooManyRequests(wait)
      return transport.send(answered, to)
    },
  }
}

const writtenIn = ({ reply, confirm }: FormSettings, what: VisitorMail): Written | null => {
  if (what === 'reply') return reply && { reply }
  return confirm && { confirm }
}

const addressIn = ({ written, submission }: AnsweredForm): string | undefined => {
  const reply = 'reply' in written ? written.reply : { ...written.confirm, copy: false }
  return answeredAddress({ reply }, fieldsIn(submission.data))
}
