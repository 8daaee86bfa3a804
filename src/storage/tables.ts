import { isNotNull, isNull, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  blob,
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

// All tables are STRICT, and those with a composite key are WITHOUT ROWID. Drizzle cannot express either, so only the
// migrations say it. No table has a column for the time at which a row was created, because its identifier contains it
// (see id.ts). Times are Unix milliseconds, flags 0 or 1.
//
// What a row must always be, and a mistake in a command could break, is a check: such a command fails, and changes nothing.
// Lists that features add to, such as kinds and reasons, have none, because SQLite changes a check by copying the table.
// What only several rows can tell is in test/storage/sound.ts.

export const users = sqliteTable(
  'users',
  {
    id: text().primaryKey(),
    /** In lower case. */
    email: text().notNull().unique(),
    passwordHash: text('password_hash').notNull(),
    /** The number of the user's forms, stored so that no list has to count them. */
    formCount: integer('form_count').notNull().default(0),
    /** When the user was disabled, or null. */
    disabledAt: integer('disabled_at'),
    /** Whether the user may own forms. Accounts that began with an invitation may not, until the operator allows it. */
    mayOwnForms: integer('may_own_forms', { mode: 'boolean' }).notNull().default(true),
    /** False if no one knows a password: the user signs in through a provider. The hash is then one that nothing fits. */
    hasPassword: integer('has_password', { mode: 'boolean' }).notNull().default(true),
    /** Until when the password works where only the provider signs in; 0 for not at all. */
    passwordUntil: integer('password_until').notNull().default(0),
    /**
     * Whether the address is known to be that of its user, who came by a mailed link, through a provider or with the operator's
     * word. False if the account was made with a link that was handed over: anyone may have opened that.
     */
    isProved: integer('is_proved', { mode: 'boolean' }).notNull().default(true),
    /** The user by whose invitation an account was made that is not proved; the user may be deleted. */
    invitedBy: text('invited_by'),
    /** Whether the user sees the page of the server. Only a command on the server and the set-up link give that. */
    isOperator: integer('is_operator', { mode: 'boolean' }).notNull().default(false),
    /**
     * Whether an earlier address was proved, and the operator gave the account another that is not. Then no one who proves that
     * takes its place.
     */
    wasProved: integer('was_proved', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    check('users_count', counts(table.formCount)),
    check('users_invited', sql`${table.isProved} = 0 or ${table.invitedBy} is null`),
  ],
)

/** What stays of an account whose place another takes: its forms, and what the operator decided. All else is of a stranger. */
export const keptOfUsers = { formCount: users.formCount, disabledAt: users.disabledAt, mayOwnForms: users.mayOwnForms }

/** Sessions of users who are signed in. Only the browser has the token, so no one can sign in with what is in this table. */
export const sessions = sqliteTable(
  'sessions',
  {
    /** SHA-256 of the token in hexadecimal. */
    hash: text().primaryKey(),
    /** Names it on the page of the account. */
    id: text().notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The first millisecond at which it has ended. It is extended while the session is used. */
    expiresAt: integer('expires_at').notNull(),
    /** The browser in words, such as `Firefox on Linux`. */
    browser: text().notNull(),
  },
  (table) => [
    index('sessions_of_user').on(table.userId, table.expiresAt),
    index('sessions_by_age').on(table.expiresAt),
  ],
)

/** The people at an OpenID Connect provider who may sign in as a user. A person there is an issuer and a subject. */
export const identities = sqliteTable(
  'identities',
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.issuer, table.subject] }), index('identities_of_user').on(table.userId)],
)

/**
 * The second factors of the users who have turned one on: the secret of the codes that are asked for after the
 * password, and the recovery codes.
 */
export const secondFactors = sqliteTable('second_factors', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Another one each time it is turned on. */
  id: text().notNull(),
  /** Base 32, as the user's app has it. It makes the codes, so a hash would not do. */
  secret: text().notNull(),
  /**
   * Number of the latest interval of 30 seconds whose code was used (see accounts/users/totp.ts). No code up to it works
   * again.
   */
  lastStep: integer('last_step').notNull(),
  /** JSON array of the hashes of the recovery codes that were not used yet. */
  recoveryCodes: text('recovery_codes').notNull(),
  /** JSON: when codes of the app were wrong in the last day (see accounts/users/wrong-codes.ts). */
  wrongCodes: text('wrong_codes').notNull().default('{}'),
})

export const keys = sqliteTable(
  'keys',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** SHA-256 of the key in hexadecimal. */
    hash: text().notNull().unique(),
    /** The first characters of the key, to tell it from others. */
    start: text().notNull(),
    isReadOnly: integer('is_read_only', { mode: 'boolean' }).notNull(),
    /** The first millisecond at which it no longer works, or null. */
    expiresAt: integer('expires_at'),
    /** Written at most once a minute, see upkeep/jobs/flush-last-used.ts. */
    lastUsedAt: integer('last_used_at'),
    /** JSON array of identifiers of the forms that it is limited to, which may be gone; null if it is for all of its user. */
    forms: text(),
  },
  (table) => [index('keys_of_user').on(table.userId, table.id)],
)

