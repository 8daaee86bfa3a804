import { signedHeaders } from '../../remote/s3/signature.ts'
import { type Api, textIn } from './api-request.ts'
import { toMime } from './mime.ts'

/** The whole message. https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html */
export const ses: Api = {
  async toRequest(parcel, { server }) {
    const path = '/v2/email/outbound-emails'
    const content = { Raw: { Data: (await toMime(parcel)).toString('base64') } }
    const body = Buffer.from(JSON.stringify({ Destination: { ToAddresses: [parcel.to] }, Content: content }))
    const url = new URL(`${server.endpoint}${path}`)
    const unsigned = { method: 'POST', url, headers: { 'content-type': 'application/json' }, body, at: Date.now() }
    const access = { service: 'ses', region: server.place, accessKeyId: server.keyId, secretAccessKey: server.secret }
    return { path, headers: signedHeaders(unsigned, access), body }
  },
  /** `MessageRejected:http://internal…` in a header; in the body, the message alone. */
  codeOf: (body, headers) => [
    textIn(headers['x-amzn-errortype'] ?? body.__type ?? body.code).replace(/:.*$|^.*#/g, ''),
    textIn(body.message ?? body.Message),
  ],
}
