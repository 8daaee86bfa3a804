import { AppError, issueLine } from '../base/errors.ts'
import { cannot, OperatorError } from '../base/operator-errors.ts'
import { amount } from '../base/short-text.ts'
import { importReads } from '../submissions/imports/import-reads.ts'
import { oneSlice, restSlice } from '../submissions/slices.ts'
import type { Flags } from './command.ts'
import { existingForm, withWrites } from './data-folder.ts'

/** Takes an import back. A running server removes what is left of it. */
export const undoImport = (flags: Flags, importId: string): Promise<number> =>
  withWrites(flags, async ({ db, write }) => {
    const found = importReads(db).find(undefined, importId)
    if (!found) throw new OperatorError(`there is no import ${JSON.stringify(importId)}, or it was too long ago`)
    const userId = existingForm(db, found.formId).userId ?? ''
    try {
      await write('endImport', { importId, formId: found.formId, userId, now: Date.now() })
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid') throw error
      throw cannot(`take back the import ${importId}`, error.issues.map(issueLine).join('; '))
    }
    while (await write('removeSlice', { importId }));
    while (await write('removeRest', { importId, ...restSlice }));
    while ((await write('removeDeletedSlice', oneSlice)) > 0);
    process.stdout.write(`Removed ${amount(found.added, 'submission')}\n`)
    return 0
  })
