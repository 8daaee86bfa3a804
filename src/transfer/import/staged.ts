import { Database } from 'bun:sqlite'
import { basename } from 'node:path'
import { AppError, invalid, issueLine } from '../../base/errors.ts'
import { idAt, ordersPerMillisecond } from '../../base/id.ts'
import { toIsoTime } from '../../base/moment.ts'
import { atMost } from '../../base/short-text.ts'
import { isControlField } from '../../forms/control-fields.ts'
import type { Form } from '../../forms/form.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import { createFile } from '../../storage/files.ts'
import { importTarget, partialFile, removeAbandoned, removePartial } from '../../storage/partial-file.ts'
import { type Field, toData, toSentSubmission } from '../../submissions/fields.ts'
import { isLong } from '../../submissions/pieces.ts'
import { textIn } from '../../submissions/sent-fields.ts'
import { hasMore, type StagedBeside, stagedBeside } from '../../submissions/stored-submission.ts'
import type { Archive } from './archive.ts'
import { findFiles } from './files.ts'
import type { Imported } from './imported.ts'
import { stagedNotes } from './notes.ts'
import { type Example, leaveOut, type Plan } from './plan.ts'
import type { Timed, TimeOptions, Words } from './time-column.ts'

export interface Size {
  readonly count: number
  /** The bytes of their data and of what comes with it. */
  readonly bytes: number
}

/** Submissions that have been checked, in a file beside the data until they are imported. */
export interface Staged extends Size {
  /**
   * `rows(number, time, id, data, is_long, missing, …stagedBeside)`; ordered by `id` through an index. `missing` counts files
   * that the data names and that did not come with it. Those that did: `files(id, row, number, folder, name, type, content)`,
   * where `content` is null if it is in the archive.
   */
  readonly path: string
  /** Earliest and latest, in Unix milliseconds; 0 if there is none. */
  readonly range: readonly [number, number]
  /** Whether a submission names files that did not come with it. */
  readonly lacksFiles: boolean
  /** In the order of the columns, or of their first appearance. */
  readonly fieldNames: readonly string[]
  /** Name of this import: that of the file at `path`, which tells of the process. */
  readonly stagedBy: string
  remove(): void
}

const maxProblems = 10

/** More than a form lists. Without a limit, a file could fill the memory with names. */
const maxFieldNames = 1000

interface StageOptions {
  readonly form: Pick<Form, 'settings'>
  readonly archive: Archive | undefined
  /** Gets examples, and what is left out. */
  readonly plan: Plan
  readonly time: Pick<TimeOptions, 'isOff' | 'words'>
  /** The date of submissions without one. */
  readonly now: number
  /** See `importTarget`. */
  readonly fileName?: string | undefined
  /** Called with what has been read so far. It may throw, if that is too much. */
  readonly onSize: (size: Size) => void
}

/**
 * Reads and checks all submissions of a file, and gives an identifier to those without one.
 *
 * @throws AppError `invalid` with the first problems and where they are; then nothing is left on the disk
 */
