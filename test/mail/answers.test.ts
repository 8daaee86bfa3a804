import { describe, expect, test } from 'bun:test'
import { answers, findAnswer } from '../../src/sending/mail/answers.ts'

const sources = Object.keys(answers) as (keyof typeof answers)[]

describe.each(sources)('the answers of %s', (source) => {
  test('say in sentences without a full stop what happened and what to do', () => {
    for (const [, then, says, step] of answers[source]) {
      expect(says).toMatch(/^([A-Z]|\{server\} )[^\n]*[^.\s]$/)
      expect(step).toMatch(/^$|^[A-Z][^\n]*[^.\s]$/)
      // What stops all mail needs a next step.
      if (then === 'wait') expect(step, says).not.toBe('')
    }
  })

  test('end with one for everything else, and none but this is for every line', () => {
    const [last, ...others] = answers[source].toReversed()
    expect(last?.[0].source).toBe('.')
    for (const [on] of others) expect(on.test('X 299 - nothing of this kind')).toBe(false)
  })
})

type Case = [source: keyof typeof answers, line: string, then: string, says: string]

describe('an answer', () => {
  test.each<Case>([
    ['net', 'EDNS ENOTFOUND', 'again', 'was not found'],
    ['net', 'ESOCKET ECONNREFUSED', 'again', 'refused the connection'],
    ['net', 'ESOCKET UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'wait', 'not signed by an authority'],
    ['net', 'ESOCKET SELF_SIGNED_CERT_IN_CHAIN', 'wait', 'not signed by an authority'],
    ['net', 'ESOCKET CERT_HAS_EXPIRED', 'wait', 'has expired'],
    ['net', 'ETLS ', 'wait', 'No encrypted connection'],
    [
      'smtp',
      'AUTH LOGIN 454 4.7.0 454 4.7.0 Too many login attempts, please try again later',
      'again',
      'check the password',
    ],
    ['smtp', 'RCPT TO 503 5.5.1 503 5.5.1 Bad sequence', 'again', 'try again later'],
    ['smtp', 'DATA 552 5.7.0 552-5.7.0 This message was blocked', 'giveUp', 'refused the email'],
    ['smtp', 'EHLO 421 4.7.0 421 4.7.0 Try again later', 'again', 'no email at the moment'],
    // https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission
    ...[
      [
        '535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant. Visit',
        'switched off',
      ],
      [
        '535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Mailbox.',
        'switched off',
      ],
      [
        '535 5.7.139 Authentication unsuccessful, user is locked by your organization’s security defaults',
        'security policy',
      ],
      ['535 5.7.139 Authentication unsuccessful, the request did not meet the criteria to be', 'security policy'],
      ['535 5.7.139 Authentication unsuccessful, basic authentication is disabled.', 'no longer takes passwords'],
      ['550 5.7.30 Basic authentication is not supported for Client Submission.', 'no longer takes passwords'],
      ['535 5.7.139 Authentication unsuccessful, the user credentials were incorrect.', 'the user or the password'],
      ['535 5.7.3 Authentication unsuccessful [AM0PR06CA0126.eurprd06.prod.outlook.com]', 'the user or the password'],
      [
        '535 5.7.8 Username and Password not accepted. For more information, go to  BadCredentials a1 - gsmtp',
        'Google refused',
      ],
      ['534 5.7.9 Application-specific password required.', 'another way to sign in'],
      [
        '534 5.7.14 <https://accounts.google.com/signin/continue?> Please log in via your web browser',
        'another way to sign in',
      ],
      ['525 5.7.1 Unauthorized IP address', 'address of this machine'],
      ['502 5.7.0 Your SMTP account is not yet activated', 'not activated'],
    ].map(
      ([answer = '', says = '']): Case => [
        'smtp',
        `AUTH LOGIN ${answer.slice(0, 3)} ${answer.split(' ')[1]} ${answer}`,
        'wait',
        says,
      ],
    ),
    ...[
      ['AUTH XOAUTH2 535 5.7.3 535 5.7.3 Authentication unsuccessful', 'does not let the app into this mailbox'],
      ['AUTH XOAUTH2 535 5.7.139 535 5.7.139 x, SmtpClientAuthentication is disabled for the Mailbox.', 'switched off'],
      ['AUTH XOAUTH2 504 5.7.4 504 5.7.4 Unrecognized authentication type', 'takes no tokens'],
      ['DATA 430 4.2.0 430 4.2.0 STOREDRV; mailbox logon failure; MapiExceptionLogonFailed', 'not open this mailbox'],
      ['MAIL FROM 530 5.7.57 530 5.7.57 Client not authenticated to send mail.', 'requires a user and a password'],
      ['DATA 554 5.2.252 554 5.2.252 SendAsDenied; a@b.c not allowed to send as d@e.f', 'not accept the sender'],
      [
        'DATA 550 5.7.60 550 5.7.60 SMTP; Client does not have permissions to send as this sender',
        'not accept the sender',
      ],
      ['RCPT TO 550 5.7.64 550 5.7.64 TenantAttribution; Relay Access Denied', 'not send email to other servers'],
      [
        'DATA 550 5.7.708 550 5.7.708 Service unavailable. Access denied, traffic not accepted',
        'Microsoft has stopped',
      ],
      ['DATA 550 5.4.5 550-5.4.5 Daily user sending limit exceeded.', 'as many emails as'],
      ['MAIL FROM 550 5.7.1 550-5.7.1 Invalid credentials for relay [192.0.2.1].', 'Google does not know'],
      ['DATA 554 - 554 Sandbox subdomains are for test purposes only.', 'sandbox'],
      ['DATA 554 - 554 Message rejected: Email address is not verified.', 'not accept the sender'],
    ].map(([line = '', says = '']): Case => ['smtp', line, 'wait', says]),
    ...(
      [
        ['401 invalid_client: AADSTS7000215: Invalid client secret provided.', 'refused the client secret'],
        ['401 invalid_client: AADSTS7000222: The provided client secret keys for app are expired.', 'has expired'],
        ['401 invalid_client: AADSTS7000218: The request body must contain client_assertion or', 'no client secret'],
        [
          '400 unauthorized_client: AADSTS700016: Application with identifier was not found',
          'no app with this client ID',
        ],
        ['400 invalid_request: AADSTS90002: Tenant not found.', 'no such tenant'],
        [
          '400 invalid_request: AADSTS900023: Specified tenant identifier is neither a valid DNS name',
          'no such tenant',
        ],
        ['400 unauthorized_client: AADSTS7000112: Application is disabled.', 'switched off'],
        ['400 invalid_scope: AADSTS70011: The provided value for scope is not valid.', 'the scope'],
        ['400 invalid_scope: AADSTS1002012: The provided value for scope is not valid', 'the scope'],
        ['400 invalid_resource: AADSTS500011: The resource principal was not found', 'no such service'],
        ['400 invalid_grant: AADSTS65001: The user or administrator has not consented', 'consented'],
        ['401 access_denied: AADSTS53003: Access has been blocked by Conditional Access', 'conditional access'],
        ['400 unsupported_grant_type: Invalid grant_type: client_credentials', 'without a person'],
        ['401 invalid_client', 'refused the client ID'],
        ['404 ', 'gives no tokens'],
        ['200 ', 'gives no tokens'],
      ] as const
    ).map(([line, says]): Case => ['oauth', line, 'wait', says]),
    ['oauth', '503 temporarily_unavailable', 'again', 'no token at the moment'],
    ['graph', '403 ErrorSendAsDenied The user account which was used', 'wait', 'does not let the app send as'],
    [
      'graph',
      '403 ErrorAccessDenied Access is denied. Check credentials and try again.',
      'wait',
      'is not allowed to send',
    ],
    ['graph', '403 Authorization_RequestDenied Insufficient privileges', 'wait', 'is not allowed to send'],
    ['graph', '403 ErrorAccessDenied Access to OData is disabled: [RAOP] : Blocked by tenant', 'wait', 'A policy'],
    [
      'graph',
      '404 MailboxNotEnabledForRESTAPI The mailbox is either inactive, soft-deleted, or',
      'wait',
      'has no mailbox',
    ],
    ['graph', '404 ErrorInvalidUser The requested user is invalid.', 'wait', 'no user with the address'],
    ['graph', '404 Request_ResourceNotFound Resource does not exist', 'wait', 'no user with the address'],
    ['graph', '401 InvalidAuthenticationToken Access token validation failure. Invalid audience.', 'wait', 'the token'],
    ['graph', '429 ApplicationThrottled Application is over its MailboxConcurrency limit.', 'again', 'try again later'],
    ['graph', '413 - Request Entity Too Large', 'giveUp', 'larger'],
    ['graph', '400 ErrorInvalidRecipients At least one recipient is not valid.', 'address', 'refused the address'],
    [
      'resend',
      '403 validation_error You can only send testing emails to your own email address',
      'wait',
      'your own address',
    ],
    [
      'resend',
      '403 validation_error The gmail.com domain is not verified. Please, add and',
      'wait',
      'not verified the domain',
    ],
    ['resend', '401 validation_error API key is invalid', 'wait', 'refused the key'],
    ['resend', '403 invalid_api_key API key is invalid', 'wait', 'refused the key'],
    ['resend', '422 invalid_from_address Invalid `from` field.', 'wait', 'the sender'],
    ['resend', '429 daily_quota_exceeded You have reached your daily email sending quota.', 'wait', 'quota'],
    ['resend', '429 rate_limit_exceeded Too many requests.', 'again', 'try again later'],
    ['resend', '409 invalid_idempotent_request This idempotency key has been used', 'sent', 'before'],
    ['resend', '409 concurrent_idempotent_requests Another request is in progress', 'again', 'try again later'],
    ['resend', '422 validation_error Invalid `to` field. The email address needs to follow', 'address', 'the address'],
    ['postmark', '401 10 No Account or Server API tokens were supplied', 'wait', 'the token'],
    [
      'postmark',
      "422 400 The 'From' address you supplied is not a Sender Signature",
      'wait',
      'not verified the sender',
    ],
    ['postmark', '422 401 Sender signature not confirmed', 'wait', 'not verified the sender'],
    ['postmark', '422 405 Not allowed to send', 'wait', 'the account send'],
    [
      'postmark',
      '422 412 While your account is pending approval, all recipient addresses must',
      'wait',
      'not approved',
    ],
    [
      'postmark',
      '422 406 You tried to send to a recipient that has been marked as inactive.',
      'address',
      'nothing to this address',
    ],
    ['postmark', "422 300 Error parsing 'To': Illegal email address", 'address', 'the address'],
    ['postmark', '422 411 Forbidden attachment type', 'giveUp', 'no file of this type'],
    ['postmark', '403 - <html>', 'wait', 'not allow this key'],
    ['mailgun', '403 - Domain sandbox1.mailgun.org is not allowed to send: Sandbox subdomains are', 'wait', 'sandbox'],
    ['mailgun', '401 - Forbidden', 'wait', 'refused the key'],
    ['mailgun', '404 - Domain not found: mg.example.com', 'wait', 'no such domain'],
    ['mailgun', '403 - Your account is not activated.', 'wait', 'the domain or the account'],
    ['mailgun', "400 - 'to' parameter is not a valid address. please check documentation", 'address', 'the address'],
    ['mailgun', "400 - 'from' parameter is not a valid address. please check documentation", 'wait', 'the sender'],
    ['ses', '400 MessageRejected Email address is not verified. The following identities failed', 'wait', 'sandbox'],
    ['ses', '400 MailFromDomainNotVerifiedException x', 'wait', 'not verified'],
    [
      'ses',
      '403 UnrecognizedClientException The security token included in the request is invalid.',
      'wait',
      'the key',
    ],
    [
      'ses',
      '403 InvalidSignatureException Signature expired: 20261101T000000Z is now earlier than',
      'wait',
      'the clock',
    ],
    ['ses', '403 SignatureDoesNotMatch The request signature we calculated does not match', 'wait', 'the secret'],
    ['ses', '403 AccessDeniedException User is not authorized to perform: ses:SendRawEmail', 'wait', 'may not send'],
    ['ses', '400 SendingPausedException x', 'wait', 'paused'],
    ['ses', '429 TooManyRequestsException Maximum sending rate exceeded.', 'again', 'try again later'],
    ['ses', '429 LimitExceededException Daily message quota exceeded.', 'wait', 'daily quota'],
    ['ses', '400 MessageRejected Message content is not allowed', 'giveUp', 'refused the email'],
  ])('of %s, %s, is for %s', (source, line, then, says) => {
    const found = findAnswer(source, line)
    expect(found.then).toBe(then as typeof found.then)
    expect(found.says).toContain(says)
  })
})
