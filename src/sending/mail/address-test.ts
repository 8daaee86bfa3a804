import { newId } from '../../base/id.ts'
import { toPerson } from '../../base/mail-address.ts'
import { formPath } from '../../config/addresses.ts'
import type { MailConfig } from '../../config/mail.ts'
import type { Sender } from '../../config/sender.ts'
import type { FormTo } from '../../forms/access.ts'
import { ownerReader } from '../../forms/owner.ts'
import type { TestResult } from '../../forms/webhooks/store.ts'
import { addressReads } from '../../outbox/known-addresses.ts'
import type { Reader } from '../../storage/reader.ts'
import type { ListedReceiver } from '../../submissions/deliveries/store.ts'
import { openSenderMailer, senderOf } from './chosen-sender.ts'
import { openMailer } from './mailer.ts'
import { receiverTestMail } from './messages.ts'
import { unsubscribeLink } from './unsubscribe.ts'

/** Sends a test to each of these addresses of the form. Resolves to a result for each, in their order, and never throws. */
export type TestAddresses = (
  userId: string,
  form: FormTo<'webhooks'>,
  addressees: readonly Pick<ListedReceiver, 'id' | 'target'>[],
) => Promise<readonly TestResult[]>

interface Options {
  readonly mail: MailConfig
  readonly senders: readonly Sender[]
  readonly reader: Reader
  /** See storage/secrets/signing-key.ts. */
  readonly signingKey: () => Promise<Uint8Array>
  /** Counts a test by a user, and one to a person. Returns how many seconds to wait if there were too many. */
  readonly countTest: (userOrPerson: string) => number | null
  readonly now: () => number
}

/** Milliseconds for which a person waits for the answer. */
const patience = 20_000

/** Tests by the sender of the form. Whoever wants no mail gets none, and no one can be sent many. */
export const openAddressTester = ({ mail: config, senders, reader, signingKey, countTest, now }: Options) => {
  const { isStopped } = addressReads(reader.db)
  const ownerOf = ownerReader(reader.db)
  const { publicUrl } = config

  const refusalOf = (userId: string, target: string): string | null => {
    if (isStopped(target)) return 'Its recipient wants no email from this server'
    const wait = countTest(userId) ?? countTest(toPerson(target))
    return wait === null ? null : `Too many tests. Wait ${Math.ceil(wait / 60)} minutes`
  }

  const tester: TestAddresses = async (userId, form, addressees) => {
    const { id, title, settings } = form
    const chosen = senderOf(senders, { settings, ownerEmail: ownerOf(form).email })
    if ('waits' in chosen) return addressees.map(() => notSent(chosen.waits))
    const key = await signingKey()
    const mailer = chosen.sender ? openSenderMailer(chosen.sender) : openMailer(config)
    const signal = AbortSignal.timeout(patience)
    const testing = addressees.map(async ({ id: receiver, target }) => {
      const refusal = refusalOf(userId, target)
      if (refusal !== null) return notSent(refusal)
      const stop = unsubscribeLink(publicUrl, key, { receiver, address: target })
      const about = { id: newId(now()), to: target, form: { id, title, settings }, stop }
      const sent = await mailer.send(receiverTestMail({ ...about, link: `${publicUrl}${formPath(id)}` }), signal)
      const { status, error, answer, milliseconds } = sent
      return { status, error, answer, milliseconds }
    })
    return Promise.all(testing).finally(mailer.close)
  }
  return tester
}

const notSent = (error: string): TestResult => ({ status: null, error, answer: '', milliseconds: 0 })
