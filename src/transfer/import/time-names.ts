/** The names under which services write when a submission came, the surest first. Without case, punctuation and blanks. */
const names = [
  // Formbox, Formspree, Netlify, Basin, Formcarry, OpnForm
  'createdat',
  // Tally, Typeform, Getform, Formcarry, Web3Forms
  'submittedat',
  // Getform, Jotform, Kobo, ODK
  'submissiondate',
  'submissiontime',
  // Typeform
  'submitdateutc',
  // LimeSurvey
  'submitdate',
  'datesubmitted',
  'datumabgeschickt',
  // Ninja Forms writes `datesubmitted`; Gravity Forms, WPForms
  'submittedon',
  'entrydate',
  'datumdeseintrags',
  // Wufoo, SurveyMonkey
  'datecreated',
  // Qualtrics
  'recordeddate',
  // Microsoft Forms
  'completiontime',
  'fertigstellungszeit',
  'heuredefin',
  'horadefinalizacion',
  'oradicompletamento',
  'horadeconclusao',
  // CFDB7
  'formdate',
  // Google Forms, Nextcloud Forms, Formidable
  'timestamp',
  'zeitstempel',
  'horodateur',
  'marcatemporal',
  'informazionicronologiche',
  'carimbodedatahora',
  'tijdstempel',
  'sygnaturaczasowa',
  // Drupal, Airtable
  'submitted',
  'submittedtime',
  'completed',
  'created',
  'createdtime',
]

const ranks = new Map(names.map((name, rank) => [name, rank + 1]))

/** Columns that are asked for, too, unless these columns of the service stand beside them. */
const companions: ReadonlyMap<string, readonly string[]> = new Map([
  // SurveyMonkey
  ['enddate', ['respondentid', 'collectorid']],
  // Drupal
  ['completed', ['serialnumber', 'submissionid', 'sid', 'serial']],
])

export const folded = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Formspree. `Date` alone may be what a form asked for. */
const formspreesName = '_date'
/** Flamingo writes it last. */
const lastName = 'Date'

/**
 * How sure it is that a column of this name tells when a submission came: the lowest is the surest; undefined if it is none.
 *
 * @param columns all names of the file, if it has a header
 */
export const rankOfTime = (name: string, columns: readonly string[] | undefined): number | undefined => {
  if (name === formspreesName) return 0
  if (name.length > 100) return undefined
  if (name === lastName) return columns?.at(-1) === name ? names.length + 2 : undefined
  const short = folded(name)
  const needed = companions.get(short)
  if (needed && !needed.some((one) => columns !== undefined && foldedOf(columns).has(one))) return undefined
  return ranks.get(short) ?? (needed && names.length + 1)
}

/** A header may have 16,384 names, each of which asks for the others. */
const known = new WeakMap<readonly string[], ReadonlySet<string>>()

const foldedOf = (columns: readonly string[]): ReadonlySet<string> => {
  const before = known.get(columns)
  if (before) return before
  const names = new Set(columns.map(folded))
  known.set(columns, names)
  return names
}

/** Whether it stays a field although the time was read from it. */
export const isAlsoField = (name: string): boolean => name === lastName
