/** A form lists at most so many field names; further ones are stored with the submission only. */
const maxNames = 500
/** A longer one is no name but an attempt to make every answer that lists the form large. */
const maxNameCharacters = 1000

// The set behind each form's JSON text, so that a submission that brings nothing new costs no parsing. Keyed by the
// text itself: what another command or a rollback made of it can't be confused with what is remembered.
const known = new Map<string, Set<string>>()
const maxKnownCharacters = 1_000_000
let knownCharacters = 0

/** Adds the names that are new, in order, to a JSON array of names. Returns the same string when there are none. */
export const rememberFieldNames = (json: string, names: readonly string[]): string => {
  const seen = parseNames(json)
  const added = names.filter((name) => !seen.has(name) && name.length <= maxNameCharacters)
  if (added.length === 0 || seen.size >= maxNames) return json
  return JSON.stringify([...new Set([...seen, ...added])].slice(0, maxNames))
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
