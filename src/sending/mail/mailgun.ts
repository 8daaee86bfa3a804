import { type Api, textIn } from './api-request.ts'
import { toMime } from './mime.ts'

/**
 * The whole message in a form. https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages/post-v3--domain-name--messages-mime
 */
export const mailgun: Api = {
  async toRequest(parcel, { server }) {
    const boundary = `formbox-${crypto.randomUUID()}`
    // The provider would load a picture and lead links through itself, if the domain is set so.
    const values = { to: parcel.to, 'o:tracking': 'no' }
    const fields = Object.entries(values).map(
      ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    const file =
      `--${boundary}\r\nContent-Disposition: form-data; name="message"; filename="message.eml"\r\n` +
      'Content-Type: message/rfc822\r\n\r\n'
    return {
      path: `/v3/${encodeURIComponent(server.place)}/messages.mime`,
      headers: {
        authorization: `Basic ${Buffer.from(`api:${server.secret}`).toString('base64')}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body: Buffer.concat([
        Buffer.from(`${fields.join('')}${file}`),
        await toMime(parcel),
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]),
    }
  },
  codeOf: ({ message }) => ['', textIn(message)],
}
