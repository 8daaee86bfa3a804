import { AppError } from '../../base/errors.ts'

/** The session ended, the password changed or the user was disabled between the check and the write. */
export const accountChanged = (): AppError => new AppError('unauthenticated', 'The account was changed in the meantime')