export const forms = sqliteTable(
  'forms',
  {
    /** Identifies the form in the tables below: 28 characters in each of their rows would add up. */
    /** Never given twice: whoever still has it after a wait would come to the form of someone else. */
    number: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    title: text().notNull(),
    description: text(),
    returnUrl: text('return_url'),
    /**
     * JSON array of the field names seen, in the order in which they were first seen. Empty if it is long: then it is in
     * `long_field_names`, because each submission writes this row.
     */
    fieldNames: text('field_names').notNull().default('[]'),
    submissionCount: integer('submission_count').notNull().default(0),
    spamCount: integer('spam_count').notNull().default(0),
    /**
     * The number of the list that holds the form's spam. When all spam is deleted at once, this becomes the next number, and
     * the rows of the list before it are removed in slices (see `abandonedLists`).
     */
    spamList: integer('spam_list').notNull().default(1),
    updatedAt: integer('updated_at'),
    /** Set when the form was deleted: readers no longer see it, but its submissions are still being removed. */
    deletedAt: integer('deleted_at'),
    /** JSON object with the settings that differ from their defaults; null if none does (see forms/settings/settings.ts). */
    settings: text(),
    /** The greatest of the form's identifier and those of its submissions: the newest activity comes first in a list. */
    latestId: text('latest_id').notNull().default(''),
    /** How often its inbox has changed, or what was done about it: as long as this is the same, so is what a sheet shows. */
    changeCount: integer('change_count').notNull().default(0),
    /** How many enabled receivers it has. With none, nothing about receivers is read when one is stored. */
    receiverCount: integer('receiver_count').notNull().default(0),
    /** JSON array of what these have in `only`; null if none has a condition. Then nothing is decided when one is stored. */
    conditions: text(),
    /** The name that files of its owner have for it (see forms/as-files/apply-writes.ts); null if none was applied to it. */
    name: text(),
    /** How often `lessons` of it have changed: 0 if it never had any. */
    lessonChanges: integer('lesson_changes').notNull().default(0),
    /** Marks since then are no lessons yet, because the form did not learn: 0 for all. Null once they are. */
    unlearnedSince: integer('unlearned_since').default(0),
    /** How many of its inbox are done: so no list has to count those that are open. */
    doneCount: integer('done_count').notNull().default(0),
    /** How many wait for their address to be confirmed. */
    unconfirmedCount: integer('unconfirmed_count').notNull().default(0),
  },
  (table) => [
    index('forms_of_user').on(table.userId, table.id).where(isNull(table.deletedAt)),
    index('forms_being_removed').on(table.deletedAt).where(isNotNull(table.deletedAt)),
    index('forms_with_spam').on(table.number).where(hasSpam(table.spamCount)),
    index('forms_with_retention').on(table.number).where(hasRetention(table.settings)),
    uniqueIndex('forms_by_name')
      .on(table.userId, table.name)
      .where(sql`${table.name} is not null and ${table.deletedAt} is null`),
    check('forms_counts', counts(table.submissionCount, table.spamCount, table.doneCount, table.receiverCount)),
  ],
)

/** They count what takes the places of options. */
export const placeCounters = ['submissionCount', 'unconfirmedCount'] as const

/** Whether submissions of a form are deleted after some days. A query that asks so finds the forms through their index. */
export function hasRetention(settings: AnySQLiteColumn): SQL {
  return sql`json_extract(${settings}, '$.retentionDays') is not null`
}

/** Whether a form has spam. A query that asks so finds the forms through their index. */
export function hasSpam(spamCount: AnySQLiteColumn): SQL {
  return sql`${spamCount} > 0`
}

/** The field names of forms that have many or long ones. They are read only when they are needed. */
export const longFieldNames = sqliteTable('long_field_names', {
  form: integer()
    .primaryKey()
    .references(() => forms.number),
  /** JSON array. */
  names: text().notNull(),
})

/** Clustered by list and time, so the rows of a page, of a date range and of a whole form are together in the file. */
export const submissions = sqliteTable(
  'submissions',
  {
    form: integer().notNull(),
    /** 0 for the inbox, below it for what waits, above it for spam (see submissions/lists.ts). */
    list: integer().notNull().default(0),
    id: text().notNull(),
    /**
     * JSON object, as it is sent back. Empty if it is long: then it is in `pieces`. To compare two keys of a clustered
     * table, SQLite reads the whole row: next to a row of 2 MiB, each look-up and each write took 4 ms.
     */
    data: text().notNull(),
    /** Why it is spam; null if it is not. */
    reason: text({ enum: ['honeypot', 'terms', 'links', 'similar', 'repeated', 'marked', 'unconfirmed'] }),
    /** When the owner marked it as spam; null for what arrived as spam, and for what is not spam. */
    markedAt: integer('marked_at'),
  },
  (table) => [
    primaryKey({ columns: [table.form, table.list, table.id] }),
    foreignKey({ columns: [table.form], foreignColumns: [forms.number] }),
    check('submissions_reason', sql`(${table.list} = 0) = (${table.reason} is null)`),
    check('submissions_marked', sql`${table.list} <> 0 or ${table.markedAt} is null`),
  ],
)

/**
 * What is known of submissions whose address has to be confirmed, or was: while they are held, in the inbox and in the spam
 * (see submissions/confirm/moves.ts).
 */
export const confirmations = sqliteTable(
  'confirmations',
  {
    form: integer()
      .notNull()
      .references(() => forms.number),
    submission: text().notNull(),
    /** Keyed hash of the form and the address: one link confirms all that is held for it. Empty if none can get a mail. */
    address: text().notNull(),
    /** The same without a tag, for “This was not me”. */
    person: text().notNull(),
    /** SHA-256 of the random text that the sender’s browser got, in hexadecimal. */
    browser: text().notNull(),
    /** The first millisecond at which it can no longer be confirmed, and is deleted. */
    endsAt: integer('ends_at').notNull(),
    /** The language of the visitor; null for English. */
    language: text(),
    /** The visitor’s own subject for the email about it. */
    subject: text(),
    /** What the mail says: a hash in `consent_texts`. */
    mail: text().notNull(),
    /** JSON array of hashes in `consent_texts`: the labels of the boxes that were ticked. */
    consent: text().notNull(),
    /** When the mail server took the mail. */
    mailedAt: integer('mailed_at'),
    confirmedAt: integer('confirmed_at'),
    /** When someone let it in by hand, and who; the user may have been deleted. */
    acceptedAt: integer('accepted_at'),
    acceptedBy: text('accepted_by'),
  },
  (table) => [
    primaryKey({ columns: [table.form, table.submission] }),
    index('confirmations_held').on(table.form, table.address, table.submission).where(isHeld(table)),
    index('confirmations_by_end').on(table.endsAt, table.form, table.submission).where(isHeld(table)),
    check('confirmations_accepted', sql`(${table.acceptedAt} is null) = (${table.acceptedBy} is null)`),
    check('confirmations_once', sql`${table.confirmedAt} is null or ${table.acceptedAt} is null`),
  ],
)

