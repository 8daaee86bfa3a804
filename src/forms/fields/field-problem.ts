import type { Issue } from '../../base/errors.ts'
import { shownLine } from '../../base/short-text.ts'
import type { FoundKind } from '../../languages/texts.ts'
import { type FormField, factsOf } from './form-field.ts'

/** The rules that a value may break, as scripts get them. */
export const fieldRules = [
  'required',
  'one',
  'type',
  'email',
  'tel',
  'url',
  'number',
  'date',
  'option',
  'full',
  'repeated',
  'min',
  'max',
  'minLength',
  'maxLength',
  'file',
  'fileTypes',
  'maxFiles',
  'other',
] as const

export type FieldRule = (typeof fieldRules)[number]

/** A value that a form does not take, or one that it misses. */
export interface FieldProblem {
  readonly name: string
  /** The field of the form; undefined for another name. */
  readonly field: FormField | undefined
  readonly rule: FieldRule
  /** Which one of several values it is. */
  readonly at?: number | undefined
  /** The bound that it breaks, the kinds of files that fit, or how many there are. */
  readonly bound?: number | string
  /** A file of another kind. */
  readonly file?: WrongFile
}

/** A file whose kind does not fit. */
export interface WrongFile {
  readonly filename: string
  /** Kinds that would, in words for visitors. */
  readonly kinds: readonly string[]
  readonly found: FoundKind
  /** The format of an image whose name says another one; null for any other file. */
  readonly format: string | null
  /** Whether it is the field that takes these kinds, and not the form for all of its fields. */
  readonly isOfField: boolean
}

/** Characters of a name in a pointer. Anyone may send names of a megabyte. */
const maxPointerName = 200

/** The problem as a script is told, in English. */
export const toIssue = (problem: FieldProblem): Issue & { readonly rule: FieldRule } => {
  const { name, at, rule } = problem
  const pointer = name.length > maxPointerName ? '' : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return {
    field: shownLine(name, 100),
    message: inEnglish(problem),
    path: at === undefined || pointer === '' ? pointer : `${pointer}/${at}`,
    rule,
  }
}

const inEnglish = ({ field, rule, bound = '', file }: FieldProblem): string => {
  const { type } = field ?? {}
  const sends = type && factsOf(type).sends
  const ofOptions = sends === 'list' ? ' of the options' : ''
  switch (rule) {
    case 'required':
      if (sends === 'list') return 'must be at least one of the options'
      if (sends === 'tick') return 'must be ticked'
      return sends === 'files' ? 'must be a file' : 'must be filled in'
    case 'one':
      return `must have one value; got ${bound}`
    case 'type':
      return 'must be text'
    case 'email':
      return 'must be an email address such as ada@example.com'
    case 'tel':
      return 'must be a phone number: at least 3 digits, at most 40 characters'
    case 'url':
      return 'must be a web address such as https://example.com'
    case 'number':
      return 'must be a number such as 1234 or 1234.5, with at most one comma or full stop, for decimals'
    case 'date':
      return 'must be a day such as 2026-12-31'
    case 'option':
      return 'must be one of the options'
    case 'full':
      return `must be an option with a place left; “${shownLine(String(bound), 100)}” is full`
    case 'repeated':
      return 'must be a value that was not sent before'
    case 'min':
      return type === 'date' ? `must be ${bound} or later` : `must be at least ${bound}${ofOptions}`
    case 'max':
      return type === 'date' ? `must be ${bound} or earlier` : `must be at most ${bound}${ofOptions}`
    case 'minLength':
      return `must be at least ${bound} characters`
    case 'maxLength':
      return `must be at most ${bound} characters`
    case 'file':
      return 'must be a file: the form needs enctype="multipart/form-data"'
    case 'fileTypes':
      return `must be a file of the kinds ${bound}; “${shownLine(file?.filename ?? '', 100)}” is not one, or its content is of another kind`
    case 'maxFiles':
      return `must be at most ${bound} ${bound === 1 ? 'file' : 'files'}`
    case 'other':
      return 'must be left out: the form has no such field'
  }
}
