import { type MailConfig, parseMailbox, parseMailUrl } from '../../src/config/mail.ts'
import { type GivenOauth, mailNames, toOauth } from '../../src/config/mail-oauth.ts'

const noOauth: GivenOauth = { clientId: '', clientSecret: '', tokenUrl: null, scope: '' }

interface More {
  readonly from?: string
  readonly publicUrl?: string
  readonly oauth?: Partial<GivenOauth>
}

/** What a server has that sends by this URL. */
export const mailConfig = (url: string, { from = 'forms@example.com', publicUrl, oauth }: More = {}): MailConfig => {
  const server = parseMailUrl('', url) as MailConfig['server']
  return {
    server,
    oauth: toOauth(server, { ...noOauth, ...oauth }, mailNames),
    from: parseMailbox('', from) as MailConfig['from'],
    publicUrl: publicUrl ?? 'https://forms.example.com',
  }
}