/** Whether a submission still waits for its address to be confirmed. A query that asks so finds it through its index. */
export function isHeld(table: { readonly confirmedAt: AnySQLiteColumn; readonly acceptedAt: AnySQLiteColumn }): SQL {
  return sql`${table.confirmedAt} is null and ${table.acceptedAt} is null`
}

/** Texts that visitors of a form agreed to, as they stood: each once. */
export const consentTexts = sqliteTable(
  'consent_texts',
  {
    form: integer()
      .notNull()
      .references(() => forms.number),
    /** SHA-256 in base64url. */
    hash: text().notNull(),
    text: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.form, table.hash] })],
)

/** People who said that it was not they who had sent a form: it asks them nothing any more. */
export const withdrawals = sqliteTable(
  'withdrawals',
  {
    form: integer()
      .notNull()
      .references(() => forms.number),
    /** As in `confirmations`. */
    person: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.form, table.person] })],
)

/** What became of the mails with which a form asks for addresses to be confirmed: the last 30 days on which something did. */
export const confirmDays = sqliteTable(
  'confirm_days',
  {
    form: integer()
      .notNull()
      .references(() => forms.number),
    /** Days since 1970. */
    day: integer().notNull(),
    mailed: integer().notNull().default(0),
    confirmed: integer().notNull().default(0),
    withdrawn: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.form, table.day] }),
    check('confirm_days_counts', counts(table.mailed, table.confirmed, table.withdrawn)),
  ],
)

/** The JSON text of long submissions in UTF-8, in pieces, so that the whole text is never in memory. */
export const pieces = sqliteTable(
  'pieces',
  {
    number: integer().primaryKey(),
    form: integer()
      .notNull()
      .references(() => forms.number),
    list: integer().notNull().default(0),
    submission: text().notNull(),
    /** From 0. */
    position: integer().notNull(),
    bytes: blob({ mode: 'buffer' }).notNull(),
  },
  (table) => [uniqueIndex('pieces_of_submission').on(table.form, table.list, table.submission, table.position)],
)

/** Submissions that were deleted and are long or have notes: readers no longer see them, but pieces and notes are still there. */
export const abandonedPieces = sqliteTable(
  'abandoned_pieces',
  {
    form: integer()
      .notNull()
      .references(() => forms.number),
    list: integer().notNull().default(0),
    submission: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.form, table.list, table.submission] })],
)

/** Lists that were deleted as a whole: readers no longer see them, but their submissions are still being removed. */
export const abandonedLists = sqliteTable(
  'abandoned_lists',
  {
    form: integer()
      .notNull()
      .references(() => forms.number),
    list: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.form, table.list] })],
)

/**
 * Files that came with submissions. While one arrives it is staged: it is of no submission yet. The command that stores the
 * submission adopts it. When that is deleted, the file is detached: it is neither staged nor of a submission, and its pieces
 * are removed in slices.
 */
export const files = sqliteTable(
  'files',
  {
    number: integer().primaryKey(),
    /** The identifier in the submission's data. A submission that was imported again has files with the same ones. */
    id: text().notNull(),
    form: integer().references(() => forms.number),
    list: integer(),
    submission: text(),
    /** Among those of its submission, from 0. */
    position: integer().notNull().default(0),
    /** The name as sent, and as in the submission's data. */
    name: text().notNull().default(''),
    type: text().notNull().default(''),
    /** Bytes in its pieces. */
    size: integer().notNull().default(0),
    /** The media type that its first bytes tell of; null for any other (see submissions/files/kind.ts). */
    kind: text(),
    /** The source: a machine by its name, or an import. */
    stagedBy: text('staged_by'),
    /** The millisecond from which on it is given up, unless it was adopted. */
    stagedUntil: integer('staged_until'),
  },
  (table) => [
    index('files_by_id').on(table.id),
    uniqueIndex('files_of_submission').on(table.form, table.list, table.submission, table.position),
    index('files_staged').on(table.stagedUntil).where(isNotNull(table.stagedUntil)),
    index('files_detached').on(table.id).where(isDetached(table)),
    check(
      'files_adopted',
      sql`(${table.form} is null) = (${table.submission} is null) and (${table.form} is null) = (${table.list} is null)`,
    ),
    check('files_of_one_source', sql`(${table.stagedBy} is null) = (${table.stagedUntil} is null)`),
    check('files_staged_or_adopted', sql`${table.submission} is null or ${table.stagedUntil} is null`),
  ],
)

/** Whether a file belongs to no submission: not yet, or no longer. A query that asks so finds it through its index. */
export function isDetached(table: {
  readonly submission: AnySQLiteColumn
  readonly stagedUntil: AnySQLiteColumn
}): SQL {
  return sql`${table.submission} is null and ${table.stagedUntil} is null`
}

/** The bytes of files, 64 KiB in each row but the last one of a file. */
export const filePieces = sqliteTable('file_pieces', {
  /** 4096 times the file's number, and the position of the piece, from 0: so that no index is needed. */
  number: integer().primaryKey(),
  bytes: blob({ mode: 'buffer' }).notNull(),
})

/**
 * How many submissions there are in each range of a list's identifiers, so that a far page or a date range is found by
 * adding up a few hundred numbers (see submissions/tally.ts). A range ends before the next `first_id` of its level.
 */
