import type { Row } from './answer-row.ts'

// The lines of an API: the status of HTTP, the provider's code (`-` if it has none), and its text. Codes and texts are those
// of each provider's documentation, and of what its users report.

/** For every provider, after its own rows. */
const anyApi = [
  [/^401 /, 'wait', 'The provider refused the key', 'Create a key that may send, and put it into FORMBOX_MAIL_URL'],
  [/^403 /, 'wait', 'The provider does not allow this key to send', 'Its dashboard says what is missing'],
  [/^404 /, 'wait', 'The provider does not know the address of the request', 'Check each part of FORMBOX_MAIL_URL'],
  [/^3\d\d /, 'wait', 'The provider leads to another address', 'Check the endpoint in FORMBOX_MAIL_URL'],
  [/^(408|409|425|429) /, 'again', 'The provider asks to try again later', ''],
  [/^413 /, 'giveUp', 'The email is larger than the provider allows', ''],
  [/^5\d\d /, 'again', 'The provider has a fault at the moment', 'If it lasts, see its status page'],
  [/./, 'giveUp', 'The provider refused the email', 'What it responded may say why'],
] as const satisfies readonly Row[]

const graph = [
  [
    /^403 .*(AppOnly AccessPolicy|\bRAOP\b)/i,
    'wait',
    'A policy of the organisation keeps the app from this mailbox',
    'In Exchange, an administrator adds the mailbox to the policy or to the scope of the app',
  ],
  [
    /^\d+ ErrorSendAsDenied/,
    'wait',
    'Microsoft 365 does not let the app send as the sender in FORMBOX_MAIL_FROM',
    'Use the main address of a mailbox, and a name without an @',
  ],
  [
    /^403 (ErrorAccessDenied|Authorization_RequestDenied|AccessDenied|Forbidden)/,
    'wait',
    'The app is not allowed to send in Microsoft 365',
    'Give it the role “Application Mail.Send” in Exchange, which takes up to two hours, or the application permission Mail.Send ' +
      'with admin consent in Entra',
  ],
  [
    /^\d+ (MailboxNotEnabledForRESTAPI|MailboxNotSupportedForRESTAPI|ErrorNonExistentMailbox)/,
    'wait',
    'The sender in FORMBOX_MAIL_FROM has no mailbox in Exchange Online',
    'Give the user a licence with a mailbox and wait until it exists, or use another sender',
  ],
  [
    /^\d+ (ErrorInvalidUser|Request_ResourceNotFound|ResourceNotFound|ErrorItemNotFound)/,
    'wait',
    'The tenant has no user with the address in FORMBOX_MAIL_FROM',
    'Check the tenant, and use the address with which this user signs in',
  ],
  [
    /^401 /,
    'wait',
    'Microsoft Graph does not accept the token',
    'Leave FORMBOX_MAIL_OAUTH_SCOPE empty, and check that the app belongs to this tenant',
  ],
  [
    /^\d+ ErrorAccountSuspend/,
    'wait',
    'Microsoft has suspended the mailbox in FORMBOX_MAIL_FROM',
    'An administrator removes it from the restricted entities in Microsoft Defender',
  ],
  [
    /^\d+ (ErrorQuotaExceeded|ErrorMailboxQuotaExceeded)/,
    'wait',
    'The mailbox of the sender is full',
    'Delete something: a copy of each email is kept in Sent Items',
  ],
  [/^\d+ ErrorExceededMessageLimit/, 'wait', 'The mailbox has sent as much as Microsoft allows', 'Wait until tomorrow'],
  [/^\d+ ErrorInvalidRecipients/, 'address', 'Microsoft refused the address', 'Check that it is spelled right'],
  [
    /^\d+ (ErrorMessageSizeExceeded|RequestEntityTooLarge|ErrorRequestTooLarge)/,
    'giveUp',
    'The email is larger than Microsoft Graph allows',
    '',
  ],
  [
    /^\d+ (ApplicationThrottled|TooManyRequests|ErrorServerBusy|ErrorMailboxStoreUnavailable)/,
    'again',
    'Microsoft asks to try again later',
    '',
  ],
  ...anyApi,
] as const satisfies readonly Row[]

const resend = [
  // Of the same delivery, with something else in it: the first one has left.
  [/^409 invalid_idempotent_request/, 'sent', 'Resend has taken this email before', ''],
  [
    /only send testing emails to your own/i,
    'wait',
    'Resend sends to your own address alone until a domain is verified',
    'Verify a domain at resend.com/domains, and use an address of it in FORMBOX_MAIL_FROM',
  ],
  [
    /domain is not verified/i,
    'wait',
    'Resend has not verified the domain of FORMBOX_MAIL_FROM',
    'Add its records to your DNS, as resend.com/domains shows them',
  ],
  [
    /^\d+ invalid_from_address|Invalid `from`|not authorized to send emails from/i,
    'wait',
    'Resend does not accept the sender in FORMBOX_MAIL_FROM',
    'Use an address of a verified domain for which this key may send',
  ],
  [
    /^\d+ \S+ .*API key is (invalid|suspended|inactive|not active)|^\d+ (missing|invalid|restricted|suspended)_api_key/i,
    'wait',
    'Resend refused the key',
    'Create a key with “Sending access” at resend.com/api-keys, and put it into FORMBOX_MAIL_URL',
  ],
  [
    /^429 (daily|monthly)_quota_exceeded/,
    'wait',
    'The quota at Resend is used up',
    'Wait until it begins anew, or choose a larger plan',
  ],
  [/Invalid `to`/i, 'address', 'Resend refused the address', 'Check that it is spelled right'],
  ...anyApi,
] as const satisfies readonly Row[]

