import type { Row, Then } from './answer-row.ts'
import { apiAnswers } from './api-answers.ts'
import { oauthAnswers } from './oauth-answers.ts'

export interface Found {
  readonly then: Then
  readonly says: string
  readonly step: string
}

/** Where a line comes from. */
export type Source = keyof typeof answers

/** Finds what a line means. The last row of each source is about every line. */
export const findAnswer = (source: Source, line: string): Found => {
  const [, then, says, step] = answers[source].find(([on]) => on.test(line)) as Row
  return { then, says, step }
}

const log = 'If this lasts, the log of the mail server says why'
const port =
  'A firewall or your hosting company may block the port; a provider with an API needs 443 alone (see Email in the documentation)'
const relay =
  'Add a user and a password to FORMBOX_MAIL_URL, or let the mail server allow this machine to send to other servers'
const sender = 'Verify this address or its domain with your provider, or set another sender'
const authority = 'To trust your own certificate authority, set NODE_EXTRA_CA_CERTS to the file with its certificate'
const untrusted = 'The certificate of {host} is not signed by an authority that this machine trusts'

/**
 * Every answer. A line of `smtp` is the command that was answered, the code, the detailed code (RFC 3463; `-` if there is
 * none) and the text; one of `net` the code of nodemailer, that of the system or of TLS, and how the connection begins.
 */
