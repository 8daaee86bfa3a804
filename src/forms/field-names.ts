import { and, eq, sql } from 'drizzle-orm'
import { parseOnce } from '../base/parse-once.ts'
import { isCleanText } from '../base/text-rules.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { statement } from '../storage/statement.ts'
import { forms, given, longFieldNames, param, params } from '../storage/tables.ts'
import { type Form, liveForm } from './form.ts'

/** Field names that a form lists at most. Further names are stored with their submissions only. */
const maxNames = 500
/** Bytes of one name as JSON. A longer one is an attempt to make every response that lists the form large. */
export const maxNameBytes = 1000
/** Bytes of all names of a form as JSON. */
const maxNamesBytes = 64 * 1024

/**
 * Adds new names to a JSON array of names, in order, until the limits are reached. Returns the same string if nothing
 * was added.
 */
export const rememberFieldNames = (json: string, names: readonly string[]): string => {
  const seen = parseNames(json)
  if (seen.size >= maxNames || names.every((name) => seen.has(name))) return json
  const all = new Set(seen)
  let bytes = Buffer.byteLength(json)
  for (const name of names) {
    // Saves encoding a long name: each character takes at least one byte.
    if (all.size === maxNames || all.has(name) || name.length > maxNameBytes) continue
    const nameBytes = Buffer.byteLength(JSON.stringify(name))
    const comma = all.size > 0 ? 1 : 0
    if (nameBytes > maxNameBytes || bytes + comma + nameBytes > maxNamesBytes) continue
    all.add(name)
    bytes += comma + nameBytes
  }
  return all.size === seen.size ? json : JSON.stringify([...all])
}

/** Whether these names are different, and each may be among the names of a form. */
export const areFieldNames = (names: readonly string[]): boolean =>
  new Set(names).size === names.length && names.every((name) => isCleanText(name) && isShort(name))

/** A long name need not be encoded: each character takes at least one byte. */
const isShort = (name: string): boolean =>
  name.length <= maxNameBytes && Buffer.byteLength(JSON.stringify(name)) <= maxNameBytes

/** A submission without new names needs no parsing. */
const parseNames = parseOnce((json): ReadonlySet<string> => new Set<string>(JSON.parse(json)))

/** Names that take more bytes as JSON are stored in a table of their own instead of the form's row. */
const maxBytesInRow = 4096

type NamedForm = Pick<typeof forms.$inferSelect, 'number' | 'fieldNames'>

export type ReadFieldNames = ReturnType<typeof fieldNameReader>

/**
 * JSON array of a form's names; undefined if the form has been deleted. The lookup uses the identifier, because this
 * may be called long after the form was found, and deleted.
 */
export const fieldNameReader = (db: Db): ((form: Pick<Form, 'id' | 'fieldNames'>) => string | undefined) => {
  const long = db
    .select({ names: longFieldNames.names })
    .from(forms)
    .innerJoin(longFieldNames, eq(longFieldNames.form, forms.number))
    .where(and(eq(forms.id, param('id')), liveForm))
    .prepare()
  return ({ id, fieldNames }) => (fieldNames === '' ? long.get({ id })?.names : fieldNames)
}

export const fieldNameWrites = oncePerConnection((db: Db) => {
  // Skips forms that cannot have another name. Earlier versions stored up to 3 MB of names for a form.
  const longWithRoom = db
    .select({ names: longFieldNames.names })
    .from(longFieldNames)
    .where(
      and(eq(longFieldNames.form, param('form')), sql`octet_length(${longFieldNames.names}) <= ${maxNamesBytes - 3}`),
    )
    .prepare()
  const setInRow = db
    .update(forms)
    .set({ fieldNames: given('names') })
    .where(eq(forms.number, param('form')))
    .prepare()
  const setLong = db
    .insert(longFieldNames)
    .values(params('form', 'names'))
    .onConflictDoUpdate({ target: longFieldNames.form, set: { names: sql`excluded.names` } })
    .prepare()
  const copyLong = copyLongNames(db)

  return {
    /** Adds the names of these submissions' fields to the form, until its limits are reached. */
    addFieldNames(form: NamedForm, added: readonly { readonly fieldNames: readonly string[] }[]): void {
      const before = form.fieldNames === '' ? longWithRoom.get({ form: form.number })?.names : form.fieldNames
      if (before === undefined) return
      const names = added.reduce((known, { fieldNames }) => rememberFieldNames(known, fieldNames), before)
      if (names === before) return
      const isLong = Buffer.byteLength(names) > maxBytesInRow
      if (isLong) setLong.run({ form: form.number, names })
      if (form.fieldNames !== '') setInRow.run({ form: form.number, names: isLong ? '' : names })
    },

    /** Copies names that are stored outside the form's row to its duplicate, which must exist. */
    copyFieldNames(from: NamedForm, copy: number): void {
      if (from.fieldNames === '') copyLong.run({ from: from.number, copy })
    },
  }
})

const copyLongNames = statement(`
  INSERT INTO long_field_names (form, names) SELECT $copy, names FROM long_field_names WHERE form = $from`)