const postmark = [
  [
    /^\d+ 10 /,
    'wait',
    'Postmark does not know the token',
    'Copy the server API token, under “API Tokens” of the server; that of the account is another one',
  ],
  [
    /^\d+ (400|401) /,
    'wait',
    'Postmark has not verified the sender in FORMBOX_MAIL_FROM',
    'Add the address or its domain under “Sender Signatures”, and confirm it',
  ],
  [
    /^\d+ 412 /,
    'wait',
    'Postmark has not approved the account, and sends to its own domain alone until then',
    'Request approval in its dashboard',
  ],
  [
    /^\d+ (405|413) /,
    'wait',
    'Postmark does not let the account send',
    'See its dashboard: the emails of the plan may be used up',
  ],
  [
    /^\d+ 406 /,
    'address',
    'Postmark sends nothing to this address, because an email to it came back or was marked as spam',
    'Reactivate it under “Suppressions”',
  ],
  [/^\d+ 300 .*\b(To|recipient)\b/i, 'address', 'Postmark refused the address', 'Check that it is spelled right'],
  [
    /^\d+ 300 .*\bFrom\b/i,
    'wait',
    'Postmark does not accept the sender in FORMBOX_MAIL_FROM',
    'Check that it is spelled right',
  ],
  [/^\d+ 411 /, 'giveUp', 'Postmark takes no file of this type', ''],
  [/^\d+ 100 /, 'again', 'Postmark is being maintained', ''],
  ...anyApi,
] as const satisfies readonly Row[]

const mailgun = [
  [
    /sandbox/i,
    'wait',
    'The sandbox of Mailgun sends to authorised recipients alone',
    'Add your own domain at Mailgun, and use it in FORMBOX_MAIL_URL',
  ],
  [
    /not allowed to send|\bprobation\b|\bnot (been )?activated\b|account (is )?(temporarily )?disabled/i,
    'wait',
    'Mailgun does not let the domain or the account send',
    'Activate the account, and verify the records of the domain, in its dashboard',
  ],
  [
    /^401 /,
    'wait',
    'Mailgun refused the key',
    'Create a sending key of the domain; for a domain in Europe, add ?region=eu to FORMBOX_MAIL_URL',
  ],
  [
    /^404 |domain not found/i,
    'wait',
    'Mailgun has no such domain in this region',
    'Check the domain; for one in Europe, add ?region=eu to FORMBOX_MAIL_URL',
  ],
  [/^402 /, 'wait', 'Mailgun wants a payment before it sends', 'See the plan in its dashboard'],
  [
    /^\d+ - .*\bto\b.* (is )?not (a )?valid/i,
    'address',
    'Mailgun refused the address',
    'Check that it is spelled right',
  ],
  [
    /^\d+ - .*\bfrom\b.* (is )?not (a )?valid/i,
    'wait',
    'Mailgun does not accept the sender in FORMBOX_MAIL_FROM',
    'Use an address of the domain in FORMBOX_MAIL_URL',
  ],
  ...anyApi,
] as const satisfies readonly Row[]

const ses = [
  [
    /^\d+ (MessageRejected|MailFromDomainNotVerifiedException) .*not verified|^\d+ MailFromDomainNotVerifiedException/,
    'wait',
    'Amazon SES has not verified the sender in this region, or is still in its sandbox',
    'Verify the domain of FORMBOX_MAIL_FROM in that region, and request production access to send to anyone',
  ],
  [
    /^\d+ (AccountSuspendedException|SendingPausedException)/,
    'wait',
    'Amazon has paused sending for the account',
    'See “Account dashboard” in its console',
  ],
  [
    /^\d+ (UnrecognizedClientException|InvalidClientTokenId|IncompleteSignature)/,
    'wait',
    'Amazon does not know the key',
    'Use an access key of IAM; the user and password for SMTP are others',
  ],
  [
    /signature (expired|not yet current)|RequestExpired|RequestTimeTooSkewed/i,
    'wait',
    'Amazon finds that the clock of this machine is wrong',
    'Set the clock, for example with systemd-timesyncd',
  ],
  [
    /^\d+ (SignatureDoesNotMatch|InvalidSignatureException)/,
    'wait',
    'Amazon refused the secret of the key',
    'Copy it again, and write %2F for / and %2B for + in FORMBOX_MAIL_URL',
  ],
  [
    /^\d+ AccessDenied/,
    'wait',
    'The key may not send with Amazon SES',
    'Give its user the permissions ses:SendEmail and ses:SendRawEmail',
  ],
  [
    /daily (message|sending) quota/i,
    'wait',
    'The daily quota at Amazon SES is used up',
    'Wait, or request a higher one in its console',
  ],
  [/^\d+ (TooManyRequests|Throttling|LimitExceeded)/, 'again', 'Amazon SES asks to try again later', ''],
  [/message length|too (long|large)/i, 'giveUp', 'The email is larger than Amazon SES allows', ''],
  [
    /^400 .*(missing final|illegal (address|domain)|domain (contains|starts|ends)|local address)/i,
    'address',
    'Amazon SES refused the address',
    'Check that it is spelled right',
  ],
  ...anyApi,
] as const satisfies readonly Row[]

export const apiAnswers = { graph, resend, postmark, mailgun, ses }
