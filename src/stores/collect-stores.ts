import { userReads } from '../accounts/users/user-reads.ts'
import { type Config, nodeOf } from '../config/config.ts'
import { rememberedForms, type WatchForm } from '../forms/remembered-forms.ts'
import type { Reader } from '../storage/reader.ts'
import { openSigningKey } from '../storage/secrets/signing-key.ts'
import type { Writer } from '../storage/writer/writer.ts'
import type { OnDue } from '../submissions/deliveries/store.ts'
import { openFileStore } from '../submissions/files/store.ts'
import { openSubmissionStore } from '../submissions/store.ts'
import type { Writes } from '../upkeep/all-writes.ts'

export interface CollectOptions {
  readonly config: Config
  readonly reader: Reader
  readonly writer: Writer<Writes>
  /** Called when a delivery is due. */
  readonly onDue: OnDue
  /** Called when something was deleted whose rows must still be removed, which may take long. */
  readonly onDeleted: () => void
  /** Called when an import has become sure, or is to be taken back. */
  readonly onImport: () => void
  /** Called when fields of a form were changed: places may have to be counted. */
  readonly onFields: () => void
  readonly now: () => number
  readonly watchForm?: WatchForm | undefined
}

export type CollectStores = ReturnType<typeof openCollectStores>

/** The stores that collecting needs, with what `openStores` shares with them. */
export const openCollectStores = ({ watchForm, ...rest }: CollectOptions) => {
  const { config, reader } = rest
  const { findUserById } = userReads(reader.db)
  const findOwner = reader.remembering(findUserById)
  const shared = { ...rest, ...rememberedForms(reader, watchForm) }
  return {
    shared,
    /** Whether a user's account is switched off. */
    isDisabled: (userId: string): boolean => findOwner(userId)?.disabledAt != null,
    submissions: openSubmissionStore({ ...shared, signingKey: openSigningKey({ reader, writer: rest.writer }) }),
    files: openFileStore({ ...shared, node: nodeOf(config) }),
  }
}
