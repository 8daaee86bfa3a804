/**
 * What is done with a message after an answer. `wait`: the settings are wrong, so that none gets through, and no attempt is
 * used up. `giveUp`: this one will never be taken; of an `address`, none ever will.
 */
type Then = 'sent' | 'again' | 'wait' | 'giveUp' | 'address'

/**
 * One row: the lines that it is about, what is done, what happened, and what to do about it (empty if there is nothing to do).
 * Both are sentences without a full stop, for someone who has never seen this provider. `{host}` and `{server}` stand for the
 * name of the mail server and for that with its port, which only the operator reads.
 */
type Row = readonly [on: RegExp, then: Then, says: string, step: string]

export interface Found {
  readonly then: Then
  readonly says: string
  readonly step: string
}

/** Where a line comes from. */
type Source = keyof typeof answers

/** Finds what a line means. The last row of each source is about every line. */
export const findAnswer = (source: Source, line: string): Found => {
  const [, then, says, step] = answers[source].find(([on]) => on.test(line)) as Row
  return { then, says, step }
}

const log = 'If this lasts, the log of the mail server says why'
const port =
  'Check the port: a firewall or your hosting company may block it, and a provider with an API needs none but 443'
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
