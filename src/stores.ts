import type { Writes } from './all-writes.ts'
import { type Config, nodeOf } from './config/config.ts'
import type { Reader } from './db/reader.ts'
import type { Writer } from './db/writer/writer.ts'
import { openDeliveryStore } from './deliveries/store.ts'
import { hourMilliseconds } from './durations.ts'
import { type NotedExport, openExportStore } from './export/store.ts'
import { openFileStore } from './files/store.ts'
import { formAccess, formReader, roleReader } from './forms/ownership.ts'
import { openFormStore } from './forms/store.ts'
import { createRateLimiter, secondsUntil } from './http/rate-limit.ts'
import type { LastUsed } from './keys/last-used.ts'
import { openKeyStore } from './keys/store.ts'
import { openMemberStore, type SendInvitation } from './members/store.ts'
import { isReachable } from './outgoing/public-address.ts'
import { openPeopleStore } from './people/store.ts'
import { openSigningKey } from './secrets/signing-key.ts'
import { openSessionStore } from './sessions/store.ts'
import { openSheetStore } from './sheets/store.ts'
import { openReplyStore, type ReplyTransport } from './submissions/reply-store.ts'
import { openSubmissionSearch } from './submissions/search.ts'
import { openSearchTurns } from './submissions/search-turns.ts'
import { openSubmissionStore } from './submissions/store.ts'
import { openIdentityStore } from './users/identities.ts'
import { openSecondFactorStore } from './users/second-factor.ts'
import { openUserStore } from './users/store.ts'
import { openWebhookStore, type SendTest } from './webhooks/store.ts'

export interface StoreOptions {
  readonly config: Config
  readonly reader: Reader
  readonly writer: Writer<Writes>
  readonly lastUsed: LastUsed
  /** Called when a delivery is due. */
  readonly onDue: () => void
  /** Called when something was deleted whose rows must still be removed, which may take long. */
  readonly onDeleted: () => void
  readonly now: () => number
}

/** The stores that the doors share. */
export const openStores = ({ config, lastUsed, ...rest }: StoreOptions) => {
  const { reader, now } = rest
  const findForm = reader.remembering(formReader(reader.db))
  const readRole = roleReader(reader.db)
  const rememberedRole = reader.remembering((key) => {
    const [userId = '', form] = key.split(' ')
    return readRole(userId, Number(form))
  })
  const findRole = (userId: string, form: number) => rememberedRole(`${userId} ${form}`)
  const shared = { ...rest, findForm, access: formAccess({ findForm, findRole }) }
  const submissions = openSubmissionStore(shared)
  const turns = openSearchTurns(reader)
  const exports = openExportStore({ folder: config.dataFolder, turns, note: exportNotes(rest) })
  return {
    forms: openFormStore({
      ...shared,
      canMail: config.mail !== null,
      submitLimit: config.submitLimit,
      fileLimitBytes: config.fileLimitBytes,
    }),
    submissions,
    searches: openSubmissionSearch({ ...shared, turns }),
    files: openFileStore({ ...shared, node: nodeOf(config) }),
    exports,
    webhooks: openWebhookStore({
      ...shared,
      sendTest: lazyTests(config, now),
      isReachable: (address) => isReachable(config.webhookAllowed, address),
    }),
    deliveries: openDeliveryStore(shared),
    replies: openReplyStore({ ...shared, transport: lazyReplies(config, shared), countTest: replyTests(now) }),
    people: openPeopleStore({ ...shared, config, submissions, exports, turns }),
    members: openMemberStore({
      ...shared,
      sendInvitation: lazyInvitations(config, shared),
      invitedMayOwnForms: config.invitedMayOwnForms,
    }),
    users: openUserStore(shared),
    identities: openIdentityStore(shared),
    secondFactors: openSecondFactorStore(shared),
    sessions: openSessionStore(shared),
    keys: openKeyStore({ ...shared, lastUsed }),
    sheets: openSheetStore({ ...shared, lastUsed }),
  }
}

/** An export is not refused because nobody can write down that it was made: a machine may have no connection to its cluster. */
const exportNotes =
  ({ writer, now }: Pick<StoreOptions, 'writer' | 'now'>) =>
  (noted: NotedExport): void =>
    void writer.run('noteExport', { ...noted, now: now() }).catch(() => {})

/** What sends mail is loaded with the first invitation. */
const lazyInvitations = (
  { mail, publicUrl }: Config,
  options: Pick<StoreOptions, 'reader' | 'writer'>,
): SendInvitation | null => {
  if (!mail || publicUrl === null) return null
  const signingKey = openSigningKey(options)
  return async (invitation) => {
    const { sendInvitation } = await import('./mail/send-invitation.ts')
    return sendInvitation({ mail, publicUrl, key: await signingKey() }, invitation)
  }
}

/** Tests that a user may send: they are mails of the operator's mail server. */
const replyTestsAnHour = 10

const replyTests = (now: () => number): ((userId: string) => number | null) => {
  const limiter = createRateLimiter(replyTestsAnHour, now, hourMilliseconds)
  return (userId) => {
    const { allowed, resetsAt } = limiter.take(userId)
    return allowed ? null : secondsUntil(resetsAt, now())
  }
}

/** Loaded with the first answer that is shown or tested. */
const lazyReplies = (
  { mail }: Config,
  { reader, writer, now }: Pick<StoreOptions, 'reader' | 'writer' | 'now'>,
): ReplyTransport | null => {
  if (!mail) return null
  const signingKey = openSigningKey({ reader, writer })
  const load = async () => (await import('./mail/reply-test.ts')).openReplyTransport({ mail, signingKey, now })
  let loading: ReturnType<typeof load> | undefined
  const loaded = () => (loading ??= load())
  return {
    make: async (answered) => (await loaded()).make(answered),
    send: async (answered, to) => (await loaded()).send(answered, to),
  }
}

/** What makes and sends messages is loaded with the first test: with it, a start would take 20 ms more. */
const lazyTests = ({ webhookAllowed, publicUrl }: Config, now: () => number): SendTest => {
  let loading: Promise<SendTest> | undefined
  const load = async (): Promise<SendTest> => {
    const [{ openTestSender }, { openPoster }] = await Promise.all([
      import('./outgoing/send-test.ts'),
      import('./outgoing/post.ts'),
    ])
    return openTestSender({ post: openPoster({ allowed: webhookAllowed, now }), publicUrl, now })
  }
  return async (userId, webhook) => {
    loading ??= load()
    const send = await loading
    return send(userId, webhook)
  }
}