export const answers = {
  ...apiAnswers,
  oauth: oauthAnswers,
  net: [
    [/^EDNS ENOTFOUND/, 'again', 'The address of {host} was not found', 'Check the name, and the DNS of this machine'],
    [/^EDNS/, 'again', 'The address of {host} could not be looked up', 'Check the DNS of this machine'],
    [
      /^GREETING_TIMEOUT/,
      'again',
      '{server} accepts connections, but sends nothing',
      'Port 465 needs smtps://; on any other, the mail server takes longer than 30 seconds to greet: see its log',
    ],
    [/^(ETIMEDOUT|EABORT)/, 'again', '{server} does not respond in time', port],
    [/ ECONNREFUSED/, 'again', '{server} refused the connection', port],
    [/ (EHOSTUNREACH|ENETUNREACH)/, 'again', '{server} cannot be reached from here', port],
    [
      / ERR_TLS_CERT_ALTNAME_INVALID/,
      'wait',
      'The certificate of {host} is for another name',
      'Use the name that is in the certificate',
    ],
    [
      / CERT_HAS_EXPIRED/,
      'wait',
      'The certificate of {host} has expired',
      'Renew it, and check the clock of this machine',
    ],
    [/ CERT_NOT_YET_VALID/, 'wait', 'The certificate of {host} is not valid yet', 'Check the clock of this machine'],
    [/ (DEPTH_ZERO_)?SELF_SIGNED_CERT| UNABLE_TO_(GET|VERIFY)_/, 'wait', untrusted, authority],
    [
      / ERR_SSL_WRONG_VERSION_NUMBER/,
      'wait',
      '{server} does not begin with TLS',
      'Use smtp:// for the ports 587, 2525 and 25',
    ],
    [
      /^ETLS PUBLIC/,
      'wait',
      'The mail server has an address that is not private, where nothing is sent without encryption',
      'Remove ?tls=off from FORMBOX_MAIL_URL',
    ],
    [
      /^ETLS| ERR_(SSL|TLS)_/,
      'wait',
      'No encrypted connection with {server} ({code})',
      'The mail server must offer TLS 1.2 or later',
    ],
    [/^EPROTOCOL/, 'wait', '{server} does not respond like a mail server', 'Check the host and the port'],
    [/^ESTREAM/, 'again', 'A file was deleted while it was sent', ''],
    [/^EMESSAGE/, 'giveUp', 'The email is larger than the mail server allows', ''],
    [/^(ECONNECTION|ESOCKET)|ECONNRESET/, 'again', '{server} ended the connection', log],
    [/./, 'again', 'The email could not be sent ({code})', log],
  ],
  smtp: [
    [/^STARTTLS 5/, 'wait', 'The mail server offers no encryption (STARTTLS)', 'Use smtps://, or another port'],
    [/^STARTTLS/, 'wait', 'The mail server cannot encrypt the connection at the moment', log],
    [
      /^AUTH .*SmtpClientAuthentication is disabled for the (Tenant|Mailbox)/i,
      'wait',
      'Microsoft 365 has signing in by SMTP switched off',
      'An administrator allows “Authenticated SMTP” for this mailbox; or send with graph://, which needs none',
    ],
    [
      /^AUTH XOAUTH2 535 /,
      'wait',
      'The provider gave a token, but the mail server does not let the app into this mailbox',
      'At Microsoft, run New-ServicePrincipal with the Object ID of the enterprise application, not of the app registration, ' +
        'and Add-MailboxPermission for it; the app needs SMTP.SendAsApp with admin consent',
    ],
    [
      /^AUTH XOAUTH2 (50\d|53\d) /,
      'wait',
      'The mail server takes no tokens (XOAUTH2)',
      'Use a password, or another provider',
    ],
    [
      /^AUTH .*(basic authentication is (disabled|not supported)|5\.7\.30 )/i,
      'wait',
      'Microsoft no longer takes passwords for SMTP from this mailbox',
      'Send with graph://, or sign in with a token',
    ],
    [
      /^AUTH .*5\.7\.139 .*(security defaults|did not meet the criteria|conditional access|locked)/i,
      'wait',
      'A security policy of the organisation keeps this user from signing in with a password',
      'Send with graph://, which needs no password',
    ],
    [
      /^AUTH .*5\.7\.139 .*password (has )?expired/i,
      'wait',
      'The password of the mailbox has expired',
      'Set another one, and put it into FORMBOX_MAIL_URL',
    ],
    [
      /^AUTH .*(5\.7\.8|5\.7\.1) .*(BadCredentials|gsmtp)/i,
      'wait',
      'Google refused the user or the password',
      'Use an app password, which needs 2-step verification; that of the account does not work',
    ],
    [
      /^AUTH .*(5\.7\.9|5\.7\.14) /,
      'wait',
      'The mail server requires another way to sign in',
      'Create an app password with your provider, and use it in place of the password',
    ],
    [
      /^AUTH .*unauthorized ip/i,
      'wait',
      'The provider does not know the address of this machine',
      'Add it to the authorised addresses in its dashboard',
    ],
    [/^AUTH .*not (yet )?activated/i, 'wait', 'The provider has not activated the account for SMTP', 'Ask it to do so'],
    [/^AUTH(?: [\w-]+)? 4\d\d /, 'again', 'The mail server cannot check the password at the moment', log],
    [
      /^AUTH(?: [\w-]+)? 535 /,
      'wait',
      'The mail server refused the user or the password',
      'Check both; many providers want an app password or a key in place of the password',
    ],
    [
      /^AUTH(?: [\w-]+)? 534 /,
      'wait',
      'The mail server requires another way to sign in',
      'Create an app password with your provider, and use it in place of the password',
    ],
    [
      /^AUTH/,
      'wait',
      'The mail server offers no way to sign in that Formbox supports: PLAIN, LOGIN or CRAM-MD5',
      'Use another port, or remove user and password if it needs none',
    ],
    [
      /^[A-Z ]+ (530|538) /,
      'wait',
      'The mail server requires a user and a password',
      'Add them to FORMBOX_MAIL_URL, before the host',
    ],
    [
      /STOREDRV.*(logon ?failure|LogonFailed|cannot open mailbox)/i,
      'wait',
      'The app may sign in to Microsoft 365, but not open this mailbox',
      'Run Add-MailboxPermission with the Object ID of the enterprise application, for the mailbox in FORMBOX_MAIL_URL',
    ],
    [
      /SendAsDenied|5\.7\.60 |5\.2\.252 |permissions to send as/i,
      'wait',
      'The mail server does not accept the sender in FORMBOX_MAIL_FROM',
      'Use the address of the mailbox that signs in, or give it “Send as” for this sender',
    ],
    [
      /5\.7\.(705|708|750) /,
      'wait',
      'Microsoft has stopped email from the organisation or from this address',
      'An administrator finds the reason in Microsoft Defender, under “Restricted entities”',
    ],
    [
      /5\.4\.5 .*limit|5\.1\.90 |(quota|submission) (limit )?exceeded.*(send|submission)|daily (user )?(sending|message|relay) (limit|quota)/i,
      'wait',
      'The mailbox has sent as many emails as its provider allows a day',
      'Wait until tomorrow, or use a provider that allows more',
    ],
    [
      /invalid credentials for relay/i,
      'wait',
      'Google does not know the address of this machine',
      'Add it to the SMTP relay service in the Admin console of Google Workspace',
    ],
    [
      /sandbox (sub)?domain/i,
      'wait',
      'The provider is in a sandbox, and sends to authorised recipients alone',
      'Add your own domain in its dashboard',
    ],
    // The words of Postfix, Exim, Sendmail, Exchange, Amazon SES, Postmark and Gmail. The codes are the same for much else.
    [
      /\brelay(ing)? (access )?(denied|not permitted|prohibited)|\bunable to relay\b|\brcpthosts\b/i,
      'wait',
      'The mail server does not send email to other servers for Formbox',
      relay,
    ],
    [
      /^[A-Z ]+ 5.*\b(client host|helo command) rejected\b/i,
      'wait',
      'The mail server accepts no email from this machine',
      'Let it allow the address of this machine, or send through a provider',
    ],
    [
      /^MAIL FROM 5|^[A-Z ]+ 5.*(\bsender\b.*\b(rejected|denied|not (allowed|owned|verified))|\bnot verified\b|\bsend as\b|\bdmarc\b)/i,
      'wait',
      'The mail server does not accept the sender in FORMBOX_MAIL_FROM',
      sender,
    ],
    [/^(CONN|EHLO|HELO) 5/, 'wait', 'The mail server accepts no email at the moment', log],
    [/^(CONN|EHLO|HELO)/, 'again', 'The mail server accepts no email at the moment', log],
    // Exim gives no code with dots, and Gmail one of the mailbox.
    [
      /^[A-Z ]+ 5\d\d (\d\.3\.4 |.*\bmessage('s)? (size|length|exceeds|exceeded|(is )?too (big|large))\b)/i,
      'giveUp',
      'The email is larger than the mail server allows',
      '',
    ],
    [
      /^[A-Z ]+ (\d\d\d \d\.2\.2 |552 (?!\d\.7\.))/,
      'again',
      'The mailbox is full',
      'Its owner has to delete something',
    ],
    [/^[A-Z ]+ (4|503 )/, 'again', 'The mail server asks to try again later', ''],
    [/^RCPT TO/, 'address', 'The mail server refused the address', 'Check that it exists and is spelled right'],
    [/./, 'giveUp', 'The mail server refused the email', 'What it responded may say why'],
  ],
} as const satisfies Readonly<Record<string, readonly Row[]>>
