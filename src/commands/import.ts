import { resolve } from 'node:path'
import { AppError, invalid, issueLine } from '../base/errors.ts'
import { cannot, failureOfMachine } from '../base/operator-errors.ts'
import { amount, shownLine } from '../base/short-text.ts'
import { timeZoneInWords, toTimeZone } from '../base/time-zone.ts'
import { lookAt, sizeOf } from '../storage/files.ts'
import { fileFormats, type ImportFormat, importFormatNames } from '../transfer/formats.ts'
import type { ImportOutcome } from '../transfer/import/import-file.ts'
import type { Time } from '../transfer/import/plan.ts'
import { dateOrders } from '../transfer/import/read-date.ts'
import type { TimeOptions } from '../transfer/import/time-column.ts'
import { isWorthShowing, showStep } from '../upkeep/backups/progress.ts'
import type { Command, Flags } from './command.ts'
import { existingForm, withConnection } from './data-folder.ts'
import { formatFlag, formatOf } from './file-format.ts'
import { dataFlag } from './flags.ts'

export const importSubmissions: Command = {
  words: ['import'],
  operands: ['FORM_ID', 'FILE'],
  instead: 'undo',
  summary: 'add all submissions in FILE (- is standard input) to a form, or none',
  flags: [
    formatFlag(importFormatNames),
    { name: 'dry-run', help: 'check FILE and say what would be imported; change nothing' },
    {
      name: 'date',
      value: 'COLUMN',
      help: 'the column that says when a submission came; default: it is found by its name',
    },
    { name: 'time-zone', value: 'ZONE', help: 'of dates that name none, such as Europe/Berlin; default: UTC' },
    { name: 'date-format', value: 'FORMAT', help: 'dmy or mdy: whether 3/4 is 3 April or 4 March' },
    { name: 'no-dates', help: 'no column says it: all submissions get the time of the import' },
    { name: 'raw', help: 'CSV: FILE was exported with --raw' },
    { name: 'undo', value: 'ID', help: 'take back the import with this ID, within an hour; without FORM_ID and FILE' },
    dataFlag,
  ],
  run: async (flags, [formId = '', operand = '']) => {
    if (flags.undo !== undefined) {
      const { undoImport } = await import('./undo-import.ts')
      return await undoImport(flags, String(flags.undo))
    }
    const isPiped = operand === standardInput
    const path = isPiped ? operand : resolve(operand)
    const format = formatOf(importFormatNames, flags, operand)
    const isDryRun = flags['dry-run'] === true
    const time = timeOptions(flags)
    if (!isPiped) checkFile(path, format)
    else if (fileFormats[format].isPacked)
      throw invalid({ message: `cannot import ${format.toUpperCase()} from standard input: it must be a file` })
    // Only this command reads CSV.
    const { importFile } = await import('../transfer/import/import-file.ts')
    const isShown = !isPiped && isWorthShowing(sizeOf(path))
    const outcome = await withConnection(flags, async ({ db, folder, write, writeHere }) => {
      const form = existingForm(db, formId)
      const isRaw = flags.raw === true
      const onProgress = (share: number | null): void => {
        if (isShown) showStep(share === null ? 'saving' : `${Math.floor(share * 100)} % checked`)
      }
      try {
        return await importFile({ db, folder, form, write, writeHere }, path, {
          format,
          isRaw,
          time,
          isDryRun,
          onProgress,
        })
      } catch (error) {
        throw inFile(isPiped ? 'standard input' : path, error)
      }
    }).finally(() => showStep(null))
    process.stdout.write(`${describe(outcome, isDryRun)}\n`)
    if (!isDryRun && outcome.plan.rows > 0)
      process.stdout.write(`To take it back within an hour: formbox import --undo ${outcome.importId}\n`)
    return 0
  },
}

const standardInput = '-'

