import { describe, expect, test } from 'bun:test'
import { openData } from './data.ts'
import { rowsOf } from './sound.ts'

/** A table, a change of its row that must not be, and the check that refuses it. */
const changes = [
  ['forms', 'submission_count = -1', 'forms_counts'],
  ['forms', 'spam_count = spam_count - 1', 'forms_counts'],
  ['forms', 'done_count = -1', 'forms_counts'],
  ['forms', 'receiver_count = -1', 'forms_counts'],
  ['users', 'form_count = form_count - 2', 'users_count'],
  ['users', "invited_by = 'someone'", 'users_invited'],
  ['submissions', "reason = 'terms'", 'submissions_reason'],
  ['submissions', 'list = 1', 'submissions_reason'],
  ['submissions', 'marked_at = 1', 'submissions_marked'],
  ['tallies', 'count = count - 2', 'tallies_count'],
  ['unread_marks', 'opened_count = -1', 'unread_marks_count'],
  ['files', 'form = 1', 'files_adopted'],
  ['files', "form = 1, list = 0, submission = 's'", 'files_staged_or_adopted'],
  ['files', 'staged_by = NULL', 'files_of_one_source'],
  ['form_addresses', 'form = NULL', 'form_addresses_in_use'],
  ['handling', "state = 'dome'", 'handling_state'],
  ['members', "role = 'owner'", 'members_role'],
  ['members', 'user_id = (SELECT id FROM users)', 'members_user_or_invited'],
  ['members', 'invite_ends_at = NULL', 'members_invitation'],
  [
    'members',
    'invite_hash = NULL, user_id = (SELECT id FROM users), invite_ends_at = NULL, is_mailed = 1',
    'members_forgotten',
  ],
  ['receivers', 'pending_count = -1', 'receivers_counts'],
  ['receivers', "format = 'slack'", 'receivers_format'],
  ['receivers', "kind = 'reply', digest = 'day'", 'receivers_digest'],
  ['receivers', "disabled_reason = 'gone'", 'receivers_disabled'],
  ['deliveries', "state = 'sent'", 'deliveries_state'],
  ['deliveries', 'attempts = -1', 'deliveries_counts'],
  ['deliveries', 'count = -1', 'deliveries_counts'],
  ['deliveries', "state = 'skipped'", 'deliveries_skipped_for'],
  ['deliveries', 'submission = NULL', 'deliveries_digest'],
  ['mail_hours', 'digest_count = -1', 'mail_hours_counts'],
  ['imports', "state = 'running'", 'imports_state'],
  ['imports', 'added = -1', 'imports_counts'],
  ['imports', "state = 'done'", 'imports_end'],
] as const

describe('a row that must not be', () => {
  test('is refused by the check of its table', () => {
    const open = openData()
    open.submit(open.formId, [Date.now()])
    const write = (sql: string) => open.db.$client.run(sql)
    write(`INSERT INTO receivers (id, form, kind, target, host) VALUES ('r', 1, 'email', 'ada@example.com', 'mail')`)
    write(`INSERT INTO deliveries (form, id, receiver, kind, submission, count) VALUES (1, 'd', 1, 'digest', 's', 1)`)
    write(
      `INSERT INTO members (id, form, email, role, invite_hash, invite_ends_at) VALUES ('m', 1, 'b@example.com', 'reader', 'h', 1)`,
    )
    write(`INSERT INTO files (id, staged_by, staged_until) VALUES ('f', 'machine', 1)`)
    write(`INSERT INTO form_addresses (address, form, position) VALUES ('tea', 1, 1)`)
    write(`INSERT INTO unread_marks (form, user_id, unread_from) VALUES (1, 'u', '')`)
    write(`INSERT INTO mail_hours VALUES ('p', 0, 0, 0)`)
    write(
      `INSERT INTO handling (form, submission, state, user_id, at) SELECT form, id, 'open', 'u', 1 FROM submissions`,
    )
    write(
      `INSERT INTO imports (id, form, user_id, state, node, report, has_rest) VALUES ('i', 1, 'u', 'planned', 'n', '{}', 1)`,
    )
    for (const [table, change, check] of changes) {
      const before = rowsOf(open.folder, `SELECT * FROM ${table}`)
      expect(before, table).not.toEqual([])
      expect(() => write(`UPDATE ${table} SET ${change}`), change).toThrow(`CHECK constraint failed: ${check}`)
      expect(rowsOf(open.folder, `SELECT * FROM ${table}`), change).toEqual(before)
    }
  })

  test('makes the command fail that would write it, and nothing of it is kept', () => {
    const { folder, db, formId, submit } = openData()
    submit(formId, [Date.now()])
    db.$client.run('DELETE FROM tallies WHERE level = 1')
    const before = rowsOf(folder, 'SELECT * FROM submissions')
    expect(() => submit(formId, [Date.now() + 1])).toThrow('no stretch')
    expect(rowsOf(folder, 'SELECT * FROM submissions')).toEqual(before)
  })
})
