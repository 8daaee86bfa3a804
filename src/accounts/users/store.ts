import { newId } from '../../base/id.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { NewUser } from './proved-user.ts'
import type { PasswordChange, UserWrites } from './user-writes.ts'

interface Options {
  readonly writer: Writer<UserWrites>
  readonly now: () => number
}

/** The server's writes of users. Commands use `userWrites` instead: they need no running server. */
export const openUserStore = ({ writer, now }: Options) => {
  return {
    /** Returns the identifier of the user; undefined if there is a user already. */
    async createFirstUser(user: Omit<NewUser, 'id'>): Promise<string | undefined> {
      const id = newId(now())
      return (await writer.run('createFirstUser', { id, ...user })) ? id : undefined
    },

    /** @throws AppError `unauthenticated` as the command does */
    changePassword: (change: PasswordChange): Promise<void> => writer.run('changePassword', change),
  }
}