export const tallies = sqliteTable(
  'tallies',
  {
    form: integer().notNull(),
    list: integer().notNull(),
    level: integer().notNull(),
    firstId: text('first_id').notNull(),
    count: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.form, table.list, table.level, table.firstId] }),
    foreignKey({ columns: [table.form], foreignColumns: [forms.number] }),
    check('tallies_count', counts(table.count)),
  ],
)

/** Lessons of forms: tokens of submissions that were marked as spam, or held back by mistake (see spam/tokens.ts). */
export const lessons = sqliteTable(
  'lessons',
  {
    /** The greater, the newer. */
    number: integer().primaryKey(),
    form: integer()
      .notNull()
      .references(() => forms.number),
    /** The submission; spam may have been deleted. */
    submission: text().notNull(),
    isSpam: integer('is_spam', { mode: 'boolean' }).notNull(),
    /** When it was marked, or taken back. */
    at: integer().notNull(),
    /** Sorted unsigned integers of 32 bits, the lowest byte first. */
    tokens: blob({ mode: 'buffer' }).notNull(),
  },
  (table) => [
    uniqueIndex('lessons_of_submission').on(table.form, table.submission),
    index('lessons_of_form').on(table.form, table.isSpam),
    index('lessons_by_age').on(table.at),
  ],
)

/** Up to where each person has read a form's submissions (see submissions/unread.ts). Removed with the form. */
export const unreadMarks = sqliteTable(
  'unread_marks',
  {
    form: integer()
      .notNull()
      .references(() => forms.number),
    /** Not a foreign key: it would need an index. A user with rows here owns the form or is a member of it. */
    userId: text('user_id').notNull(),
    /** Submissions from this identifier on are unread, except for those in `opened_submissions`. */
    unreadFrom: text('unread_from').notNull(),
    /** How many of those are in the inbox. */
    openedCount: integer('opened_count').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.form, table.userId] }),
    check('unread_marks_count', counts(table.openedCount)),
  ],
)

/** Submissions that a person has opened while older ones are unread. Those in the spam are for when they come back. */
export const openedSubmissions = sqliteTable(
  'opened_submissions',
  {
    form: integer()
      .notNull()
      .references(() => forms.number),
    userId: text('user_id').notNull(),
    submission: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.form, table.userId, table.submission] })],
)

/**
 * The names by which visitors reach forms. One that is no longer used is kept for a year, so that no one else gets what is
 * sent to it by mistake.
 */
export const formAddresses = sqliteTable(
  'form_addresses',
  {
    address: text().primaryKey(),
    /** Null once the form is gone. */
    form: integer().references(() => forms.number),
    /** Its order among those of the form: the newest has the greatest. */
    position: integer().notNull(),
    /** Days since 1970 until the day on which it was used last; null while it leads to the form. */
    lastDay: integer('last_day'),
  },
  (table) => [
    index('addresses_of_form').on(table.form, table.position).where(isNotNull(table.form)),
    index('addresses_at_rest').on(table.lastDay).where(isNotNull(table.lastDay)),
    check('form_addresses_in_use', sql`${table.form} is not null or ${table.lastDay} is not null`),
  ],
)

/** Forms whose addresses are told when nothing has come for some days (see forms/silence-writes.ts). */
export const silences = sqliteTable(
  'silences',
  {
    form: integer()
      .primaryKey()
      .references(() => forms.number),
    /** Submissions since it is watched, as far as their number matters. */
    came: integer().notNull(),
    /** When the last one came, or from when on silence is counted: in Unix milliseconds, as `tell_at`. */
    cameAt: integer('came_at').notNull(),
    /** From when on its addresses are to be told; null once they were. */
    tellAt: integer('tell_at'),
  },
  (table) => [
    index('silences_by_end').on(table.tellAt, table.form).where(isNotNull(table.tellAt)),
    index('silences_by_start').on(table.cameAt, table.form).where(isNotNull(table.tellAt)),
  ],
)

/** Submissions that someone has marked as done, or opened again. Each row stays while its submission is in the spam. */
export const handling = sqliteTable(
  'handling',
  {
    form: integer()
      .notNull()
      .references(() => forms.number),
    submission: text().notNull(),
    state: text({ enum: ['open', 'done'] }).notNull(),
    /** The user who changed it last; the user may have been deleted. */
    userId: text('user_id').notNull(),
    at: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.form, table.submission] }),
    index('handling_done').on(table.form, table.submission).where(sql`${table.state} = 'done'`),
    check('handling_state', oneOf(table.state)),
  ],
)

/** The columns of `forms` that count the submissions of the inbox with a state. All others are open. */
export const stateCounts = { done: 'doneCount' } as const
export const countedStates = Object.keys(stateCounts) as (keyof typeof stateCounts)[]

/** What the people of a form wrote about a submission. They stay while it is in the spam. */
export const notes = sqliteTable(
  'notes',
  {
    number: integer().primaryKey(),
    form: integer()
      .notNull()
      .references(() => forms.number),
    submission: text().notNull(),
    id: text().notNull(),
    text: text().notNull(),
    /** Null if it was imported. The user may have been deleted. */
    userId: text('user_id'),
  },
  (table) => [uniqueIndex('notes_of_submission').on(table.form, table.submission, table.id)],
)

/** What a form gives no more often than its owner says: a row for each option that has places (see forms/limit-writes.ts). */
export const limits = sqliteTable(
  'limits',
  {
    /** Never given twice: what was taken of one that is gone may still be in `claims`. */
    number: integer().primaryKey({ autoIncrement: true }),
    form: integer()
      .notNull()
      .references(() => forms.number),
    /** Name of the field. */
    field: text().notNull(),
    /** Without white space at its ends; empty for a field whose values come once. */
    option: text().notNull(),
    /** How many rows of `claims` name it. */
    taken: integer().notNull().default(0),
    /** Submissions from this identifier on, which were there before it, are still to be counted; null once all are. */
    countFrom: text('count_from'),
  },
  (table) => [
    uniqueIndex('limits_of_form').on(table.form, table.field, table.option),
    index('limits_to_count').on(table.form).where(isNotNull(table.countFrom)),
    check('limits_count', counts(table.taken)),
  ],
)

