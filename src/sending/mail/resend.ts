import { type Api, textIn } from './api-request.ts'
import { harmless, inBase64, mailbox } from './as-json.ts'

/**
 * The message as JSON. The key makes a second attempt within 24 hours harmless.
 *
 * https://resend.com/docs/api-reference/emails/send-email, https://resend.com/docs/dashboard/emails/idempotency-keys
 */
export const resend: Api = {
  toRequest: async (parcel, { server }) => ({
    path: '/emails',
    headers: {
      authorization: `Bearer ${server.secret}`,
      'content-type': 'application/json',
      'idempotency-key': parcel.id,
    },
    body: Buffer.from(
      JSON.stringify({
        from: mailbox(parcel.from),
        to: [parcel.to],
        ...(parcel.replyTo !== null && { reply_to: parcel.replyTo }),
        subject: harmless(parcel.subject),
        text: parcel.text,
        html: parcel.html,
        headers: Object.fromEntries([['Message-ID', parcel.messageId], ...parcel.headers]),
        attachments: (await inBase64(parcel)).map(({ name, type, content }) => ({
          filename: name,
          content_type: type,
          content,
        })),
      }),
    ),
  }),
  codeOf: ({ name, message }) => [textIn(name), textIn(message)],
}
