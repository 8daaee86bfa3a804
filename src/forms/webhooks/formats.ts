import type { receivers } from '../../storage/tables.ts'

/** The format of the messages to a webhook. `src/sending/webhooks/message.ts` makes them. */
export type WebhookFormat = NonNullable<(typeof receivers.$inferSelect)['format']>

interface Format {
  /** Its name on the page. */
  readonly name: string
  /** For the page. */
  readonly use: string
  /** For the API. */
  readonly description: string
  /** Whether it is for programs, which check signatures. A service lets everyone in who has the URL. */
  readonly isForPrograms?: true
  /**
   * Before and after the part of a URL that is a secret, which is stored apart and shown as `•••`: the first of these that
   * matches.
   */
  readonly secrets: readonly RegExp[]
  /**
   * Returns the requirement of the service that a URL does not meet, such as `must end with /message`; undefined if it
   * meets all.
   */
  readonly wrongUrl?: (url: URL) => string | undefined
}

/** A secret that is a parameter of the query. */
const parameter = (name: string): RegExp => new RegExp(`^([^?#]*\\?(?:[^#]*?&)?${name}=)([^&#]+)(.*)$`)

/** A secret that is the rest of a path, after what this matches. @param before the source of a pattern */
const pathAfter = (before: string, after = ''): RegExp =>
  new RegExp(`^([^?#]*${before})([^?#]+?)(${after}/*(?:[?#].*)?)$`, 'i')

export const formats: Readonly<Record<WebhookFormat, Format>> = {
  standard: {
    name: 'Standard Webhooks',
    use: 'Signed JSON, for n8n, Zapier, Make and programs of your own.',
    description: 'as Standard Webhooks describes',
    isForPrograms: true,
    // Zapier and Make, which verify no signature.
    secrets: [
      pathAfter('//hooks\\.zapier\\.com/hooks/(?:standard|catch)/\\d+/'),
      pathAfter('//hook(?:\\.\\w+)?\\.make\\.com/'),
    ],
  },
  slack: {
    name: 'Slack, Mattermost, Rocket.Chat or Discord',
    use: 'A message with the fields. A Discord URL always gets this format, and /slack at the end.',
    description: 'for Slack, Mattermost, Rocket.Chat and the `/slack` URLs of Discord',
    // What is before it tells the channels of Slack and Discord apart. All four: anyone who has it may write there.
    secrets: [
      pathAfter('/services/[^/?#]+/[^/?#]+/'),
      pathAfter('/webhooks/[^/?#]+/', '/slack'),
      pathAfter('/(?:hooks|services|workflows|triggers)/'),
    ],
  },
  teams: {
    name: 'Microsoft Teams',
    use: 'A card with the fields, for the URL of a workflow.',
    description: 'for a workflow of Microsoft Teams',
    // The signature of a workflow, or the end of a connector: anyone who has it may send to the channel.
    secrets: [parameter('sig'), pathAfter('/IncomingWebhook/')],
  },
  telegram: {
    name: 'Telegram',
    use: 'A message of your bot, for https://api.telegram.org/bot, its token, and /sendMessage?chat_id= with the chat.',
    description: 'for `sendMessage` of a bot',
    secrets: [/^([^?#]*[/\\]bot)([^/\\?#]+)(.*)$/i],
    wrongUrl: ({ pathname, searchParams }) =>
      /\/bot[^/]+\/sendMessage$/i.test(pathname) && searchParams.get('chat_id')
        ? undefined
        : 'must be https://api.telegram.org/bot, the token of the bot, and /sendMessage?chat_id= with the chat',
  },
  ntfy: {
    name: 'ntfy',
    use: 'A notification on your phone, for the URL of a topic.',
    description: 'for a topic of ntfy',
    // Anyone who knows a topic can read it, unless a token protects it.
    secrets: [parameter('auth'), /^([a-z]+:\/\/[^?#]*\/)([^/?#]+)(\/*(?:[?#].*)?)$/i],
  },
  gotify: {
    name: 'Gotify',
    use: 'A notification, for the URL of your server with /message?token= and the token of an application.',
    description: 'for `/message` of Gotify',
    secrets: [parameter('token')],
    wrongUrl: ({ pathname }) =>
      pathname.endsWith('/message')
        ? undefined
        : 'must be that of the server and /message, with ?token= and the token of an application',
  },
}
