import { lazily } from '../../base/lazily.ts'
import { type Parcel, toMessage } from './parcel.ts'

const composer = lazily(async () => {
  const [{ default: Mailer }, { default: StreamTransport }] = await Promise.all([
    import('nodemailer/lib/mailer'),
    import('nodemailer/lib/stream-transport'),
  ])
  return new Mailer(new StreamTransport({ buffer: true, newline: 'windows' }))
})

/** The message as it would leave by SMTP (RFC 5322). */
export const toMime = async (parcel: Parcel): Promise<Buffer<ArrayBuffer>> => {
  const { message } = await (await composer()).sendMail(toMessage(parcel))
  return message as Buffer<ArrayBuffer>
}
