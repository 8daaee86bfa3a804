// What must be true of every data file at every moment, whatever has happened to it, and no row can tell alone: the rest is
// checked by the tables themselves.
import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { forms } from '../../src/storage/tables.ts'
import { lists, ofEachList, placeLists, sameLists } from '../../src/submissions/lists.ts'

export const dataFile = (folder: string): string => join(folder, 'formbox.db')

/** The rows of a query as another process would read them, without uncommitted changes. */
export const rowsOf = <Row = Record<string, unknown>>(folder: string, query: string, ...values: string[]): Row[] =>
  readFrom(folder, (client) => client.query<Row, string[]>(query).all(...values))

const readFrom = <T>(folder: string, read: (client: Database) => T): T => {
  const client = new Database(dataFile(folder), { readonly: true })
  try {
    return read(client)
  } finally {
    client.close()
  }
}

const shared = new Set<string>()
/** It takes 10 ms to read their pages. */
const quickBytes = 8 * 1024 * 1024

/** Lets `expectSound` leave out the pages of this file once it is large: tests share it, and it grows to a hundred megabytes. */
export const sharePages = (folder: string): void => void shared.add(folder)

/** Fails unless every page of the file is intact. */
export const expectIntact = (folder: string): void =>
  expect(rowsOf(folder, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])

/** Fails unless the file is intact and all stored counts equal the real ones. */
export const expectSound = (folder: string): void => {
  if (!shared.has(folder) || statSync(dataFile(folder)).size < quickBytes) expectIntact(folder)
  readFrom(folder, expectSoundData)
}

/** The numbers of lists whose submissions take places. */
const taking = placeLists.flatMap((name) => lists[name].number ?? []).join()

