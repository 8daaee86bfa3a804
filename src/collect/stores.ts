import { userReads } from '../accounts/users/user-reads.ts'
import { type Config, nodeOf } from '../config/config.ts'
import { formAccess, roleReader } from '../forms/access.ts'
import { type Form, formReader } from '../forms/form.ts'
import type { Reader } from '../storage/reader.ts'
import type { Writer } from '../storage/writer/writer.ts'
import { openFileStore } from '../submissions/files/store.ts'
import { openSubmissionStore } from '../submissions/store.ts'
import type { Writes } from '../upkeep/all-writes.ts'

/** Returns what takes the place of a form that was found. Tests use it to watch how long a form is kept. */
export type WatchForm = (form: Form, reader: Reader) => Form

interface Options {
  readonly config: Config
  readonly reader: Reader
  readonly writer: Writer<Writes>
  /** Called when a delivery is due. */
  readonly onDue: () => void
  /** Called when something was deleted whose rows must still be removed, which may take long. */
  readonly onDeleted: () => void
  readonly now: () => number
  readonly watchForm?: WatchForm | undefined
}

export type CollectStores = ReturnType<typeof openCollectStores>

/** The stores that collecting needs, with what `openStores` shares with them. */
export const openCollectStores = ({ config, watchForm, ...rest }: Options) => {
  const { reader } = rest
  const findStored = reader.remembering(formReader(reader.db))
  const findForm = watchForm
    ? (id: string): Form | undefined => {
        const form = findStored(id)
        return form && watchForm(form, reader)
      }
    : findStored
  const readRole = roleReader(reader.db)
  const findRoleOf = reader.remembering((key) => {
    const [userId = '', form] = key.split(' ')
    return readRole(userId, Number(form))
  })
  const findRole = (userId: string, form: number) => findRoleOf(`${userId} ${form}`)
  const { findUserById } = userReads(reader.db)
  const findOwner = reader.remembering(findUserById)
  const shared = { ...rest, findForm, access: formAccess({ findForm, findRole }) }
  return {
    shared,
    /** Whether a user's account is switched off. */
    isDisabled: (userId: string): boolean => findOwner(userId)?.disabledAt != null,
    submissions: openSubmissionStore(shared),
    files: openFileStore({ ...shared, node: nodeOf(config) }),
  }
}