/** The values of submissions of the inbox that may come once (see submissions/limits/once.ts). What was imported may have the same. */
export const onces = sqliteTable(
  'onces',
  {
    /** Of `limits`; it may be gone. */
    number: integer().notNull(),
    /** Keyed. */
    hash: text().notNull(),
    submission: text().notNull(),
    form: integer()
      .notNull()
      .references(() => forms.number),
  },
  (table) => [
    primaryKey({ columns: [table.number, table.hash, table.submission] }),
    index('onces_of_submission').on(table.form, table.submission),
  ],
)

/** What submissions of the inbox have taken of the limits of their form. One in the spam has taken nothing. */
export const claims = sqliteTable(
  'claims',
  {
    form: integer()
      .notNull()
      .references(() => forms.number),
    submission: text().notNull(),
    /** JSON array with the numbers of limits, in ascending order. Some may be gone. */
    held: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.form, table.submission] })],
)

/** People with whom a form is shared, and invitations to those who have no account yet. At most 50 a form. */
export const members = sqliteTable(
  'members',
  {
    id: text().primaryKey(),
    form: integer()
      .notNull()
      .references(() => forms.number),
    /** Null of an invitation. */
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** In lower case. */
    email: text().notNull(),
    role: text({ enum: ['reader', 'editor', 'manager'] }).notNull(),
    /** JSON array: the columns that this person has chosen for the list of submissions; null for those of the form. */
    columns: text(),
    /** SHA-256 of an invitation's token in hexadecimal. */
    inviteHash: text('invite_hash').unique(),
    /** The first millisecond at which an invitation no longer works. */
    inviteEndsAt: integer('invite_ends_at'),
    /** The user who answers for an invitation; the user may be deleted. */
    invitedBy: text('invited_by'),
    /** Whether only a mail to the address has the link of the invitation, so that anyone who opens it has proved the address. */
    isMailed: integer('is_mailed', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    index('members_of_form').on(table.form, table.id),
    uniqueIndex('members_of_user').on(table.userId, table.form),
    index('invitations_of_address').on(table.email, table.id).where(isNotNull(table.inviteEndsAt)),
    index('invitations').on(table.inviteEndsAt, table.id).where(isNotNull(table.inviteEndsAt)),
    check('members_role', oneOf(table.role)),
    check('members_user_or_invited', sql`(${table.userId} is null) = (${table.inviteHash} is not null)`),
    check('members_invitation', sql`(${table.inviteHash} is null) = (${table.inviteEndsAt} is null)`),
    check(
      'members_forgotten',
      sql`${table.inviteHash} is not null or (${table.isMailed} = 0 and ${table.invitedBy} is null)`,
    ),
  ],
)

/** Actions on forms, and the users who carried them out: for 90 days. Holds nothing of what visitors sent. */
export const trail = sqliteTable(
  'trail',
  {
    number: integer().primaryKey(),
    form: integer()
      .notNull()
      .references(() => forms.number),
    /** When it was done first, and whose work it was. The user may have been deleted since. */
    at: integer().notNull(),
    userId: text('user_id').notNull(),
    what: text({
      enum: [
        'shared',
        'role',
        'unshared',
        'joined',
        'owner',
        'exported',
        'imported',
        'unimported',
        'erased',
        'deleted',
        'note',
        'settings',
        'key',
      ],
    }).notNull(),
    /** An address of a member, names of settings or of a key, a format, what became of a webhook or a sheet, an import. */
    detail: text(),
    /** How many submissions, or how often within the hour. */
    count: integer().notNull(),
  },
  (table) => [index('trail_of_form').on(table.form, table.number), index('trail_by_age').on(table.at, table.number)],
)

/**
 * Forms that others shared with a user and that are gone, or no longer shared, so that the user is told. Ten of a user at
 * most, for 30 days.
 */
export const endedShares = sqliteTable(
  'ended_shares',
  {
    number: integer().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The form, which may be gone. */
    formId: text('form_id').notNull(),
    /** User who owned it. Null if that user was deleted with it. */
    owner: text(),
    /** The title that the form had at the end. */
    title: text().notNull(),
    at: integer().notNull(),
    reason: text({ enum: ['deleted', 'unshared'] }).notNull(),
  },
  (table) => [
    index('ended_shares_of_user').on(table.userId, table.number),
    index('ended_shares_by_age').on(table.at, table.number),
  ],
)

/** Addresses at which programs for spreadsheets read a form's submissions. Only the user who made one has its token. */
export const sheets = sqliteTable(
  'sheets',
  {
    id: text().primaryKey(),
    form: integer()
      .notNull()
      .references(() => forms.number),
    description: text(),
    /** SHA-256 of the token in hexadecimal. */
    hash: text().notNull().unique(),
    /** Written at most once a minute, see upkeep/jobs/flush-last-used.ts. */
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [index('sheets_of_form').on(table.form, table.id)],
)

/**
 * The receivers of a form's submissions: each webhook, each e-mail address of the setting `notify`, and one for all
 * visitors to whom the form replies.
 */
export const receivers = sqliteTable(
  'receivers',
  {
    number: integer().primaryKey(),
    id: text().notNull().unique(),
    form: integer()
      .notNull()
      .references(() => forms.number),
    kind: text({ enum: ['webhook', 'email', 'reply', 'confirm'] }).notNull(),
    /** The URL or the address. Empty for visitors: each delivery has its own. */
    target: text().notNull(),
    /**
     * The secret part of the URL, in whose place `target` has `•••`; null if it has none (see
     * forms/webhooks/webhook-services.ts).
     */
    urlToken: text('url_token'),
    /** Receivers with the same one share a limit of deliveries under way: host and port of the URL, or `mail`. */
    host: text().notNull(),
    /** The format of a webhook. */
    format: text({ enum: ['standard', 'slack', 'teams', 'telegram', 'ntfy', 'gotify'] }),
    /** JSON array of the names and values of headers that a webhook gets besides, or null. The values are secrets. */
    headers: text(),
    /** The condition for what it gets, as JSON text; null if it gets everything (see outbox/condition.ts). */
    only: text(),
    description: text(),
    /** The secret as the owner sees it: `whsec_…`. It signs, so a hash would not do. */
    secret: text(),
    isEnabled: integer('is_enabled', { mode: 'boolean' }).notNull().default(true),
    /** Why Formbox switched it off; null if it did not. */
    disabledReason: text('disabled_reason'),
    /** When the first failure since the last success was. */
    failingSince: integer('failing_since'),
    /** When it was taken away. The row stays as long as there are deliveries of it. */
    removedAt: integer('removed_at'),
    /** When the hour began in which an address was last told (see outbox/mail-hours.ts). */
    hourStart: integer('hour_start').notNull().default(0),
    /** Set for an address that gets one mail a day, or one a week (see outbox/digests.ts). */
    digest: text({ enum: ['day', 'week'] }),
    /** The delivery that was the last to gather what exceeds the limit of an hour, or what came in a day. */
    digestId: text('digest_id'),
    /** Its deliveries by their states, so that no list has to count them. */
    pendingCount: integer('pending_count').notNull().default(0),
    deliveredCount: integer('delivered_count').notNull().default(0),
    failedCount: integer('failed_count').notNull().default(0),
    skippedCount: integer('skipped_count').notNull().default(0),
    /** JSON array of the secrets before the current one that sign as well, newest first (see outbox/webhook-secret.ts). */
    oldSecrets: text('old_secrets').notNull().default('[]'),
    /** The name that files have for a webhook (see forms/as-files/apply-writes.ts); null if none was applied to it. */
    name: text(),
  },
  (table) => [
    index('receivers_of_form').on(table.form, table.number),
    // At most ten webhooks and ten addresses, however many were taken away.
    index('receivers_in_use').on(table.form, table.number).where(isNull(table.removedAt)),
    index('receivers_of_address').on(inLowerCase(table.target), table.form).where(sql`${table.kind} = 'email'`),
    check('receivers_counts', counts(table.pendingCount, table.deliveredCount, table.failedCount, table.skippedCount)),
    check('receivers_format', sql`(${table.kind} = 'webhook') = (${table.format} is not null)`),
    check('receivers_digest', sql`${table.digest} is null or ${table.kind} = 'email'`),
    check('receivers_disabled', sql`${table.disabledReason} is null or ${table.isEnabled} = 0`),
  ],
)

/** The columns that are members of a webhook and nothing else (see forms/webhooks/webhook-members.ts). */
export const hookMembers = ['format', 'description', 'only'] as const

/** An address as it is looked for: in whatever case it was written. */
export function inLowerCase(address: AnySQLiteColumn): SQL<string> {
  return sql`lower(${address})`
}

/** Why a visitor gets no mail, or, `dismissed`, why what failed counts no more as failed. */
export const skipReasons = [
  'notify',
  'stopped',
  'refused',
  'form_address',
  'server_address',
  'form_hour',
  'form_day',
  'user_hour',
  'user_day',
  'spam',
  'withdrawn',
  'confirmed',
  'dismissed',
] as const

/**
 * The outbox: the messages for receivers, written in the transaction that stores the submission. An identifier begins with
 * the time of the submission's, so a form's deliveries are in the order of their submissions.
 */
export const deliveries = sqliteTable(
  'deliveries',
  {
    form: integer().notNull(),
    id: text().notNull(),
    /** Its number. No foreign key: SQLite would look through all deliveries when a receiver is deleted. */
    receiver: integer().notNull(),
    kind: text({ enum: ['webhook', 'email', 'digest', 'added', 'silence', 'reply', 'confirm'] }).notNull(),
    /** The submission that it is about, the first one of a digest, or null. */
    submission: text(),
    /**
     * For a digest, the number of its submissions. For a reply, the mails that were begun and have no known end. For one about
     * a silence, its days.
     */
    count: integer(),
    /** The visitor's own subject for the e-mail. */
    subject: text(),
    state: text({ enum: ['pending', 'delivered', 'failed', 'skipped'] })
      .notNull()
      .default('pending'),
    /** Attempts begun. */
    attempts: integer().notNull().default(0),
    /** JSON array of the last attempts (see outbox/finish.ts). */
    log: text().notNull().default('[]'),
    /** When it is due, 0 for at once. While an attempt is under way: when it counts as lost. */
    dueAt: integer('due_at').notNull().default(0),
    /** The machine that attempts it, or null. */
    claimedBy: text('claimed_by'),
    /** The address of a reply. */
    target: text(),
    /** The first millisecond from which no attempt begins; null if only their number ends them. */
    endsAt: integer('ends_at'),
    /** Why it was skipped (see `skipReasons`). */
    reason: text({ enum: skipReasons }),
    /** The language of its recipient; null for English. */
    language: text(),
  },
  (table) => [
    primaryKey({ columns: [table.form, table.id] }),
    foreignKey({ columns: [table.form], foreignColumns: [forms.number] }),
    index('deliveries_due').on(table.receiver, table.dueAt).where(sql`${table.state} = 'pending'`),
    index('deliveries_claimed').on(table.claimedBy).where(isNotNull(table.claimedBy)),
    index('deliveries_failed').on(table.form, table.id).where(sql`${table.state} = 'failed'`),
    index('deliveries_failed_to').on(table.receiver, table.id).where(sql`${table.state} = 'failed'`),
    index('deliveries_skipped').on(table.form, table.id).where(sql`${table.state} = 'skipped'`),
    check('deliveries_state', oneOf(table.state)),
    check('deliveries_counts', counts(table.attempts, table.count)),
    check('deliveries_skipped_for', sql`${table.state} <> 'skipped' or ${table.reason} is not null`),
    check(
      'deliveries_digest',
      sql`${table.kind} <> 'digest' or (${table.count} is not null and ${table.submission} is not null)`,
    ),
  ],
)

/**
 * Replies of the last 24 hours, by which the next ones are limited. A row stays when the submission or the
 * form is deleted: otherwise that would make room.
 */
export const replies = sqliteTable(
  'replies',
  {
    /** The delivery's identifier. */
    id: text().primaryKey(),
    /** See `hashOfPerson` in outbox/known-addresses.ts. */
    person: text().notNull(),
    /** Null if it was deleted: its number may be given to another one. */
    form: integer().references(() => forms.number, { onDelete: 'set null' }),
    at: integer().notNull(),
    /** The owner of the form at that time; null if the account was deleted. */
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** Whether it asked for an address to be confirmed, and that was done: then the form may write to this person again. */
    isConfirmed: integer('is_confirmed', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    index('replies_to_person').on(table.person, table.id),
    index('replies_of_form').on(table.form, table.at),
    index('replies_of_user').on(table.userId, table.at),
    index('replies_that_end').on(table.at, table.id),
  ],
)

/** Mails about submissions that one person gets in an hour, from all forms (see outbox/mail-hours.ts). */
export const mailHours = sqliteTable(
  'mail_hours',
  {
    /** See `hashOfPerson` in outbox/known-addresses.ts. */
    person: text().primaryKey(),
    startsAt: integer('starts_at').notNull(),
    /** Submissions, also those that are in digests. */
    count: integer().notNull(),
    /** Digests of what exceeds the limit that are due after the start. */
    digestCount: integer('digest_count').notNull(),
  },
  (table) => [
    index('mail_hours_that_end').on(table.startsAt, table.person),
    check('mail_hours_counts', counts(table.count, table.digestCount)),
  ],
)

/** The submissions that digests are about (see outbox/digests.ts). */
export const digestedSubmissions = sqliteTable(
  'digested_submissions',
  {
    form: integer()
      .notNull()
      .references(() => forms.number),
    submission: text().notNull(),
    /** Its number. A submission is in at most one of its digests. */
    receiver: integer().notNull(),
    /** Identifier of the delivery. */
    digest: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.form, table.submission, table.receiver] }),
    index('submissions_of_digest').on(table.digest, table.submission),
  ],
)

