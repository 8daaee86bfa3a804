import type { Row } from './answer-row.ts'

/**
 * What a server of tokens answers: the status of HTTP, the code of RFC 6749 section 5.2, and its text, which begins with a code
 * of its own at Microsoft (https://learn.microsoft.com/en-us/entra/identity-platform/reference-error-codes).
 */
export const oauthAnswers = [
  [
    /AADSTS7000215\b/,
    'wait',
    'Microsoft refused the client secret',
    'Copy the value of the secret, not its ID, into FORMBOX_MAIL_OAUTH_CLIENT_SECRET; if it is no longer shown, create another one',
  ],
  [
    /AADSTS7000222\b/,
    'wait',
    'The client secret has expired at Microsoft',
    'Create another one under “Certificates & secrets” of the app',
  ],
  [
    /AADSTS(7000216|7000218)\b/,
    'wait',
    'Microsoft got no client secret',
    'Set FORMBOX_MAIL_OAUTH_CLIENT_SECRET to the value of a secret of the app',
  ],
  [
    /AADSTS700016\b/,
    'wait',
    'Microsoft knows no app with this client ID in the tenant',
    'Copy the “Application (client) ID” and the “Directory (tenant) ID” from the overview of the same app',
  ],
  [
    /AADSTS700038\b|AADSTS900144\b/,
    'wait',
    'Microsoft finds no client ID that could be one',
    'Copy the “Application (client) ID” from the overview of the app',
  ],
  [
    /AADSTS(90002|900021|900023|90013)\b/,
    'wait',
    'Microsoft knows no such tenant',
    'Copy the “Directory (tenant) ID” from the overview of the app',
  ],
  [
    /AADSTS(7000112|7000114)\b/,
    'wait',
    'The app is switched off at Microsoft',
    'Under “Enterprise applications”, set “Enabled for users to sign in” to yes',
  ],
  [
    /AADSTS(70011|1002012|28002|28003)\b/,
    'wait',
    'Microsoft does not know the scope',
    'Leave FORMBOX_MAIL_OAUTH_SCOPE empty, or end it with /.default',
  ],
  [
    /AADSTS(500011|650057|650052|500014)\b/,
    'wait',
    'The tenant has no such service as the scope names',
    'Leave FORMBOX_MAIL_OAUTH_SCOPE empty, and check that the tenant has Exchange Online',
  ],
  [
    /AADSTS(65001|65004|501051|50105|70003)\b/,
    'wait',
    'No administrator has consented to what the app may do',
    'Under “API permissions” of the app, choose “Grant admin consent”',
  ],
  [
    /AADSTS(53003|530035|53000|50079|50076|700082)\b/,
    'wait',
    'A policy for conditional access keeps the app from signing in',
    'An administrator allows the app from the address of this machine',
  ],
  [
    /AADSTS(700027|700024|50012)\b/,
    'wait',
    'Microsoft does not accept how the app signs in',
    'Use a client secret, not a certificate',
  ],
  [/AADSTS(50196|90033|90055|50034|50053|7000110)\b/, 'again', 'Microsoft asks to try again later', ''],
  [
    /unsupported_grant_type|unauthorized_client/,
    'wait',
    'The provider gives no tokens to programs without a person (client credentials)',
    'Use a password for programs; Google has app passwords',
  ],
  [
    /invalid_client/,
    'wait',
    'The provider refused the client ID or the client secret',
    'Check FORMBOX_MAIL_OAUTH_CLIENT_ID and FORMBOX_MAIL_OAUTH_CLIENT_SECRET',
  ],
  [/invalid_scope/, 'wait', 'The provider does not know the scope', 'Check FORMBOX_MAIL_OAUTH_SCOPE'],
  [/^(429|5\d\d) /, 'again', 'The provider gives no token at the moment', 'If it lasts, see its status page'],
  [
    /^(404|405|3\d\d|200) /,
    'wait',
    'What responds at FORMBOX_MAIL_OAUTH_TOKEN_URL gives no tokens',
    'Check this URL; in that of Microsoft, check the tenant',
  ],
  [/./, 'wait', 'The provider gives no token', 'What it responded may say why'],
] as const satisfies readonly Row[]
