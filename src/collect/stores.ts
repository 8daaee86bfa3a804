import { userReads } from '../accounts/users/user-reads.ts'
import { type Config, nodeOf } from '../config/config.ts'
import { formAccess, roleReader } from '../forms/access.ts'
import { formReader } from '../forms/form.ts'
import type { Reader } from '../storage/reader.ts'
import type { Writer } from '../storage/writer/writer.ts'
import { openFileStore } from '../submissions/files/store.ts'
import { openSubmissionStore } from '../submissions/store.ts'
import type { Writes } from '../upkeep/all-writes.ts'

interface Options {
  readonly config: Config
  readonly reader: Reader
  readonly writer: Writer<Writes>
  /** Called when a delivery is due. */
  readonly onDue: () => void
  /** Called when something was deleted whose rows must still be removed, which may take long. */
  readonly onDeleted: () => void
  readonly now: () => number
}

export type CollectStores = ReturnType<typeof openCollectStores>

/** The stores that collecting needs, with what `openStores` shares with them. */
export const openCollectStores = ({ config, ...rest }: Options) => {
  const { reader } = rest
  const findForm = reader.remembering(formReader(reader.db))
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
