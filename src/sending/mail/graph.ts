import { type Api, textIn } from './api-request.ts'
import { toMime } from './mime.ts'

/**
 * `sendMail` of Microsoft Graph with the whole message in base64, as the mailbox of the sender.
 *
 * https://learn.microsoft.com/en-us/graph/api/user-sendmail, https://learn.microsoft.com/en-us/graph/outlook-send-mime-message
 */
export const graph: Api = {
  toRequest: async (parcel, { token }) => ({
    path: `/v1.0/users/${encodeURIComponent(parcel.from.address)}/sendMail`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain', 'client-request-id': parcel.id },
    body: Buffer.from((await toMime(parcel)).toString('base64')),
  }),
  codeOf: ({ error }) => [textIn(error?.code), textIn(error?.message)],
}