const expectSoundData = (client: Database): void => {
  // To open a connection for each query would take longer than most of them.
  const rows = (query: string) => client.query(query).all()
  expect(rows('PRAGMA foreign_key_check')).toEqual([])
  const queries = {
    // The count of each list, by its name.
    ...ofEachList(
      ({ number: list, counter }) => `
      SELECT id, ${forms[counter].name} AS count, (
        SELECT count(*) FROM submissions WHERE form = number AND list = ${list ?? 'spam_list'}
      ) AS counted
      FROM forms WHERE counted <> count AND deleted_at IS NULL`,
    ),
    'forms whose done_count is not count(*) of the inbox': `
      SELECT id, done_count, (
        SELECT count(*) FROM handling AS h JOIN submissions AS s ON s.form = h.form AND list = 0 AND s.id = submission
        WHERE h.form = number AND state = 'done'
      ) AS counted
      FROM forms WHERE counted <> done_count AND deleted_at IS NULL`,
    'submissions that wait for a confirmation without a row that says until when, or the reverse': `
      SELECT form, id FROM submissions AS s WHERE (list = -1) <> EXISTS (
        SELECT 1 FROM confirmations AS c
        WHERE c.form = s.form AND submission = s.id AND confirmed_at IS NULL AND accepted_at IS NULL
      )`,
    'confirmations of submissions that are gone, or of texts that are': `
      SELECT form, submission FROM confirmations AS c WHERE (form, submission) NOT IN (SELECT form, id FROM submissions)
        OR (form, mail) NOT IN (SELECT form, hash FROM consent_texts)
        OR EXISTS (SELECT 1 FROM json_each(consent) WHERE (c.form, value) NOT IN (SELECT form, hash FROM consent_texts))`,
    'forms whose latest_id is not the greatest of theirs': `
      SELECT id, latest_id, max(id, coalesce((SELECT max(s.id) FROM submissions AS s WHERE s.form = number AND list = 0), '')) AS found
      FROM forms WHERE found <> latest_id AND deleted_at IS NULL`,
    'users whose form_count is not count(*)': `
      SELECT id, form_count, (SELECT count(*) FROM forms WHERE user_id = users.id AND deleted_at IS NULL) AS counted
      FROM users WHERE counted <> form_count`,
    'stretches of a tally whose count is not count(*)': `
      SELECT form, list, level, first_id, count, (
        SELECT count(*) FROM submissions
        WHERE submissions.form = stretches.form AND submissions.list = stretches.list AND id >= first_id AND id < next_id
      ) AS counted
      FROM (
        SELECT *, lead(first_id, 1, '~') OVER (PARTITION BY form, list, level ORDER BY first_id) AS next_id FROM tallies
      ) AS stretches
      WHERE counted <> count AND form IN (SELECT number FROM forms WHERE deleted_at IS NULL)
        AND (form, list) NOT IN (SELECT form, list FROM abandoned_lists)`,
    'forms with more lessons than the newest 300 and 100': `
      SELECT form, is_spam, count(*) AS counted FROM lessons GROUP BY 1, 2 HAVING counted > iif(is_spam, 300, 100)`,
    'lessons of forms that never had any': `
      SELECT lessons.number FROM lessons JOIN forms ON forms.number = form WHERE lesson_changes = 0`,
    'lessons of submissions that were taken back, and are not in the inbox': `
      SELECT number FROM lessons WHERE NOT is_spam AND (form, submission) NOT IN (
        SELECT form, id FROM submissions WHERE list = 0
      ) AND form IN (SELECT number FROM forms WHERE deleted_at IS NULL)`,
    'submissions that no tally counts': `
      SELECT form, list, id FROM submissions WHERE form IN (SELECT number FROM forms WHERE deleted_at IS NULL) AND (
        SELECT count(DISTINCT level) FROM tallies AS t
        WHERE t.form = submissions.form AND t.list = submissions.list AND first_id <= id
      ) < 2`,
    'upper stretches that begin where no lower one does': `
      SELECT form, first_id FROM tallies AS upper WHERE level = 1 AND NOT EXISTS (
        SELECT 1 FROM tallies WHERE form = upper.form AND list = upper.list AND level = 0 AND first_id = upper.first_id
      )`,
    'long submissions without their pieces in a row, of which only the last is shorter': `
      SELECT form, id FROM submissions WHERE data = '' AND NOT EXISTS (
        SELECT 1 FROM (
          SELECT count(*) AS count, max(position) AS last, sum(octet_length(bytes) < 65536) AS shorter,
            max(iif(octet_length(bytes) < 65536, position, -1)) AS shortest
          FROM pieces WHERE pieces.form = submissions.form AND pieces.list = submissions.list AND submission = id
        ) WHERE count = last + 1 AND shorter = 1 AND shortest = last
      )`,
    'pieces that belong to nothing': `
      SELECT number FROM pieces WHERE
        (form, list, submission) NOT IN (SELECT form, list, id FROM submissions WHERE data = '') AND
        (form, list, submission) NOT IN (SELECT form, list, submission FROM abandoned_pieces)`,
    'adopted files whose submission is gone': `
      SELECT number FROM files
      WHERE form IS NOT NULL AND (form, list, submission) NOT IN (SELECT form, list, id FROM submissions)`,
    'files that do not have all of their pieces': `
      SELECT number, size FROM files WHERE size <> (
        SELECT coalesce(sum(octet_length(bytes)), 0) FROM file_pieces
        WHERE file_pieces.number >= files.number * 4096 AND file_pieces.number < (files.number + 1) * 4096)`,
    'files whose pieces are not 64 KiB each but for the last': `
      SELECT number FROM files WHERE (size + 65535) / 65536 <> (
        SELECT count(*) FROM file_pieces
        WHERE file_pieces.number >= files.number * 4096 AND file_pieces.number < files.number * 4096 + (size + 65535) / 65536)`,
    'pieces of no file': `
      SELECT number FROM file_pieces WHERE number / 4096 NOT IN (SELECT number FROM files)`,
    'forms without their field names': `
      SELECT id FROM forms WHERE field_names = '' AND number NOT IN (SELECT form FROM long_field_names)`,
    'submissions in a list that their form does not have': `
      SELECT form, submissions.id FROM submissions JOIN forms ON number = form
      WHERE list NOT IN (${sameLists}, spam_list) AND (form, list) NOT IN (SELECT form, list FROM abandoned_lists)`,
    'readers whose opened_count is not count(*) of the inbox': `
      SELECT form, user_id, opened_count, (
        SELECT count(*) FROM opened_submissions AS o JOIN submissions AS s ON s.form = o.form AND list = 0 AND id = submission
        WHERE o.form = marks.form AND o.user_id = marks.user_id
      ) AS counted
      FROM unread_marks AS marks WHERE counted <> opened_count AND form IN (SELECT number FROM forms WHERE deleted_at IS NULL)`,
    'readers who have read what is still to come': `
      SELECT form, unread_marks.user_id FROM unread_marks JOIN forms ON number = form
      WHERE unread_from > latest_id || '~' AND deleted_at IS NULL`,
    'opened submissions that are gone, that were read before, or of nobody': `
      SELECT form, submission FROM opened_submissions AS o
      WHERE (form, submission) NOT IN (SELECT form, id FROM submissions) OR NOT EXISTS (
        SELECT 1 FROM unread_marks AS m WHERE m.form = o.form AND m.user_id = o.user_id AND (unread_from <= submission
          OR (o.form, submission) NOT IN (SELECT form, id FROM submissions WHERE list = 0)))`,
    'what was done about submissions that are gone': `
      SELECT form, submission FROM handling WHERE (form, submission) NOT IN (SELECT form, id FROM submissions)`,
    'notes on submissions that are gone, or more than 100 on one': `
      SELECT form, submission, count(*) AS counted FROM notes
      WHERE (form, submission) NOT IN (SELECT form, submission FROM abandoned_pieces) GROUP BY 1, 2
      HAVING counted > 100 OR (form, submission) NOT IN (SELECT form, id FROM submissions)`,
    'digests whose count is not count(*), or whose first submission is not the first': `
      SELECT form, id, count, submission, (SELECT count(*) FROM digested_submissions WHERE digest = id) AS counted,
        (SELECT min(submission) FROM digested_submissions WHERE digest = id) AS first
      FROM deliveries WHERE kind = 'digest' AND (count <> counted OR submission IS NOT first)
        AND form IN (SELECT number FROM forms WHERE deleted_at IS NULL)`,
    'submissions of digests that are gone': `
      SELECT form, submission FROM digested_submissions WHERE (form, digest) NOT IN (SELECT form, id FROM deliveries)
        AND form IN (SELECT number FROM forms WHERE deleted_at IS NULL)`,
    'forms whose conditions are not those of their receivers': `
      SELECT id, conditions, (
        SELECT nullif(json_group_array(only ORDER BY number), '[]') FROM receivers
        WHERE form = forms.number AND is_enabled AND removed_at IS NULL AND only IS NOT NULL
      ) AS found
      FROM forms WHERE conditions IS NOT found`,
    'forms with a row of silence and without the setting, or the reverse': `
      SELECT id FROM forms WHERE deleted_at IS NULL AND (number IN (SELECT form FROM silences))
        <> (json_extract(coalesce(settings, '{}'), '$.quietDays') IS NOT NULL)`,
    'members, or people who are invited, who own the form': `
      SELECT members.id FROM members JOIN forms ON number = form JOIN users ON users.id = forms.user_id
      WHERE members.user_id = users.id OR (members.email = users.email AND deleted_at IS NULL)`,
    'people who are twice among those of a form': `
      SELECT form, email FROM members GROUP BY form, email HAVING count(*) > 1`,
    'people who are told of more than ten forms that they do not see any more': `
      SELECT user_id FROM ended_shares GROUP BY user_id HAVING count(*) > 10`,
    'marks of people who may not read the form': `
      SELECT unread_marks.form FROM unread_marks JOIN forms ON number = form
      WHERE deleted_at IS NULL AND unread_marks.user_id <> forms.user_id
        AND (unread_marks.form, unread_marks.user_id) NOT IN (SELECT form, user_id FROM members WHERE user_id IS NOT NULL)`,
    'limits whose taken is not count(*) of what names them': `
      SELECT number, taken, (
        SELECT count(*) FROM claims, json_each(held) WHERE claims.form = limits.form AND value = number
      ) AS counted
      FROM limits WHERE counted <> taken AND form IN (SELECT number FROM forms WHERE deleted_at IS NULL)`,
    'places of submissions in a list that takes none': `
      SELECT form, submission FROM claims WHERE (form, submission) NOT IN (SELECT form, id FROM submissions WHERE list IN (${taking}))`,
    'values that come once of submissions that are not in the inbox': `
      SELECT form, submission FROM onces WHERE (form, submission) NOT IN (SELECT form, id FROM submissions WHERE list = 0)`,
    'submissions without the place of their option in a list that takes some': `
      SELECT s.form, s.id, option FROM limits AS l JOIN submissions AS s ON s.form = l.form AND s.list IN (${taking}) AND data <> ''
      JOIN json_each(data) AS field ON field.key = l.field
      WHERE count_from IS NULL AND l.form IN (SELECT number FROM forms WHERE deleted_at IS NULL)
        AND (trim(field.value) = option
          OR (field.type = 'array' AND option IN (SELECT trim(value) FROM json_each(field.value))))
        AND NOT EXISTS (
          SELECT 1 FROM claims, json_each(held) AS one
          WHERE claims.form = s.form AND submission = s.id AND one.value = number)`,
    'identifiers that a form has twice': `
      SELECT form, id FROM submissions WHERE form IN (SELECT number FROM forms WHERE deleted_at IS NULL)
      GROUP BY form, id HAVING count(*) > 1`,
    'submissions that are not JSON': `SELECT form, id FROM submissions WHERE data <> '' AND NOT json_valid(data)`,
  }
  for (const [what, query] of Object.entries(queries)) expect(rows(query), what).toEqual([])
}

/**
 * How many transactions stand in the write-ahead log, one fsync each. The header of a frame says how large the file is
 * after the commit that it ends, or 0 when it ends none (https://sqlite.org/fileformat2.html#the_write_ahead_log).
 */
export const commitsIn = (folder: string): number => {
  const path = `${dataFile(folder)}-wal`
  if (statSync(path).size === 0) return 0
  const wal = readFileSync(path)
  const pageBytes = wal.readUInt32BE(8)
  const salt = wal.subarray(16, 24)
  let commits = 0
  for (let frame = 32; frame < wal.length; frame += 24 + pageBytes)
    if (wal.readUInt32BE(frame + 4) !== 0 && wal.subarray(frame + 8, frame + 16).equals(salt)) commits++
  return commits
}
