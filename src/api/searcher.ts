import type { Caller } from '../accounts/keys/store.ts'
import type { Searcher } from '../submissions/search/search.ts'

export interface ReadingCall extends Pick<Searcher, 'signal' | 'checkAccess'> {
  readonly caller: Caller
}

/** The caller as a reader of many submissions, who keeps to the forms of the key. */
export const searcherOf = ({ caller: { userId, forms }, signal, checkAccess }: ReadingCall): Searcher => ({
  userId,
  forms,
  signal,
  checkAccess,
})
