import { type Api, textIn } from './api-request.ts'
import { harmless, inBase64, mailbox } from './as-json.ts'

/**
 * The message as JSON. Postmark keeps our `Message-ID` if a header says so.
 *
 * https://postmarkapp.com/developer/api/email-api, https://postmarkapp.com/developer/api/overview#error-codes
 */
export const postmark: Api = {
  toRequest: async (parcel, { server }) => ({
    path: '/email',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-postmark-server-token': server.secret,
    },
    body: Buffer.from(
      JSON.stringify({
        From: mailbox(parcel.from),
        To: parcel.to,
        ...(parcel.replyTo !== null && { ReplyTo: parcel.replyTo }),
        Subject: harmless(parcel.subject),
        TextBody: parcel.text,
        HtmlBody: parcel.html,
        Headers: [['Message-ID', parcel.messageId] as const, ['X-PM-KeepID', 'true'] as const, ...parcel.headers].map(
          ([Name, Value]) => ({ Name, Value }),
        ),
        TrackOpens: false,
        TrackLinks: 'None',
        Attachments: (await inBase64(parcel)).map(({ name, type, content }) => ({
          Name: name,
          ContentType: type,
          Content: content,
        })),
      }),
    ),
  }),
  codeOf: ({ ErrorCode, Message }) => [textIn(ErrorCode), textIn(Message)],
}
