import { showStep } from '../backups/progress.ts'
import { oneSlice } from '../submissions/removal.ts'
import { parseEmail } from '../users/email.ts'
import { type UserReads, userReads } from '../users/user-reads.ts'
import type { Command } from './command.ts'
import { withDataFolder, withWrites } from './data-folder.ts'
import { existingUser } from './existing-user.ts'
import { dataFlag } from './setting-flags.ts'

/**
 * Pause between two slices. A server that waits for the file retries at most every 100 ms. Without a pause it kept
 * meeting the next slice, and its writes waited for up to 2.7 s.
 */
const pauseMilliseconds = 30

export const userDelete: Command = {
  words: ['user', 'delete'],
  operands: ['EMAIL'],
  summary: 'delete a user with all forms, submissions and keys; asks first',
  flags: [{ name: 'yes', help: 'do not ask for confirmation' }, dataFlag],
  run: async (flags, [operand = '']) => {
    const email = parseEmail(operand)
    const found = await withDataFolder(flags, (db) => userReads(db).countBelongings(existingUser(db, email).id))
    if (flags.yes !== true && !(await isConfirmed(email, found))) {
      process.stderr.write('formbox: nothing was deleted\n')
      return 1
    }
    await withWrites(flags, async ({ db, write }) => {
      await write('deleteUser', { userId: existingUser(db, email).id, now: Date.now() })
      // If this is interrupted, the server continues when it starts.
      for (let total = 0; ; ) {
        const count = await write('removeDeletedSlice', oneSlice)
        if (count === 0) return
        total += count
        showStep(`${total} submissions, deliveries and forms removed`)
        await Bun.sleep(pauseMilliseconds)
      }
    }).finally(() => showStep(null))
    return 0
  },
}

const isConfirmed = async (email: string, { forms, submissions, keys }: ReturnType<UserReads['countBelongings']>) => {
  process.stderr.write(
    `This deletes ${email} with ${count(forms, 'form')}, ${count(submissions, 'submission')} and ${count(keys, 'key')}. ` +
      'This cannot be undone. Type the e-mail address to confirm: ',
  )
  // Loaded here, because it takes 2 ms, and every command would wait for it.
  const { createInterface } = await import('node:readline')
  const lines = createInterface({ input: process.stdin })
  try {
    for await (const line of lines) return line.trim().toLowerCase() === email
    process.stderr.write('\n')
    return false
  } finally {
    lines.close()
  }
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