export const stage = async (folder: string, timed: Timed, options: StageOptions): Promise<Staged> => {
  const target = importTarget(folder, options.fileName)
  removeAbandoned(target)
  const path = partialFile(target, process.pid)
  const remove = (): void => removePartial(path)
  try {
    createFile(path)
    const db = openStage(path)
    try {
      const added = await addRows(db, timed, options)
      nameRows(db)
      return { path, stagedBy: basename(path), ...added, remove }
    } finally {
      db.close()
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** Without syncs: no one else reads the file, and it is useless once the process has ended. */
const openStage = (path: string): Database => {
  const db = new Database(path, { readwrite: true, create: false })
  db.run('PRAGMA synchronous = OFF')
  db.run(`CREATE TABLE rows (
    number INTEGER PRIMARY KEY, location TEXT NOT NULL, time INTEGER NOT NULL, id TEXT, data TEXT NOT NULL, is_long INTEGER NOT NULL,
    missing INTEGER NOT NULL, ${stagedBeside.map((name) => `${name} TEXT`).join()}
  ) STRICT`)
  // Those of which add-rows.ts reads more than it copies. It would look at all of them otherwise, twice.
  db.run(`CREATE INDEX rows_with_more ON rows (id) WHERE ${hasMore}`)
  db.run(`CREATE TABLE files (
    id TEXT PRIMARY KEY, row INTEGER NOT NULL, number INTEGER NOT NULL, folder TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
    content BLOB
  ) STRICT`)
  return db
}

const rowsPerTransaction = 1000

const addRows = async (
  db: Database,
  timed: Timed,
  options: StageOptions,
): Promise<Pick<Staged, 'count' | 'bytes' | 'range' | 'lacksFiles' | 'fieldNames'>> => {
  const { honeypot } = parseSettings(options.form.settings)
  const addRow = rowAdder(db, options)
  const names = new Set<string>()
  const problems: string[] = []
  let order: readonly string[] | undefined
  const ofService = new Set<string>()
  let count = 0
  let bytes = 0
  let range: [number, number] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let lacksFiles = false
  const { plan } = options
  db.run('BEGIN')
  for await (const entry of timed.entries) {
    const { location, columns } = entry
    order ??= columns?.filter((column) => !isControlField(column, honeypot)) ?? []
    try {
      const imported = timed.parse(entry)
      for (const name of imported.ofService ?? []) ofService.add(name)
      if (imported.isSpam) {
        plan.spam++
        continue
      }
      if (imported.time === undefined) plan.undated++
      const added = addRow(location, imported)
      for (const name of added.names) if (names.size < maxFieldNames) names.add(name)
      bytes += added.bytes
      range = [Math.min(range[0], added.time), Math.max(range[1], added.time)]
      lacksFiles ||= added.missing > 0
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      problems.push(`${location}: ${error.issues.map(issueLine).join('; ')}`)
      if (problems.length === maxProblems) break
    }
    if (++count % rowsPerTransaction === 0) db.run('COMMIT; BEGIN')
    options.onSize({ count, bytes })
  }
  db.run('COMMIT')
  if (problems.length < maxProblems) timed.end()
  if (problems.length > 0) throw invalid(...problems.map((message) => ({ message })))
  plan.rows = count
  if (count > 0 && plan.undated === count && !options.time.isOff) throw withoutTimes(plan, options.time.words)
  // A column without a value keeps its place, unless it is one of the service.
  const fieldNames = [
    ...new Set([...(order ?? []).filter((name) => names.has(name) || !ofService.has(name)), ...names]),
  ]
  if (count === 0) return { count, bytes, range: [0, 0], lacksFiles, fieldNames: [] }
  return { count, bytes, range, lacksFiles, fieldNames }
}

const withoutTimes = ({ whyNoTime }: Plan, { column, isOff }: Words): AppError =>
  invalid({
    message: `no submission has a time: ${whyNoTime}; name the column with ${column}, or let all have the time of the import with ${isOff}`,
  })

/** The returned function adds a submission and its files. @throws AppError `invalid` */
const rowAdder = (db: Database, { form, archive, plan, now }: StageOptions) => {
  const rules = parseSettings(form.settings)
  const insert = db.prepare(`INSERT INTO rows VALUES (NULL, ?, ?, ?, ?, ?, ?${', ?'.repeat(stagedBeside.length)})`)
  const insertFile = db.prepare(
    'INSERT OR IGNORE INTO files (id, row, number, folder, name, type, content) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  return (location: string, imported: Imported): Added => {
    const { id = null, time = now, archived, fields } = imported
    const { fields: kept, controlFields } = toSentSubmission(fields, rules.honeypot)
    for (const name of imported.left ?? []) leaveOut(plan, name)
    for (const { name } of controlFields) leaveOut(plan, name)
    const sent = findFiles(kept, imported, { archive, rules })
    const all = toData(sent.fields)
    // Only the honeypot was filled in.
    if (all.names.length === 0) throw invalid({ message: 'must hold at least one field' })
    const long = isLong(all.data) ? 1 : 0
    const staged: StagedBeside<string | null> = { notes: stagedNotes(imported.notes ?? [], time) }
    const beside = stagedBeside.map((name) => staged[name])
    const { lastInsertRowid: row } = insert.run(location, time, id, all.data, long, sent.missing, ...beside)
    if (plan.examples.length < maxExamples) plan.examples.push(toExample(imported.date, time, sent.fields))
    const folder = archived?.submission ?? ''
    for (const { id: file, number, name, type, content = null } of sent.found)
      if (insertFile.run(file, row, number, folder, name, type, content).changes === 0)
        throw invalid({ message: `has a file ${file}, and so has another submission` })
    const bytes = [all.data, ...beside].reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)
    return { names: all.names, bytes, time, missing: sent.missing }
  }
}

interface Added extends Pick<Size, 'bytes'>, Pick<ReturnType<typeof toData>, 'names'> {
  readonly time: number
  readonly missing: number
}

const maxExamples = 5
const maxExampleFields = 50
const maxExampleCharacters = 200

const toExample = (date = '', time: number, fields: readonly Field[]): Example => ({
  date: date === '' ? null : atMost(date, 100),
  createdAt: toIsoTime(time),
  values: Object.fromEntries(
    fields
      .slice(0, maxExampleFields)
      .map(({ name, json }) => [atMost(name, 100), atMost(textIn(json) ?? json, maxExampleCharacters)]),
  ),
})

/** Gives identifiers to submissions without one, by date and order in the file. */
const nameRows = (db: Database): void => {
  const [first, last] = ['ASC', 'DESC'].map(
    (order) =>
      db.query<{ time: number }, []>(`SELECT time FROM rows ORDER BY number ${order} LIMIT 1`).get()?.time ?? 0,
  ) as [number, number]
  // In a file with the newest first, submissions of the same second are in reverse order, too.
  const order = first > last ? 'DESC' : 'ASC'
  db.run(`CREATE INDEX rows_without_id ON rows (time, number ${order}) WHERE id IS NULL`)
  const next = db.prepare<{ number: number; time: number }, []>(
    `SELECT number, time FROM rows WHERE id IS NULL ORDER BY time, number ${order} LIMIT ${rowsPerTransaction}`,
  )
  const name = db.prepare('UPDATE rows SET id = ? WHERE number = ?')
  let lastTime = -1
  let lastOrder = 0
  const newIdAt = (time: number): string => {
    if (time > lastTime) [lastTime, lastOrder] = [time, 0]
    else if (++lastOrder === ordersPerMillisecond) [lastTime, lastOrder] = [lastTime + 1, 0]
    return idAt(lastTime, lastOrder)
  }
  for (let rows = next.all(); rows.length > 0; rows = next.all())
    db.transaction(() => {
      for (const { number, time } of rows) name.run(newIdAt(time), number)
    })()
  refuseTwins(db)
}

const refuseTwins = (db: Database): void => {
  db.run('CREATE INDEX rows_by_id ON rows (id)')
  // In two steps: the first one reads the index alone.
  const twins = db
    .query<{ id: string; locations: string }, []>(
      `SELECT id, group_concat(location, ' and ') AS locations FROM rows
      WHERE id = (SELECT id FROM rows GROUP BY id HAVING count(*) > 1 LIMIT 1) GROUP BY id`,
    )
    .get()
  if (twins)
    throw invalid({ message: `${twins.locations} have the same id ${twins.id}; remove the id from all but one` })
}
