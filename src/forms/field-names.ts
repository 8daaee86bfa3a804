import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { forms, longFieldNames, param } from '../db/tables.ts'
import { type Form, liveForm } from './ownership.ts'

/** A form lists at most so many field names; further ones are stored with the submission only. */
const maxNames = 500
/** Bytes of JSON text of one name. A longer one is no name but an attempt to make every answer that lists it large. */
const maxNameBytes = 1000
/** Bytes of JSON text of all names of a form. */
const maxNamesBytes = 64 * 1024

// The set behind each form's JSON text, so that a submission that brings nothing new costs no parsing. Keyed by the
// text itself: what another command or a rollback made of it can't be confused with what is remembered.
const known = new Map<string, Set<string>>()
const maxKnownCharacters = 1_000_000
let knownCharacters = 0

/**
 * Adds the names that are new to a JSON array of names, in order, as far as there is room. Returns the same string when
 * there are none.
 */
export const rememberFieldNames = (json: string, names: readonly string[]): string => {
  const seen = parseNames(json)
  if (seen.size >= maxNames || names.every((name) => seen.has(name))) return json
  const all = new Set(seen)
  let bytes = Buffer.byteLength(json)
  for (const name of names) {
    // A character takes a byte at least.
    if (all.size === maxNames || all.has(name) || name.length > maxNameBytes) continue
    const nameBytes = Buffer.byteLength(JSON.stringify(name))
    const comma = all.size > 0 ? 1 : 0
    if (nameBytes > maxNameBytes || bytes + comma + nameBytes > maxNamesBytes) continue
    all.add(name)
    bytes += comma + nameBytes
  }
  return all.size === seen.size ? json : JSON.stringify([...all])
}

const parseNames = (json: string): Set<string> => {
  const remembered = known.get(json)
  if (remembered) return remembered
  if (knownCharacters > maxKnownCharacters) {
    known.clear()
    knownCharacters = 0
  }
  knownCharacters += json.length
  const names = new Set<string>(JSON.parse(json))
  known.set(json, names)
  return names
}

/** Names whose JSON text has more bytes are kept apart from the form's row. */
const maxBytesInRow = 4096

type NamedForm = Pick<typeof forms.$inferSelect, 'number' | 'fieldNames'>

/**
 * JSON array of the names of a form; undefined when the form is gone. Looked up by identifier: this may be called long
 * after the form was found, when its number may belong to another form.
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

export const fieldNameWrites = (db: Db) => {
  // Of a form that has no room for another name, nothing is read: those of earlier versions may have 3 MB of them.
  const longWithRoom = db
    .select({ names: longFieldNames.names })
    .from(longFieldNames)
    .where(
      and(eq(longFieldNames.form, param('form')), sql`octet_length(${longFieldNames.names}) <= ${maxNamesBytes - 3}`),
    )
    .prepare()
  const setInRow = db
    .update(forms)
    .set({ fieldNames: sql`${param('names')}` })
    .where(eq(forms.number, param('form')))
    .prepare()
  const setLong = db
    .insert(longFieldNames)
    .values({ form: param('form'), names: param('names') })
    .onConflictDoUpdate({ target: longFieldNames.form, set: { names: sql`excluded.names` } })
    .prepare()
  const copyLong = db
    .insert(longFieldNames)
    .select(
      db
        .select({ form: sql<number>`${param('copy')}`.as('form'), names: longFieldNames.names })
        .from(longFieldNames)
        .where(eq(longFieldNames.form, param('from'))),
    )
    .prepare()

  return {
    /** Adds the names that these submissions bring, as far as the form has room for them. */
    addFieldNames(form: NamedForm, added: readonly { readonly fieldNames: readonly string[] }[]): void {
      const before = form.fieldNames === '' ? longWithRoom.get({ form: form.number })?.names : form.fieldNames
      if (before === undefined) return
      const names = added.reduce((known, { fieldNames }) => rememberFieldNames(known, fieldNames), before)
      if (names === before) return
      const isLong = Buffer.byteLength(names) > maxBytesInRow
      if (isLong) setLong.run({ form: form.number, names })
      if (form.fieldNames !== '') setInRow.run({ form: form.number, names: isLong ? '' : names })
    },

    /** Copies the names of a form that are kept apart to its duplicate, whose row is there already. */
    copyFieldNames(from: NamedForm, copy: number): void {
      if (from.fieldNames === '') copyLong.run({ from: from.number, copy })
    },
  }
}
