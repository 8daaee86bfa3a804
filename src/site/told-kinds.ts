import { newReceiverPath, peopleSettingsPath, serverPath } from '../config/addresses.ts'
import type { WebhookFormat } from '../forms/webhooks/formats.ts'
import { recognised } from '../forms/webhooks/webhook-services.ts'
import { type Html, html } from '../html/html.ts'
import { isReadByOperator } from './no-mail.ts'

/** A way to be told, as the page offers it. */
export interface ToldKind {
  readonly name: string
  /** In a few words, on its tile. */
  readonly short: string
  /** Of a webhook. */
  readonly format?: WebhookFormat
  /** Where the address comes from, step by step. */
  readonly how: readonly string[]
  readonly url?: { readonly label: string; readonly hint: string }
  readonly hasHeaders?: true
}

const asPassword = 'Anyone who has it can write there. Formbox shows it with ••• once it is saved.'

export const toldKinds = {
  email: { name: 'Email', short: 'At once or daily', how: [] },
  slack: {
    name: 'Slack',
    short: 'Or Mattermost',
    format: 'slack',
    how: [
      'In Slack, open the app “Incoming WebHooks” and choose the channel.',
      'Copy the “Webhook URL” that it shows.',
    ],
    url: { label: 'Webhook URL', hint: asPassword },
  },
  teams: {
    name: 'Teams',
    short: 'By a workflow',
    format: 'teams',
    how: [
      'In the menu of the channel, open “Workflows”.',
      'Choose “Post to a channel when a webhook request is received”, and copy its URL.',
    ],
    url: { label: 'URL of the workflow', hint: asPassword },
  },
  discord: {
    name: 'Discord',
    short: 'In a channel',
    format: 'slack',
    how: ['In the settings of the channel, open “Integrations”, then “Webhooks”.', 'Add one, and copy its URL.'],
    url: { label: 'Webhook URL', hint: asPassword },
  },
  telegram: {
    name: 'Telegram',
    short: 'From a bot of yours',
    format: 'telegram',
    how: [
      'Write to @BotFather to get a bot and its token, and add the bot to the chat.',
      'Write something there, and open https://api.telegram.org/botTOKEN/getUpdates with your token: it has the “id” of the chat.',
    ],
  },
  phone: {
    name: 'Phone',
    short: 'ntfy or Gotify',
    format: 'ntfy',
    how: ['In the app ntfy, subscribe to a topic with a name that nobody can guess.'],
    url: {
      label: 'URL of the topic',
      hint: 'Such as https://ntfy.sh/ and the topic. Of Gotify, that of the server with /message?token= and the token of an application.',
    },
    hasHeaders: true,
  },
  program: {
    name: 'Other program',
    short: 'n8n, Zapier, own',
    format: 'standard',
    how: [],
    url: {
      label: 'URL',
      hint: 'Each message is sent there as signed JSON. A private address must be one that this server allows.',
    },
    hasHeaders: true,
  },
} as const satisfies Readonly<Record<string, ToldKind>>

export type ToldKindName = keyof typeof toldKinds

export const isToldKind = (text: unknown): text is ToldKindName =>
  typeof text === 'string' && Object.hasOwn(toldKinds, text)

const kindOfFormat: Readonly<Record<WebhookFormat, ToldKindName>> = {
  standard: 'program',
  slack: 'slack',
  teams: 'teams',
  telegram: 'telegram',
  ntfy: 'phone',
  gotify: 'phone',
}

/** The kind whose form a webhook has. */
export const kindOf = (format: WebhookFormat, url: string): ToldKindName =>
  recognised(url)?.name === 'Discord' ? 'discord' : kindOfFormat[format]

/** What a webhook is called before its own name. A server of its own may be any that takes the same. */
export const serviceOf = (format: WebhookFormat, url: string): string => {
  const kind = kindOf(format, url)
  if (kind === 'program') return 'Program'
  return format === 'slack' && recognised(url) === undefined ? 'Chat' : toldKinds[kind].name
}

/** The ways to be told, to choose from. Email leads an operator to where it is set up, if it is not. */
export const tiles = (
  formId: string,
  canMail: boolean,
  current?: ToldKindName,
): Html => html`<nav class="tiles" aria-labelledby="where">
${Object.entries(toldKinds).map(([kind, { name, short }]) =>
  kind === 'email' && !canMail
    ? html`<a class="tile" href="${isReadByOperator() ? serverPath() : `${newReceiverPath(formId)}?kind=email`}"${kind === current && html` aria-current="true"`}><strong>${name}</strong><span>Not set up here</span></a>
`
    : html`<a class="tile" href="${newReceiverPath(formId)}?kind=${kind}"${kind === current && html` aria-current="true"`}><strong>${name}</strong><span>${short}</span></a>
`,
)}<a class="tile" href="${peopleSettingsPath(formId)}#sheets"><strong>Spreadsheet</strong><span>Google or Excel</span></a>
</nav>`
