import { invalid } from '../../base/errors.ts'
import { shownLine } from '../../base/short-text.ts'
import type { WrongFile } from '../../forms/fields/field-problem.ts'
import { type FormSettings, maxMaxFiles } from '../../forms/settings/settings.ts'
import { foreign } from '../../languages/foreign.ts'
import { because } from '../../languages/texts.ts'
import type { RefusedFile } from '../fields.ts'
import {
  claimedTypes,
  contradicts,
  disagrees,
  imageFormat,
  isActiveUnder,
  isImage,
  isLike,
  isOfKind,
  kindName,
  kindOf,
  kindWords,
  toFoundKind,
} from './kind.ts'

/** Files that one submission of a form may have. */
export const maxFilesOf = ({ maxFiles }: Pick<FormSettings, 'maxFiles'>): number => maxFiles ?? maxMaxFiles

/** @param serverLimit what the operator allows, which may be less than when the setting was stored */
export const maxFileBytesOf = ({ maxFileBytes }: Pick<FormSettings, 'maxFileBytes'>, serverLimit: number): number =>
  Math.min(maxFileBytes ?? serverLimit, serverLimit)

/** A file, for the rules of a form. */
export interface CheckedFile {
  readonly field: string
  readonly filename: string
  /** The type that was declared. */
  readonly type: string
  /** At least 4,096 of them, or all. */
  readonly firstBytes: Uint8Array
}

/**
 * Refuses a file of a kind that the form does not take.
 *
 * @throws AppError `invalid` that names the field, the file and what it may be
 */
export const checkFile = ({ fileTypes }: Pick<FormSettings, 'fileTypes'>, file: CheckedFile): void => {
  const kind = kindOf(file.firstBytes)
  if (isTaken(fileTypes, file, kind)) return
  const { filename, kinds, found, format } = toWrongFile(fileTypes, file, kind)
  const what =
    fittingTypes(fileTypes, file, kind).length === 0 ? 'is not one' : `is ${kindWords(kind)}, as its first bytes show`
  throw invalid({
    field: shownLine(file.field, 100),
    message: `must be a file of the kinds that this form takes (${fileTypes.join(', ')}); “${filename}” ${what}`,
    reason: because('wrongKind', foreign(filename), kinds, found, format),
  })
}

/**
 * Says why a field of the form does not take a file; undefined if it does.
 *
 * @param ofForm the kinds that the form takes @param ofField those that the field takes
 */
export const refusedKind = (
  ofForm: readonly string[],
  ofField: readonly string[],
  file: CheckedFile,
): RefusedFile | undefined => {
  const kind = kindOf(file.firstBytes)
  // The field's own list is the shorter one.
  const broken = [ofField, ofForm].find((fileTypes) => !isTaken(fileTypes, file, kind))
  if (!broken) return undefined
  const isOfField = broken === ofField
  return { rule: 'fileTypes', bound: broken.join(', '), file: { ...toWrongFile(broken, file, kind), isOfField } }
}

const toWrongFile = (
  fileTypes: readonly string[],
  file: CheckedFile,
  kind: string | null,
): Omit<WrongFile, 'isOfField'> => {
  const fitting = fittingTypes(fileTypes, file, kind)
  return {
    filename: shownLine(file.filename, 100),
    kinds: [...new Set(fileTypes.map(kindName))],
    found: fitting.length === 0 ? 'other' : toFoundKind(kind),
    format: fitting.some(isImage) ? imageFormat(kind) : null,
  }
}

const isTaken = (fileTypes: readonly string[], file: CheckedFile, kind: string | null): boolean =>
  fileTypes.length === 0 || fittingTypes(fileTypes, file, kind).some((entry) => isTrue(entry, file, kind))

const fittingTypes = (fileTypes: readonly string[], file: CheckedFile, kind: string | null): string[] =>
  fileTypes.filter((entry) => fits(entry, file, kind))

/** Whether a file says by its name or its declared type that it is what the entry stands for. */
const fits = (entry: string, { filename, type }: CheckedFile, kind: string | null): boolean => {
  if (entry.startsWith('.')) return filename.trim().toLowerCase().endsWith(entry) || isLike(entry, filename, type, kind)
  if (isActiveUnder(entry, filename)) return false
  const claimed = [...claimedTypes(filename, type)]
  // Systems call every WebM and Ogg a film.
  if (kind?.startsWith('audio/') && claimed.some((one) => isOfKind(one, kind))) claimed.push(kind)
  return entry.endsWith('/*') ? claimed.some((one) => one.startsWith(entry.slice(0, -1))) : claimed.includes(entry)
}

/**
 * Whether the bytes bear the entry out, or at least contradict neither it nor what else the file says: a photo in WebP that
 * is called `.jpg` is an `image/*`.
 */
const isTrue = (entry: string, { filename, type }: CheckedFile, kind: string | null): boolean =>
  isOfKind(entry, kind) || !(contradicts(entry, kind) || disagrees(filename, type, kind))
