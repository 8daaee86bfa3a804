import type { CollectStores } from './collect/stores.ts'
import type { Config } from './config/config.ts'
import type { Hold } from './db/writer/worker.ts'
import { openDeliveryStore } from './deliveries/store.ts'
import { hourMilliseconds } from './durations.ts'
import { type NotedExport, openExportStore } from './export/store.ts'
import { openFormStore } from './forms/store.ts'
import { createRateLimiter, secondsUntil } from './http/rate-limit.ts'
import type { LastUsed } from './keys/last-used.ts'
import { openKeyStore } from './keys/store.ts'
import { lazily } from './lazily.ts'
import { openReplyTransport } from './mail/reply-test.ts'
import { sendInvitation } from './mail/send-invitation.ts'
import { openMemberStore, type SendInvitation } from './members/store.ts'
import { isReachable } from './outgoing/public-address.ts'
import { openPeopleStore } from './people/store.ts'
import { openSigningKey } from './secrets/signing-key.ts'
import { openSessionStore } from './sessions/store.ts'
import { openSheetStore } from './sheets/store.ts'
import { activityReader } from './submissions/activity.ts'
import { handlingReads } from './submissions/handling.ts'
import { openReplyStore } from './submissions/reply-store.ts'
import { openSubmissionSearch } from './submissions/search.ts'
import { openSearchTurns } from './submissions/search-turns.ts'
import { stateReader } from './submissions/states.ts'
import { unreadReads } from './submissions/unread.ts'
import { openIdentityStore } from './users/identities.ts'
import { openSecondFactorStore } from './users/second-factor.ts'
import { openUserStore } from './users/store.ts'
import { openWebhookStore, type SendTest } from './webhooks/store.ts'

interface Options extends CollectStores {
  readonly config: Config
  readonly lastUsed: LastUsed
}

/** The stores that the pages and the API share. */
export const openStores = ({ config, lastUsed, shared, submissions, files }: Options) => {
  const { reader, writer, now } = shared
  const turns = openSearchTurns(reader, writer)
  const { dataFolder: folder } = config
  const note = exportNotes({ writer, now })
  const exports = openExportStore({ folder, turns, note, holdLog: logHolder(folder) })
  return {
    forms: openFormStore({
      ...shared,
      canMail: config.mail !== null,
      submitLimit: config.submitLimit,
      fileLimitBytes: config.fileLimitBytes,
    }),
    submissions,
    unreadReads: unreadReads(reader.db),
    handlingReads: handlingReads(reader.db),
    ofState: stateReader(reader.db),
    countByDay: activityReader(reader.db),
    searches: openSubmissionSearch({ ...shared, turns }),
    files,
    exports,
    webhooks: openWebhookStore({
      ...shared,
      sendTest: testSender(config, now),
      isReachable: (address) => isReachable(config.webhookAllowed, address),
    }),
    deliveries: openDeliveryStore(shared),
    replies: openReplyStore({ ...shared, transport: replyTransport(config, shared), countTest: replyTests(now) }),
    people: openPeopleStore({ ...shared, config, submissions, exports, turns }),
    members: openMemberStore({
      ...shared,
      sendInvitation: invitationSender(config, shared),
      countFailure: failedInvitations(now),
      invitedMayOwnForms: config.invitedMayOwnForms,
    }),
    users: openUserStore(shared),
    identities: openIdentityStore({ ...shared, invitedMayOwnForms: config.invitedMayOwnForms }),
    secondFactors: openSecondFactorStore(shared),
    sessions: openSessionStore(shared),
    keys: openKeyStore({ ...shared, lastUsed }),
    sheets: openSheetStore({ ...shared, lastUsed }),
  }
}

/** If the thread fails, the writer moves the log, as after a shorter export. */
const logHolder = (folder: string) => (): (() => void) => {
  const thread = new Worker(new URL('./write-worker.ts', import.meta.url).href, { ref: false })
  thread.onerror = () => {}
  thread.postMessage({ heldFolder: folder } satisfies Hold)
  return () => thread.postMessage('end')
}

/** An export is not refused because nobody can write down that it was made: a machine may have no connection to its cluster. */
const exportNotes =
  ({ writer, now }: Pick<CollectStores['shared'], 'writer' | 'now'>) =>
  (noted: NotedExport): void =>
    void writer.run('noteExport', { ...noted, now: now() }).catch(() => {})

const invitationSender = (
  { mail, publicUrl }: Config,
  options: Pick<CollectStores['shared'], 'reader' | 'writer'>,
): SendInvitation | null => {
  if (!mail || publicUrl === null) return null
  const signingKey = openSigningKey(options)
  return async (invitation) => sendInvitation({ mail, publicUrl, key: await signingKey() }, invitation)
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

/** More would show who has a mailbox, where the mail server knows. */
const failedInvitationsAnHour = 10

const failedInvitations = (now: () => number): ((userId: string) => boolean) => {
  const limiter = createRateLimiter(failedInvitationsAnHour, now, hourMilliseconds)
  return (userId) => limiter.take(userId).allowed
}

const replyTransport = ({ mail }: Config, { reader, writer, now }: CollectStores['shared']) =>
  mail && openReplyTransport({ mail, signingKey: openSigningKey({ reader, writer }), now })

/** With what makes and sends messages, a start would take 20 ms more. */
const testSender = ({ webhookAllowed, publicUrl }: Config, now: () => number): SendTest => {
  const sender = lazily(async () => {
    const [{ openTestSender }, { openPoster }] = await Promise.all([
      import('./outgoing/send-test.ts'),
      import('./outgoing/post.ts'),
    ])
    return openTestSender({ post: openPoster({ allowed: webhookAllowed, now }), publicUrl, now })
  })
  return async (userId, webhook) => (await sender())(userId, webhook)
}
