import { showEngine } from './cluster.ts'
import { showMailUrl } from './mail.ts'
import type { Variable } from './read-variables.ts'

/** All variables, in the order of `--help` and docs/configuration.md. */
export const variables = [
  { name: 'FORMBOX_HOST', default: '127.0.0.1', help: 'address to listen on' },
  { name: 'FORMBOX_PORT', default: '8080', help: 'port to listen on; 0 picks a free one' },
  { name: 'FORMBOX_DATA', default: './formbox-data', help: 'data folder, created if missing' },
  {
    name: 'FORMBOX_URL',
    default: '',
    help: 'public URL, such as https://forms.example.com',
  },
  {
    name: 'FORMBOX_INVITED_MAY_CREATE',
    default: 'false',
    help: 'whether invited users may create forms (true or false)',
  },
  { name: 'FORMBOX_RATE_LIMIT', default: '100', help: 'API requests per minute for each key; 0 for no limit' },
  {
    name: 'FORMBOX_SUBMIT_LIMIT',
    default: '60',
    help: 'submissions per minute from an address to a form; 0 for no limit',
  },
  {
    name: 'FORMBOX_FILE_LIMIT',
    default: '10MiB',
    help: 'size of one file, up to FORMBOX_UPLOAD_LIMIT',
  },
  {
    name: 'FORMBOX_UPLOAD_LIMIT',
    default: '25MiB',
    help: 'size of one submission with its files, up to 100MiB',
  },
  {
    name: 'FORMBOX_MIN_FREE',
    default: '1GiB',
    help: 'free disk below which files are refused; 0 for none',
  },
  {
    name: 'FORMBOX_TRUST_PROXY',
    default: '',
    help: 'proxies that are trusted: addresses and CIDR ranges, or how many',
  },
  {
    name: 'FORMBOX_FORM_PAGES',
    default: 'true',
    help: 'whether forms may have a page on this server (true or false)',
  },
  {
    name: 'FORMBOX_ABUSE_CONTACT',
    default: '',
    help: 'email address or https URL at which to report a page',
  },
  { name: 'FORMBOX_LOG', default: 'text', help: 'format of the request log on standard output: text or json' },
  {
    name: 'FORMBOX_LOG_LEVEL',
    default: 'info',
    help: 'lowest level to log: info, warn (4xx), error (5xx) or off',
  },
  {
    name: 'FORMBOX_METRICS_TOKEN',
    default: '',
    help: '/metrics token of 16 to 200 characters',
    secret: true,
  },
  {
    name: 'FORMBOX_METRICS_ALLOW',
    default: '',
    help: 'addresses and CIDR ranges that may read /metrics without the token',
  },
  {
    name: 'FORMBOX_STOP_DELAY',
    default: '0',
    help: 'seconds to serve after a stop signal, while /readyz returns 503',
  },
  {
    name: 'FORMBOX_BACKUP_EVERY',
    default: '',
    help: 'time between automatic backups, such as 24h or 30m; none if not set',
  },
  { name: 'FORMBOX_BACKUP_KEEP', default: '7', help: 'automatic backups to keep; 0 for all' },
  {
    name: 'FORMBOX_BACKUP_S3',
    default: '',
    help: 'S3 bucket for automatic backups: s3://BUCKET or s3://BUCKET/PREFIX',
  },
  {
    name: 'FORMBOX_BACKUP_S3_ENDPOINT',
    default: '',
    help: 'S3 server, such as https://s3.example.com; Amazon if not set',
  },
  { name: 'FORMBOX_BACKUP_S3_REGION', default: 'us-east-1', help: 'region of the bucket' },
  { name: 'FORMBOX_BACKUP_S3_KEY_ID', default: '', help: 'access key ID for S3', secret: true },
  { name: 'FORMBOX_BACKUP_S3_SECRET', default: '', help: 'secret access key for S3', secret: true },
  { name: 'FORMBOX_BACKUP_S3_TOKEN', default: '', help: 'session token of temporary keys', secret: true },
  {
    name: 'FORMBOX_MAIL_URL',
    default: '',
    help: 'mail server, such as smtps://user:pass@host',
    secret: true,
    show: showMailUrl,
  },
  {
    name: 'FORMBOX_MAIL_OAUTH_CLIENT_ID',
    default: '',
    help: 'identifier of Formbox for tokens in place of a password',
  },
  { name: 'FORMBOX_MAIL_OAUTH_CLIENT_SECRET', default: '', help: 'secret for tokens', secret: true },
  { name: 'FORMBOX_MAIL_OAUTH_TOKEN_URL', default: '', help: 'URL of tokens; not needed with graph://' },
  { name: 'FORMBOX_MAIL_OAUTH_SCOPE', default: '', help: 'scope of tokens; not needed for Microsoft' },
  { name: 'FORMBOX_MAIL_FROM', default: '', help: 'sender of emails, such as Formbox <forms@example.com>' },
  { name: 'FORMBOX_SENDERS_FILE', default: '', help: 'TOML file with other senders, which forms may choose' },
  {
    name: 'FORMBOX_WEBHOOK_ALLOW',
    default: '',
    help: 'private addresses, ranges and hosts that webhooks may use',
  },
  {
    name: 'FORMBOX_OIDC_ISSUER',
    default: '',
    help: 'OpenID Connect provider for sign-in, such as https://id.example.com',
  },
  { name: 'FORMBOX_OIDC_CLIENT_ID', default: '', help: 'identifier of Formbox at the provider' },
  { name: 'FORMBOX_OIDC_CLIENT_SECRET', default: '', help: 'secret of Formbox at the provider', secret: true },
  { name: 'FORMBOX_OIDC_NAME', default: 'single sign-on', help: 'name of the provider, on the button to sign in' },
  {
    name: 'FORMBOX_OIDC_USERS',
    default: 'invited',
    help: 'who may sign in: invited, domain:example.com or all',
  },
  { name: 'FORMBOX_OIDC_ONLY', default: 'false', help: 'whether passwords are disabled for sign-in (true or false)' },
  {
    name: 'FORMBOX_CLUSTER',
    default: '',
    help: 'PostgreSQL or rqlite that joins machines',
    secret: true,
    show: showEngine,
  },
  { name: 'FORMBOX_NODE', default: '', help: 'name of this machine in the cluster; the host name if not set' },
  {
    name: 'FORMBOX_NODE_URL',
    default: '',
    help: 'URL at which the other machines of the cluster reach this one',
  },
] as const satisfies readonly Variable[]

export type VariableName = (typeof variables)[number]['name']