/**
 * The solved challenges that came with submissions, each of which works once (see submissions/spam/challenge.ts). They are
 * removed after they have expired.
 */
export const spentChallenges = sqliteTable(
  'spent_challenges',
  {
    expiresAt: integer('expires_at').notNull(),
    /** Makes it different from all others: base64url. */
    random: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.expiresAt, table.random] })],
)

/** The time when rows were last deleted for their age: one row (see steady-clock.ts). */
export const seenClock = sqliteTable('seen_clock', {
  id: integer().primaryKey(),
  seenAt: integer('seen_at').notNull(),
  /** Before this, rows are only deleted as of `sureAt`. */
  heldUntil: integer('held_until').notNull(),
  /** The last time that was sure before the clock moved by more than a day; 0 for none. */
  sureAt: integer('sure_at').notNull().default(0),
})

/**
 * The requests of the last 24 to 48 hours that came with an `Idempotency-Key` and were carried out (see storage/idempotency.ts).
 * Clustered by day, so that old ones are found without an index.
 */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    /** When the request arrived, in days since 1970. */
    day: integer().notNull(),
    keyHash: text('key_hash').notNull(),
    fingerprint: text().notNull(),
    at: integer().notNull(),
    /** The response to a repeat: mostly the identifier of what was created. */
    result: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.keyHash] })],
)