const timeOptions = (flags: Flags): TimeOptions => {
  const { date: column, 'time-zone': zone = 'UTC', 'date-format': order } = flags
  const isOff = flags['no-dates'] === true
  if (isOff && column !== undefined) throw invalid({ field: '--no-dates', message: 'must not be used with --date' })
  const timeZone = toTimeZone(String(zone))
  if (timeZone === null) throw invalid({ field: '--time-zone', message: `must be ${timeZoneInWords}` })
  const known = dateOrders.find((each) => each === order)
  if (order !== undefined && !known) throw invalid({ field: '--date-format', message: 'must be dmy or mdy' })
  return { column: column === undefined ? undefined : String(column), timeZone, order: known, isOff, words: timeFlags }
}

export const timeFlags = {
  column: '--date COLUMN',
  order: '--date-format dmy or --date-format mdy',
  isOff: '--no-dates',
}

const checkFile = (path: string, format: ImportFormat): void => {
  const what = `import ${path}`
  const found = lookAt(path, what)
  if (!found) throw cannot(what, 'it does not exist')
  if (!found.isFile() && (fileFormats[format].isPacked || !found.isFIFO())) throw cannot(what, 'it is not a file')
}

/** A faulty file is not a wrong command line, which would exit with 2. */
const inFile = (path: string, error: unknown): unknown => {
  const issues = error instanceof AppError ? error.issues.map(issueLine).join('; ') : ''
  const reason = failureOfMachine(error) ?? issues
  return reason === '' ? error : cannot(`import ${path}, nothing was changed`, reason)
}

const describe = (outcome: ImportOutcome, isDryRun: boolean): string => {
  const { plan, range, tooOld, files, missing, fieldNames } = outcome
  const { rows: imported, present, undated, spam } = plan
  const renamed = plan.columns.flatMap(({ name, renamedFrom }) => (renamedFrom === undefined ? [] : [name]))
  const separator = separatorNames[plan.separator ?? ','] ?? JSON.stringify(plan.separator)
  const parts = [
    `${isDryRun ? 'Would import' : 'Imported'} ${submissions(imported)}${files > 0 ? ` with ${amount(files, 'file')}` : ''}` +
      (imported > 0 ? `, dated ${range.map((time) => new Date(time).toISOString()).join(' to ')}` : ''),
    present > 0 && `the form has ${submissions(present)} of the file already`,
    undated > 0 && `${submissions(undated)} without a date ${isDryRun ? 'would get' : 'got'} the present time`,
    spam > 0 && `${submissions(spam)} marked as spam ${isDryRun ? 'would be' : spam === 1 ? 'was' : 'were'} left out`,
    tooOld > 0 && `${tooOld} of them will be deleted within about an hour, because of the form's retentionDays`,
    missing > 0 && `${missing} of their files ${missing === 1 ? 'is' : 'are'} missing: only an export as ZIP has files`,
    plan.emptyRows > 0 &&
      `${amount(plan.emptyRows, 'empty row')} ${isDryRun ? 'would be' : plan.emptyRows === 1 ? 'was' : 'were'} left out`,
    renamed.length > 0 &&
      `columns with the name of another ${isDryRun ? 'would become' : 'became'} ${shownNames(renamed)}`,
    plan.otherSheets.length > 0 && `not imported: the other sheets ${shownNames(plan.otherSheets)}`,
    plan.formulas > 0 && `${amount(plan.formulas, 'formula')} without a value in the file`,
    plan.left.size > 0 && `not imported: ${shownNames([...plan.left.keys()])}`,
    isDryRun && plan.time && `dates from “${shownLine(plan.time.column, 50)}”${howRead(plan.time)}`,
    isDryRun && separator !== 'commas' && `separated by ${separator}`,
    isDryRun && imported > 0 && `fields: ${shownNames(fieldNames)}`,
  ]
  return parts.filter((part) => part !== false && part !== null).join('; ')
}

const howRead = ({ order, timeZone }: Time): string =>
  `${order === null ? '' : order === 'dmy' ? ', with the day first' : ', with the month first'}${timeZone === 'UTC' ? '' : `, in ${timeZone}`}`

const separatorNames: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }

const shownNames = (names: readonly string[]): string => {
  const shown = names.slice(0, maxNames).map((name) => `“${shownLine(name, 50)}”`)
  const more = names.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
const maxNames = 50

const submissions = (count: number): string => amount(count, 'submission')
