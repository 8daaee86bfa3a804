import { resolve } from 'node:path'
import { isWorthShowing, showStep } from '../backups/progress.ts'
import { lookAt, sizeOf } from '../db/files.ts'
import { AppError, issueLine } from '../errors.ts'
import { cannot, failureOfMachine } from '../operator-errors.ts'
import type { Command } from './command.ts'
import { existingForm, withConnection } from './data-folder.ts'
import { formatFlag, formatOf } from './file-format.ts'
import { dataFlag } from './flags.ts'

export const importSubmissions: Command = {
  words: ['import'],
  operands: ['FORM_ID', 'FILE'],
  summary: 'add all submissions in FILE to a form, or none; the server may be running',
  flags: [
    formatFlag,
    { name: 'dry-run', help: 'check FILE and say what would be imported; change nothing' },
    { name: 'raw', help: 'CSV: FILE was exported with --raw' },
    dataFlag,
  ],
  run: async (flags, [formId = '', operand = '']) => {
    const path = resolve(operand)
    const format = formatOf(flags, operand)
    const isDryRun = flags['dry-run'] === true
    checkFile(path)
    // Only this command reads CSV.
    const { importFile } = await import('../import/import-file.ts')
    const isShown = isWorthShowing(sizeOf(path))
    const outcome = await withConnection(flags, async ({ db, folder, write }) => {
      const form = existingForm(db, formId)
      const isRaw = flags.raw === true
      const onProgress = (share: number | null): void => {
        if (isShown) showStep(share === null ? 'saving' : `${Math.floor(share * 100)} % checked`)
      }
      try {
        return await importFile({ db, folder, form, write }, path, { format, isRaw, isDryRun, onProgress })
      } catch (error) {
        throw inFile(path, error)
      }
    }).finally(() => showStep(null))
    process.stdout.write(`${describe(outcome, isDryRun)}\n`)
    return 0
  },
}

const checkFile = (path: string): void => {
  const what = `import ${path}`
  const found = lookAt(path, what)
  if (!found) throw cannot(what, 'it does not exist')
  if (!found.isFile()) throw cannot(what, 'it is not a file')
}

/** A faulty file is not a wrong command line, which would exit with 2. */
const inFile = (path: string, error: unknown): unknown => {
  const issues = error instanceof AppError ? error.issues.map(issueLine).join('; ') : ''
  const reason = failureOfMachine(error) ?? issues
  return reason === '' ? error : cannot(`import ${path}, nothing was changed`, reason)
}

interface Outcome {
  readonly imported: number
  readonly present: number
  readonly range: readonly [number, number]
  readonly tooOld: number
  readonly files: number
  readonly missing: number
}

const describe = ({ imported, present, range, tooOld, files, missing }: Outcome, isDryRun: boolean): string => {
  const what = `${isDryRun ? 'Would import' : 'Imported'} ${submissions(imported)}${files > 0 ? ` with ${countOf(files, 'file')}` : ''}`
  const dates = imported > 0 ? `, dated ${range.map((time) => new Date(time).toISOString()).join(' to ')}` : ''
  const rest = present > 0 ? `; the form has ${submissions(present)} of the file already` : ''
  const old =
    tooOld > 0 ? `; ${tooOld} of them will be deleted within about an hour, because of the form's retentionDays` : ''
  const without =
    missing > 0
      ? `; ${missing} of their files ${missing === 1 ? 'is' : 'are'} missing: only an export as ZIP has files`
      : ''
  return `${what}${dates}${rest}${old}${without}`
}

const submissions = (count: number): string => countOf(count, 'submission')

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