/** Keys of this installation by their purpose. Every machine of a cluster has the same ones. */
export const secrets = sqliteTable('secrets', {
  name: text().primaryKey(),
  /** Base64. */
  value: text().notNull(),
})

/** The last row of the cluster's log that this file has executed: one row, or none on a standalone server. */
export const logPosition = sqliteTable('log_position', {
  /** Always 1. */
  one: integer().primaryKey(),
  seq: integer().notNull(),
  id: text().notNull(),
})

/** Outcomes of the rows of the log that commands of the command line appended, until they have read them. */
export const keptOutcomes = sqliteTable('kept_outcomes', {
  /** The row's identifier. */
  id: text().primaryKey(),
  seq: integer().notNull(),
  /** JSON, as the writer's Worker replies. */
  outcomes: text().notNull(),
})

/**
 * Imports of files, for 90 days. Submissions are staged first; from `adding` on, an import is sure, and whatever is killed,
 * they come into the inbox slice by slice.
 */
export const imports = sqliteTable(
  'imports',
  {
    number: integer().primaryKey(),
    /** Says when it began. */
    id: text().notNull().unique(),
    form: integer()
      .notNull()
      .references(() => forms.number),
    /** Who imports; the owner, if the operator does. */
    userId: text('user_id').notNull(),
    state: text({
      enum: ['planned', 'staging', 'adding', 'done', 'removing', 'removed', 'failed'],
    }).notNull(),
    /** Name of the machine that reads the file. */
    node: text().notNull(),
    /** JSON (see transfer/import/plan.ts); what visitors sent is only in that of a plan. */
    report: text().notNull(),
    /** Of the rows, how many are staged, added or removed, whichever it is at. */
    done: integer().notNull().default(0),
    /** Submissions that it has added. */
    added: integer().notNull().default(0),
    /** When it was done, in Unix milliseconds. */
    finishedAt: integer('finished_at'),
    /** Whether it still has pages of identifiers, staged rows or staged files. */
    hasRest: integer('has_rest', { mode: 'boolean' }).notNull(),
    /** When its rows began to be staged, in Unix milliseconds; null of a plan. */
    beganAt: integer('began_at'),
  },
  (table) => [
    index('imports_of_form').on(table.form, table.id),
    index('imports_by_end').on(table.finishedAt, table.id),
    index('imports_with_rest').on(table.id).where(sql`has_rest`),
    check('imports_state', oneOf(table.state)),
    check('imports_counts', counts(table.done, table.added)),
    check('imports_end', sql`${table.state} <> 'done' or ${table.finishedAt} is not null`),
  ],
)

