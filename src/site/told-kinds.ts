import { newReceiverPath, peopleSettingsPath, serverPath } from '../config/addresses.ts'
import type { WebhookFormat } from '../forms/webhooks/formats.ts'
import { recognised } from '../forms/webhooks/webhook-services.ts'
import { type Html, html } from '../html/html.ts'
import { isReadByOperator } from './no-mail.ts'

/** What is typed of where messages go, headers one a line. */
export const targetNames = ['url', 'token', 'chat', 'headers'] as const
type TypedTarget = Readonly<Record<(typeof targetNames)[number], string>>

/** A way to be told, as the page offers it. */
export interface ToldKind {
  readonly name: string
  /** In a few words, on its tile. */
  readonly short: string
  /** Of a webhook. */
  readonly format?: WebhookFormat
  /** Where the address comes from, step by step. */
  readonly how: readonly string[]
  /** For where messages go: the label and the hint of each. */
  readonly inputs: { readonly [Name in keyof TypedTarget]?: readonly [label: string, hint: string] }
  /** Makes URL and headers of other inputs, and these of what is stored. @param before the stored URL */
  readonly join?: (typed: TypedTarget, before: string | undefined) => Partial<TypedTarget>
  readonly split?: (stored: TypedTarget) => Partial<TypedTarget>
  readonly hasHeaders?: true
  /** How what arrives there is drawn; null if it is not. */
  readonly arrives: 'chat' | 'push' | null
}

const telegramUrl = /^(.*\/bot)([^/]+)(\/sendMessage.*)$/i

/** What else an earlier URL had stays. */
const toTelegramUrl = ({ token, chat }: TypedTarget, before = ''): string => {
  const [, start = 'https://api.telegram.org/bot', , end = '/sendMessage'] = telegramUrl.exec(before) ?? []
  const [path = '', query = ''] = end.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set('chat_id', chat.trim())
  return `${start}${token.trim()}${path}?${parameters}`
}

const asPassword = 'Anyone who has it can write there. Formbox shows it with ••• once it is saved.'

export const toldKinds = {
  email: { name: 'Email', short: 'At once or daily', how: [], inputs: {}, arrives: null },
  slack: {
    name: 'Slack',
    short: 'Or Mattermost',
    format: 'slack',
    how: [
      'In Slack, open the app “Incoming WebHooks” and choose the channel.',
      'Copy the “Webhook URL” that it shows.',
    ],
    inputs: { url: ['Webhook URL', asPassword] },
    arrives: 'chat',
  },
  teams: {
    name: 'Teams',
    short: 'By a workflow',
    format: 'teams',
    how: [
      'In the menu of the channel, open “Workflows”.',
      'Choose “Post to a channel when a webhook request is received”, and copy its URL.',
    ],
    inputs: { url: ['URL of the workflow', asPassword] },
    arrives: 'chat',
  },
  discord: {
    name: 'Discord',
    short: 'In a channel',
    format: 'slack',
    how: ['In the settings of the channel, open “Integrations”, then “Webhooks”.', 'Add one, and copy its URL.'],
    inputs: { url: ['Webhook URL', asPassword] },
    arrives: 'chat',
  },
  telegram: {
    name: 'Telegram',
    short: 'From a bot of yours',
    format: 'telegram',
    how: [
      'Write to @BotFather to get a bot and its token, and add the bot to the chat.',
      'Write something there, and open https://api.telegram.org/botTOKEN/getUpdates with your token: it has the “id” of the chat.',
    ],
    inputs: {
      token: [
        'Token of the bot',
        'Such as 123456:ABC-DEF. Anyone who has it can write as your bot. Formbox shows it as ••• once it is saved.',
      ],
      chat: ['Chat', 'Its number, such as -1001234567890, or the @name of a channel.'],
    },
    join: (typed, before) => (typed.token || typed.chat ? { url: toTelegramUrl(typed, before) } : {}),
    split: ({ url }) => ({
      token: telegramUrl.exec(url)?.[2] ?? '',
      chat: URL.parse(url)?.searchParams.get('chat_id') ?? '',
    }),
    arrives: 'chat',
  },
  phone: {
    name: 'Phone',
    short: 'ntfy or Gotify',
    format: 'ntfy',
    how: ['In the app ntfy, subscribe to a topic with a name that nobody can guess.'],
    inputs: {
      url: [
        'URL of the topic',
        'Such as https://ntfy.sh/ and the topic. Of Gotify, that of the server with /message?token= and the token of an application.',
      ],
    },
    hasHeaders: true,
    arrives: 'push',
  },
  program: {
    name: 'Other program',
    short: 'n8n, Zapier, own',
    format: 'standard',
    how: [],
    inputs: {
      url: ['URL', 'Each message is sent there as signed JSON. A private address must be one that this server allows.'],
    },
    hasHeaders: true,
    arrives: null,
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
