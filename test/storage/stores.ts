import { accessIn } from '../../src/forms/access.ts'
import { formReader } from '../../src/forms/form.ts'
import { openFormLists } from '../../src/forms/lists/store.ts'
import { openFormStore } from '../../src/forms/store.ts'
import { openReader } from '../../src/storage/reader.ts'
import { activityReader } from '../../src/submissions/activity.ts'
import { handlingReads } from '../../src/submissions/handling.ts'
import { openSubmissionStore } from '../../src/submissions/store.ts'
import { unreadReads } from '../../src/submissions/unread.ts'
import { afterThisTest } from '../harness.ts'
import { openData } from './data.ts'

/** The stores over the data of `openData`. What they write is written at once, and counted. */
export const openStores = () => {
  const data = openData()
  const reader = openReader(data.folder)
  afterThisTest(() => reader.close())
  const sent: string[] = []
  const writer = {
    started: Promise.resolve(),
    run: async (name: string, input: unknown) => {
      sent.push(name)
      return data.run(name, JSON.parse(JSON.stringify(input))) as never
    },
    emptyWal: async () => true,
    limitWaits() {},
    isFailing: () => false,
    isWhole: () => true,
    isOpen: () => true,
    queued: () => 0,
    close: async () => {},
  }
  const findForm = formReader(reader.db)
  const options = {
    reader,
    findForm,
    access: accessIn(reader.db),
    writer,
    now: Date.now,
    formLimits: { canMail: false, senders: [], submitLimit: 0, fileLimitBytes: 0, formPages: true },
    onDeleted: () => {},
    onImport: () => {},
    onFields: () => {},
    signingKey: () => Promise.resolve(new Uint8Array(32)),
    onDue: () => {},
  }
  const forms = openFormStore(options)
  const submissions = {
    ...openSubmissionStore(options),
    ...unreadReads(reader.db),
    ...handlingReads(reader.db),
    countByDay: activityReader(reader.db),
  }

  return {
    ...data,
    ...options,
    forms,
    formLists: openFormLists(options),
    submissions,
    /** Names of the commands that the stores gave to the writer. */
    sent,
    /** The form as it is now: what was read before, in the same turn, no longer holds. */
    form(id = data.formId) {
      reader.release()
      return options.access.findFormTo('read', data.userId, id)
    },
    remove: (ids: readonly string[], formId = data.formId) =>
      void data.run('deleteSubmissions', { userId: data.userId, formId, list: 'inbox', ids }),
  }
}