/** What an import has added, so that it can be taken back within an hour. */
export const importedPages = sqliteTable(
  'imported_pages',
  {
    importId: text('import_id').notNull(),
    page: integer().notNull(),
    /** JSON array of identifiers. */
    ids: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.page] })],
)

/** Checked submissions of a file that is imported, until all of them are there. */
export const stagedRows = sqliteTable(
  'staged_rows',
  {
    number: integer().primaryKey(),
    /** That of the import; or with ` files`, for rows that describe files. */
    importId: text('import_id').notNull(),
    /** The submission's identifier. */
    id: text().notNull(),
    /** JSON object, however long it is. */
    data: text().notNull(),
    isLong: integer('is_long', { mode: 'boolean' }).notNull(),
    /** Its notes as JSON, see submissions/notes.ts. Null if it has none. */
    notes: text(),
  },
  (table) => [uniqueIndex('staged_rows_of_import').on(table.importId, table.id)],
)

/** Which machine of a cluster does a job that one of them is to do. */
export const jobLeases = sqliteTable('job_leases', {
  job: text().primaryKey(),
  /** Name of the machine. */
  node: text().notNull(),
  /** The first millisecond at which any machine may take it. */
  until: integer().notNull(),
})

/**
 * E-mail addresses that got a mail within a day that they were added to a form of someone else, those whose recipients
 * want no mail of this server or of one form, and those that a mail server refused for good (see outbox/known-addresses.ts).
 */
export const addresses = sqliteTable(
  'addresses',
  {
    /** SHA-256 in hexadecimal: a person who wants no mail need not be named. */
    hash: text().primaryKey(),
    /** When it got that mail, and the user whose form it was; 0 and null if it got none. */
    toldAt: integer('told_at').notNull(),
    toldBy: text('told_by').references(() => users.id, { onDelete: 'set null' }),
    /** When its recipient stopped all mail, or that of the form in the hash; null if the recipient did not. */
    stoppedAt: integer('stopped_at'),
    /** When a mail server refused a reply to it for good; null if none did lately. */
    refusedAt: integer('refused_at'),
  },
  (table) => [
    index('addresses_of_user').on(table.toldBy, table.toldAt),
    index('addresses_that_end')
      .on(table.toldAt, table.hash)
      .where(sql`${table.stoppedAt} is null and ${table.refusedAt} is null`),
    index('addresses_refused').on(table.refusedAt, table.hash).where(isNotNull(table.refusedAt)),
  ],
)

/**
 * Invitations that were mailed within a day, by which the next ones are limited. A row stays when the invitation is taken
 * back: otherwise that would make room for another mail.
 */
export const mailedInvitations = sqliteTable(
  'mailed_invitations',
  {
    /** The invitation's identifier. */
    id: text().primaryKey(),
    /** See `hashOfPerson` in outbox/known-addresses.ts. */
    person: text().notNull(),
    /** Who invited. No foreign keys, as each row counts for a day only. */
    userId: text('user_id').notNull(),
    /** The owner of the form at that time; null if the account was deleted. */
    ownerId: text('owner_id'),
    at: integer().notNull(),
  },
  (table) => [
    index('invitations_to_person').on(table.person, table.at),
    index('invitations_by_user').on(table.userId, table.at),
    index('invitations_for_owner').on(table.ownerId, table.at),
    index('mailed_invitations_that_end').on(table.at, table.id),
  ],
)

/** What else there is about a form, in few rows: these go with it. */
export const ofForms = [
  ...[longFieldNames, limits, consentTexts, withdrawals, confirmDays, unreadMarks, lessons, sheets, members, silences],
]

/** What each person has of a form that they may read. */
export const ofReaders = [openedSubmissions, unreadMarks]

/** Says that the columns are not below 0; null is not. */
function counts(...columns: readonly AnySQLiteColumn[]): SQL {
  return sql.join(
    columns.map((column) => sql`${column} >= 0`),
    sql` and `,
  )
}

/** Says that the column has one of its values. */
function oneOf(column: AnySQLiteColumn): SQL {
  return sql.raw(`"${column.name}" in (${column.enumValues?.map((value) => `'${value}'`).join(', ')})`)
}

/** A value that is given when the prepared statement runs. */
export const param = (name: string) => sql.placeholder(name)

/** A placeholder as an expression, where the builder takes no placeholder. */
export const given = (name: string): SQL => sql`${param(name)}`

/** A placeholder for each of the columns, called as the column is. */
export const params = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, param(name)])) as { [N in Name]: ReturnType<typeof param> }

/** The same as expressions. */
export const givens = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, given(name)])) as { [N in Name]: SQL }

/** A value that stands in the statement itself: SQLite uses a partial index only if it sees the value. */
export const literal = (value: string | number | null): SQL =>
  sql.raw(typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value))

export const is = (column: SQLWrapper, value: string): SQL => sql`${column} = ${literal(value)}`
export const isNot = (column: SQLWrapper, value: string): SQL => sql`${column} <> ${literal(value)}`
