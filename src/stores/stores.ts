import type { LastUsed } from '../accounts/keys/last-used.ts'
import { openKeyStore } from '../accounts/keys/store.ts'
import { openAddressStore } from '../accounts/members/address-store.ts'
import { openMemberStore } from '../accounts/members/store.ts'
import { openSessionStore } from '../accounts/sessions/store.ts'
import { openSheetStore } from '../accounts/sheets/store.ts'
import { openIdentityStore } from '../accounts/users/identities.ts'
import { openSecondFactorStore } from '../accounts/users/second-factor.ts'
import { seenUsers } from '../accounts/users/seen-users.ts'
import { openUserStore } from '../accounts/users/store.ts'
import { userReads } from '../accounts/users/user-reads.ts'
import { hourMilliseconds } from '../base/durations.ts'
import { lazily } from '../base/lazily.ts'
import { type Config, nodeOf } from '../config/config.ts'
import type { FormTo } from '../forms/access.ts'
import { fieldNameReader } from '../forms/field-names.ts'
import { titleReader } from '../forms/form-titles.ts'
import { openFormLists } from '../forms/lists/store.ts'
import { formLimitsOf } from '../forms/settings/form-limits.ts'
import { silenceReader } from '../forms/silence-reads.ts'
import { openFormStore } from '../forms/store.ts'
import { trailReader } from '../forms/trail.ts'
import { openWebhookStore, type SendTest } from '../forms/webhooks/store.ts'
import { createRateLimiter, secondsUntil } from '../http/rate-limit.ts'
import { isReachable } from '../remote/public-address.ts'
import type { TestAddresses } from '../sending/mail/address-test.ts'
import { openReplyTransport } from '../sending/mail/reply-test.ts'
import { sendAddressMail, sendInvitation } from '../sending/mail/send-once.ts'
import { openSigningKey } from '../storage/secrets/signing-key.ts'
import type { Hold } from '../storage/writer/worker.ts'
import { aboutReader } from '../submissions/about-submission.ts'
import { activityReader } from '../submissions/activity.ts'
import { openAnswers } from '../submissions/answers/store.ts'
import { confirmReads } from '../submissions/confirm/confirm-reads.ts'
import { openConfirmStore } from '../submissions/confirm/store.ts'
import { openDeliveryStore } from '../submissions/deliveries/store.ts'
import { fileReads } from '../submissions/files/file-reads.ts'
import { handlingReads } from '../submissions/handling.ts'
import { openInbox } from '../submissions/inbox/inbox.ts'
import { openMailPreviews } from '../submissions/replies/mail-previews.ts'
import { openSubmissionSearch } from '../submissions/search/search.ts'
import { openSearchTurns } from '../submissions/search/turns.ts'
import { spamReasonReads } from '../submissions/spam/reason-reads.ts'
import { unreadReads } from '../submissions/unread.ts'
import { type NotedExport, openExportStore } from '../transfer/export/store.ts'
import { openImportStore } from '../transfer/import/store.ts'
import { openPeopleStore } from '../transfer/people/store.ts'
import { startWriterThread } from '../upkeep/writer-thread.ts'
import type { CollectStores } from './collect-stores.ts'

interface Options extends CollectStores {
  readonly lastUsed: LastUsed
  /** Aborted when the server ends. */
  readonly ending: AbortSignal
}

export interface Stores extends ReturnType<typeof openStores> {}

/** The reads and stores that the pages and the API share. */
export const openStores = ({ lastUsed, ending, shared, submissions, files }: Options) => {
  const { config, reader, writer, now } = shared
  const turns = openSearchTurns(reader, writer)
  const { dataFolder: folder } = config
  const formLimits = formLimitsOf(config)
  const note = exportNotes({ writer, now })
  const countTest = hourly(testsAnHour, now)
  const countFailed = hourly(failedInvitationsAnHour, now)
  const countAddressMail = hourly(addressMailsAnHour, now)
  const exports = openExportStore({ folder, turns, note, holdLog: logHolder(folder) })
  return {
    findForm: shared.findForm,
    access: shared.access,
    formLimits,
    formLists: openFormLists(shared),
    findTitles: titleReader(reader.db),
    readFieldNames: fieldNameReader(reader.db),
    readSilence: silenceReader(reader.db),
    listTrail: trailReader(reader.db),
    /** What describes a form for `formbox apply`. Rarely asked for. */
    describe: async (find: () => FormTo<'configure'>): Promise<string> => {
      const { describeForm } = await import('../forms/as-files/describe-form.ts')
      return describeForm(reader.db, find())
    },
    userReads: userReads(reader.db),
    listFirstUsers: seenUsers(reader.db),
    fileReads: fileReads(reader.db),
    forms: openFormStore({ ...shared, formLimits }),
    submissions,
    unreadReads: unreadReads(reader.db),
    handlingReads: handlingReads(reader.db),
    confirmReads: confirmReads(reader.db),
    aboutSubmission: aboutReader(reader.db),
    countByDay: activityReader(reader.db),
    countReasons: spamReasonReads(reader.db).countReasons,
    searches: openSubmissionSearch({ ...shared, turns }),
    answers: openAnswers({ ...shared, turns }),
    inbox: openInbox({ ...shared, turns }),
    files,
    exports,
    imports: openImportStore({ ...shared, folder, node: nodeOf(config), ending }),
    webhooks: openWebhookStore({
      ...shared,
      sendTest: testSender(config, now),
      isReachable: (address) => isReachable(config.webhookAllowed, address),
    }),
    deliveries: openDeliveryStore(shared),
    testAddresses: addressTester(shared, countTest),
    mailPreviews: openMailPreviews({ ...shared, transport: replyTransport(shared), countTest }),
    confirmations: openConfirmStore({
      ...shared,
      signingKey: openSigningKey(shared),
      onArrived: submissions.addConfirmed,
    }),
    /** Counts a test mail of this user. Returns the seconds to wait after too many. */
    countTest,
    people: openPeopleStore({ ...shared, submissions, exports, turns }),
    members: openMemberStore({
      ...shared,
      sendInvitation: senderOf(shared, sendInvitation),
      countFailure: (userId) => countFailed(userId) === null,
    }),
    addresses: openAddressStore({
      ...shared,
      signingKey: openSigningKey(shared),
      sendAddressMail: senderOf(shared, sendAddressMail),
      countAddressMail: (...both) => both.map(countAddressMail).find((seconds) => seconds !== null) ?? null,
    }),
    users: openUserStore(shared),
    identities: openIdentityStore(shared),
    secondFactors: openSecondFactorStore(shared),
    sessions: openSessionStore(shared),
    keys: openKeyStore({ ...shared, lastUsed }),
    sheets: openSheetStore({ ...shared, lastUsed }),
  }
}

/** If the thread fails, the writer moves the log, as after a shorter export. */
const logHolder = (folder: string) => (): (() => void) => {
  const thread = startWriterThread({ ref: false })
  thread.onerror = () => {}
  thread.postMessage({ heldFolder: folder } satisfies Hold)
  return () => thread.postMessage('end')
}

/** An export is not refused because no one can write down that it was made: a machine may have no connection to its cluster. */
const exportNotes =
  ({ writer, now }: Pick<CollectStores['shared'], 'writer' | 'now'>) =>
  (noted: NotedExport): void =>
    void writer.run('noteExport', { ...noted, now: now() }).catch(() => {})

/** What sends mails of a kind; null if the server sends none. */
const senderOf = <About>(
  shared: CollectStores['shared'],
  send: (by: Parameters<typeof sendInvitation>[0], about: About) => Promise<boolean>,
) => {
  const { mail, publicUrl } = shared.config
  if (!mail || publicUrl === null) return null
  const signingKey = openSigningKey(shared)
  return async (about: About) => send({ mail, publicUrl, key: await signingKey() }, about)
}

/** Links that prove an address, of one user and to one person: anyone may type the address of anyone. */
const addressMailsAnHour = 5
/** Tests that a user may send, and a person may get: they are mails of the operator's mail server. */
const testsAnHour = 10
/** More would show who has a mailbox, where the mail server knows. */
const failedInvitationsAnHour = 10

/** Counts what is done with a key. Returns the seconds to wait after too many in an hour. */
const hourly = (most: number, now: () => number): ((key: string) => number | null) => {
  const limiter = createRateLimiter(most, now, hourMilliseconds)
  return (key) => {
    const { allowed, resetsAt } = limiter.take(key)
    return allowed ? null : secondsUntil(resetsAt, now())
  }
}

const replyTransport = ({ config: { mail, senders }, ...shared }: CollectStores['shared']) =>
  mail && openReplyTransport({ mail, senders, signingKey: openSigningKey(shared), now: shared.now })

/** Loaded with the first test, as below. */
const addressTester = (
  { config: { mail, senders }, reader, writer, now }: CollectStores['shared'],
  countTest: (userOrPerson: string) => number | null,
): TestAddresses => {
  if (!mail) return async () => []
  const signingKey = openSigningKey({ reader, writer })
  const tester = lazily(async () => {
    const { openAddressTester } = await import('../sending/mail/address-test.ts')
    return openAddressTester({ mail, senders, reader, signingKey, countTest, now })
  })
  return async (...test) => (await tester())(...test)
}

/** With what makes and sends messages, a start would take 20 ms more. */
const testSender = ({ webhookAllowed, publicUrl }: Config, now: () => number): SendTest => {
  const sender = lazily(async () => {
    const [{ openTestSender }, { openPoster }] = await Promise.all([
      import('../sending/webhooks/send-test.ts'),
      import('../sending/webhooks/post.ts'),
    ])
    return openTestSender({ post: openPoster({ allowed: webhookAllowed, now }), publicUrl, now })
  })
  return async (...test) => (await sender())(...test)
}
