CREATE TABLE `abandoned_lists` (
	`form` integer NOT NULL,
	`list` integer NOT NULL,
	PRIMARY KEY(`form`, `list`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `abandoned_pieces` (
	`form` integer NOT NULL,
	`list` integer DEFAULT 0 NOT NULL,
	`submission` text NOT NULL,
	PRIMARY KEY(`form`, `list`, `submission`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `addresses` (
	`hash` text PRIMARY KEY NOT NULL,
	`told_at` integer NOT NULL,
	`told_by` text,
	`stopped_at` integer,
	`refused_at` integer,
	FOREIGN KEY (`told_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `addresses_of_user` ON `addresses` (`told_by`,`told_at`);--> statement-breakpoint
CREATE INDEX `addresses_that_end` ON `addresses` (`told_at`,`hash`) WHERE "addresses"."stopped_at" is null and "addresses"."refused_at" is null;--> statement-breakpoint
CREATE INDEX `addresses_refused` ON `addresses` (`refused_at`,`hash`) WHERE "addresses"."refused_at" is not null;--> statement-breakpoint
CREATE TABLE `claims` (
	`form` integer NOT NULL,
	`submission` text NOT NULL,
	`held` text NOT NULL,
	PRIMARY KEY(`form`, `submission`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `confirm_days` (
	`form` integer NOT NULL,
	`day` integer NOT NULL,
	`mailed` integer DEFAULT 0 NOT NULL,
	`confirmed` integer DEFAULT 0 NOT NULL,
	`withdrawn` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`form`, `day`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "confirm_days_counts" CHECK("confirm_days"."mailed" >= 0 and "confirm_days"."confirmed" >= 0 and "confirm_days"."withdrawn" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `confirmations` (
	`form` integer NOT NULL,
	`submission` text NOT NULL,
	`address` text NOT NULL,
	`person` text NOT NULL,
	`browser` text NOT NULL,
	`ends_at` integer NOT NULL,
	`language` text,
	`subject` text,
	`mail` text NOT NULL,
	`consent` text NOT NULL,
	`mailed_at` integer,
	`confirmed_at` integer,
	`accepted_at` integer,
	`accepted_by` text,
	PRIMARY KEY(`form`, `submission`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "confirmations_accepted" CHECK(("confirmations"."accepted_at" is null) = ("confirmations"."accepted_by" is null)),
	CONSTRAINT "confirmations_once" CHECK("confirmations"."confirmed_at" is null or "confirmations"."accepted_at" is null)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `confirmations_held` ON `confirmations` (`form`,`address`,`submission`) WHERE "confirmations"."confirmed_at" is null and "confirmations"."accepted_at" is null;--> statement-breakpoint
CREATE INDEX `confirmations_by_end` ON `confirmations` (`ends_at`,`form`,`submission`) WHERE "confirmations"."confirmed_at" is null and "confirmations"."accepted_at" is null;--> statement-breakpoint
CREATE TABLE `consent_texts` (
	`form` integer NOT NULL,
	`hash` text NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`form`, `hash`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `deliveries` (
	`form` integer NOT NULL,
	`id` text NOT NULL,
	`receiver` integer NOT NULL,
	`kind` text NOT NULL,
	`submission` text,
	`count` integer,
	`subject` text,
	`state` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`log` text DEFAULT '[]' NOT NULL,
	`due_at` integer DEFAULT 0 NOT NULL,
	`claimed_by` text,
	`target` text,
	`ends_at` integer,
	`reason` text,
	`language` text,
	PRIMARY KEY(`form`, `id`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "deliveries_state" CHECK("state" in ('pending', 'delivered', 'failed', 'skipped')),
	CONSTRAINT "deliveries_counts" CHECK("deliveries"."attempts" >= 0 and "deliveries"."count" >= 0),
	CONSTRAINT "deliveries_skipped_for" CHECK("deliveries"."state" <> 'skipped' or "deliveries"."reason" is not null),
	CONSTRAINT "deliveries_digest" CHECK("deliveries"."kind" <> 'digest' or ("deliveries"."count" is not null and "deliveries"."submission" is not null))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`receiver`,`due_at`) WHERE "deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_claimed` ON `deliveries` (`claimed_by`) WHERE "deliveries"."claimed_by" is not null;--> statement-breakpoint
CREATE INDEX `deliveries_failed` ON `deliveries` (`form`,`id`) WHERE "deliveries"."state" = 'failed';--> statement-breakpoint
CREATE INDEX `deliveries_failed_to` ON `deliveries` (`receiver`,`id`) WHERE "deliveries"."state" = 'failed';--> statement-breakpoint
CREATE INDEX `deliveries_skipped` ON `deliveries` (`form`,`id`) WHERE "deliveries"."state" = 'skipped';--> statement-breakpoint
CREATE TABLE `digested_submissions` (
	`form` integer NOT NULL,
	`submission` text NOT NULL,
	`receiver` integer NOT NULL,
	`digest` text NOT NULL,
	PRIMARY KEY(`form`, `submission`, `receiver`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `submissions_of_digest` ON `digested_submissions` (`digest`,`submission`);--> statement-breakpoint
CREATE TABLE `ended_shares` (
	`number` integer PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`form_id` text NOT NULL,
	`owner` text,
	`title` text NOT NULL,
	`at` integer NOT NULL,
	`reason` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `ended_shares_of_user` ON `ended_shares` (`user_id`,`number`);--> statement-breakpoint
CREATE INDEX `ended_shares_by_age` ON `ended_shares` (`at`,`number`);--> statement-breakpoint
CREATE TABLE `file_pieces` (
	`number` integer PRIMARY KEY NOT NULL,
	`bytes` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `files` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`form` integer,
	`list` integer,
	`submission` text,
	`position` integer DEFAULT 0 NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`type` text DEFAULT '' NOT NULL,
	`size` integer DEFAULT 0 NOT NULL,
	`kind` text,
	`staged_by` text,
	`staged_until` integer,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "files_adopted" CHECK(("files"."form" is null) = ("files"."submission" is null) and ("files"."form" is null) = ("files"."list" is null)),
	CONSTRAINT "files_of_one_source" CHECK(("files"."staged_by" is null) = ("files"."staged_until" is null)),
	CONSTRAINT "files_staged_or_adopted" CHECK("files"."submission" is null or "files"."staged_until" is null)
) STRICT;
--> statement-breakpoint
CREATE INDEX `files_by_id` ON `files` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `files_of_submission` ON `files` (`form`,`list`,`submission`,`position`);--> statement-breakpoint
CREATE INDEX `files_staged` ON `files` (`staged_until`) WHERE "files"."staged_until" is not null;--> statement-breakpoint
CREATE INDEX `files_detached` ON `files` (`id`) WHERE "files"."submission" is null and "files"."staged_until" is null;--> statement-breakpoint
CREATE TABLE `form_addresses` (
	`address` text PRIMARY KEY NOT NULL,
	`form` integer,
	`position` integer NOT NULL,
	`last_day` integer,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "form_addresses_in_use" CHECK("form_addresses"."form" is not null or "form_addresses"."last_day" is not null)
) STRICT;
--> statement-breakpoint
CREATE INDEX `addresses_of_form` ON `form_addresses` (`form`,`position`) WHERE "form_addresses"."form" is not null;--> statement-breakpoint
CREATE INDEX `addresses_at_rest` ON `form_addresses` (`last_day`) WHERE "form_addresses"."last_day" is not null;--> statement-breakpoint
CREATE TABLE `forms` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`user_id` text,
	`title` text NOT NULL,
	`description` text,
	`return_url` text,
	`field_names` text DEFAULT '[]' NOT NULL,
	`submission_count` integer DEFAULT 0 NOT NULL,
	`spam_count` integer DEFAULT 0 NOT NULL,
	`spam_list` integer DEFAULT 1 NOT NULL,
	`updated_at` integer,
	`deleted_at` integer,
	`settings` text,
	`latest_id` text DEFAULT '' NOT NULL,
	`change_count` integer DEFAULT 0 NOT NULL,
	`receiver_count` integer DEFAULT 0 NOT NULL,
	`conditions` text,
	`name` text,
	`lesson_changes` integer DEFAULT 0 NOT NULL,
	`unlearned_since` integer DEFAULT 0,
	`done_count` integer DEFAULT 0 NOT NULL,
	`unconfirmed_count` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "forms_counts" CHECK("forms"."submission_count" >= 0 and "forms"."spam_count" >= 0 and "forms"."done_count" >= 0 and "forms"."receiver_count" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `forms_id_unique` ON `forms` (`id`);--> statement-breakpoint
CREATE INDEX `forms_of_user` ON `forms` (`user_id`,`id`) WHERE "forms"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX `forms_being_removed` ON `forms` (`deleted_at`) WHERE "forms"."deleted_at" is not null;--> statement-breakpoint
CREATE INDEX `forms_with_spam` ON `forms` (`number`) WHERE "forms"."spam_count" > 0;--> statement-breakpoint
CREATE INDEX `forms_with_retention` ON `forms` (`number`) WHERE json_extract("forms"."settings", '$.retentionDays') is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `forms_by_name` ON `forms` (`user_id`,`name`) WHERE "forms"."name" is not null and "forms"."deleted_at" is null;--> statement-breakpoint
CREATE TABLE `handling` (
	`form` integer NOT NULL,
	`submission` text NOT NULL,
	`state` text NOT NULL,
	`user_id` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`form`, `submission`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "handling_state" CHECK("state" in ('open', 'done'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `handling_done` ON `handling` (`form`,`submission`) WHERE "handling"."state" = 'done';--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`day` integer NOT NULL,
	`key_hash` text NOT NULL,
	`fingerprint` text NOT NULL,
	`at` integer NOT NULL,
	`result` text NOT NULL,
	PRIMARY KEY(`day`, `key_hash`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `identities` (
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` text NOT NULL,
	PRIMARY KEY(`issuer`, `subject`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `identities_of_user` ON `identities` (`user_id`);--> statement-breakpoint
CREATE TABLE `imported_pages` (
	`import_id` text NOT NULL,
	`page` integer NOT NULL,
	`ids` text NOT NULL,
	PRIMARY KEY(`import_id`, `page`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `imports` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`form` integer NOT NULL,
	`user_id` text NOT NULL,
	`state` text NOT NULL,
	`node` text NOT NULL,
	`report` text NOT NULL,
	`done` integer DEFAULT 0 NOT NULL,
	`added` integer DEFAULT 0 NOT NULL,
	`finished_at` integer,
	`has_rest` integer NOT NULL,
	`began_at` integer,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "imports_state" CHECK("state" in ('planned', 'staging', 'adding', 'done', 'removing', 'removed', 'failed')),
	CONSTRAINT "imports_counts" CHECK("imports"."done" >= 0 and "imports"."added" >= 0),
	CONSTRAINT "imports_end" CHECK("imports"."state" <> 'done' or "imports"."finished_at" is not null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `imports_id_unique` ON `imports` (`id`);--> statement-breakpoint
CREATE INDEX `imports_of_form` ON `imports` (`form`,`id`);--> statement-breakpoint
CREATE INDEX `imports_by_end` ON `imports` (`finished_at`,`id`);--> statement-breakpoint
CREATE INDEX `imports_with_rest` ON `imports` (`id`) WHERE has_rest;--> statement-breakpoint
CREATE TABLE `job_leases` (
	`job` text PRIMARY KEY NOT NULL,
	`node` text NOT NULL,
	`until` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `kept_outcomes` (
	`id` text PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`outcomes` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `keys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`start` text NOT NULL,
	`is_read_only` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`forms` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `keys_hash_unique` ON `keys` (`hash`);--> statement-breakpoint
CREATE INDEX `keys_of_user` ON `keys` (`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `lessons` (
	`number` integer PRIMARY KEY NOT NULL,
	`form` integer NOT NULL,
	`submission` text NOT NULL,
	`is_spam` integer NOT NULL,
	`at` integer NOT NULL,
	`tokens` blob NOT NULL,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `lessons_of_submission` ON `lessons` (`form`,`submission`);--> statement-breakpoint
CREATE INDEX `lessons_of_form` ON `lessons` (`form`,`is_spam`);--> statement-breakpoint
CREATE INDEX `lessons_by_age` ON `lessons` (`at`);--> statement-breakpoint
CREATE TABLE `limits` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`form` integer NOT NULL,
	`field` text NOT NULL,
	`option` text NOT NULL,
	`taken` integer DEFAULT 0 NOT NULL,
	`count_from` text,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "limits_count" CHECK("limits"."taken" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `limits_of_form` ON `limits` (`form`,`field`,`option`);--> statement-breakpoint
CREATE INDEX `limits_to_count` ON `limits` (`form`) WHERE "limits"."count_from" is not null;--> statement-breakpoint
CREATE TABLE `log_position` (
	`one` integer PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`id` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `long_field_names` (
	`form` integer PRIMARY KEY NOT NULL,
	`names` text NOT NULL,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `mail_hours` (
	`person` text PRIMARY KEY NOT NULL,
	`starts_at` integer NOT NULL,
	`count` integer NOT NULL,
	`digest_count` integer NOT NULL,
	CONSTRAINT "mail_hours_counts" CHECK("mail_hours"."count" >= 0 and "mail_hours"."digest_count" >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `mail_hours_that_end` ON `mail_hours` (`starts_at`,`person`);--> statement-breakpoint
CREATE TABLE `mailed_invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`person` text NOT NULL,
	`user_id` text NOT NULL,
	`owner_id` text,
	`at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `invitations_to_person` ON `mailed_invitations` (`person`,`at`);--> statement-breakpoint
CREATE INDEX `invitations_by_user` ON `mailed_invitations` (`user_id`,`at`);--> statement-breakpoint
CREATE INDEX `invitations_for_owner` ON `mailed_invitations` (`owner_id`,`at`);--> statement-breakpoint
CREATE INDEX `mailed_invitations_that_end` ON `mailed_invitations` (`at`,`id`);--> statement-breakpoint
CREATE TABLE `members` (
	`id` text PRIMARY KEY NOT NULL,
	`form` integer NOT NULL,
	`user_id` text,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`columns` text,
	`invite_hash` text,
	`invite_ends_at` integer,
	`invited_by` text,
	`is_mailed` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "members_role" CHECK("role" in ('reader', 'editor', 'manager')),
	CONSTRAINT "members_user_or_invited" CHECK(("members"."user_id" is null) = ("members"."invite_hash" is not null)),
	CONSTRAINT "members_invitation" CHECK(("members"."invite_hash" is null) = ("members"."invite_ends_at" is null)),
	CONSTRAINT "members_forgotten" CHECK("members"."invite_hash" is not null or ("members"."is_mailed" = 0 and "members"."invited_by" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `members_invite_hash_unique` ON `members` (`invite_hash`);--> statement-breakpoint
CREATE INDEX `members_of_form` ON `members` (`form`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `members_of_user` ON `members` (`user_id`,`form`);--> statement-breakpoint
CREATE INDEX `invitations_of_address` ON `members` (`email`,`id`) WHERE "members"."invite_ends_at" is not null;--> statement-breakpoint
CREATE INDEX `invitations` ON `members` (`invite_ends_at`,`id`) WHERE "members"."invite_ends_at" is not null;--> statement-breakpoint
CREATE TABLE `notes` (
	`number` integer PRIMARY KEY NOT NULL,
	`form` integer NOT NULL,
	`submission` text NOT NULL,
	`id` text NOT NULL,
	`text` text NOT NULL,
	`user_id` text,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `notes_of_submission` ON `notes` (`form`,`submission`,`id`);--> statement-breakpoint
CREATE TABLE `onces` (
	`number` integer NOT NULL,
	`hash` text NOT NULL,
	`submission` text NOT NULL,
	`form` integer NOT NULL,
	PRIMARY KEY(`number`, `hash`, `submission`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `onces_of_submission` ON `onces` (`form`,`submission`);--> statement-breakpoint
CREATE TABLE `opened_submissions` (
	`form` integer NOT NULL,
	`user_id` text NOT NULL,
	`submission` text NOT NULL,
	PRIMARY KEY(`form`, `user_id`, `submission`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `pieces` (
	`number` integer PRIMARY KEY NOT NULL,
	`form` integer NOT NULL,
	`list` integer DEFAULT 0 NOT NULL,
	`submission` text NOT NULL,
	`position` integer NOT NULL,
	`bytes` blob NOT NULL,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pieces_of_submission` ON `pieces` (`form`,`list`,`submission`,`position`);--> statement-breakpoint
CREATE TABLE `receivers` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`form` integer NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`url_token` text,
	`host` text NOT NULL,
	`format` text,
	`headers` text,
	`only` text,
	`description` text,
	`secret` text,
	`is_enabled` integer DEFAULT true NOT NULL,
	`disabled_reason` text,
	`failing_since` integer,
	`removed_at` integer,
	`hour_start` integer DEFAULT 0 NOT NULL,
	`digest` text,
	`digest_id` text,
	`pending_count` integer DEFAULT 0 NOT NULL,
	`delivered_count` integer DEFAULT 0 NOT NULL,
	`failed_count` integer DEFAULT 0 NOT NULL,
	`skipped_count` integer DEFAULT 0 NOT NULL,
	`old_secrets` text DEFAULT '[]' NOT NULL,
	`name` text,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "receivers_counts" CHECK("receivers"."pending_count" >= 0 and "receivers"."delivered_count" >= 0 and "receivers"."failed_count" >= 0 and "receivers"."skipped_count" >= 0),
	CONSTRAINT "receivers_format" CHECK(("receivers"."kind" = 'webhook') = ("receivers"."format" is not null)),
	CONSTRAINT "receivers_digest" CHECK("receivers"."digest" is null or "receivers"."kind" = 'email'),
	CONSTRAINT "receivers_disabled" CHECK("receivers"."disabled_reason" is null or "receivers"."is_enabled" = 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `receivers_id_unique` ON `receivers` (`id`);--> statement-breakpoint
CREATE INDEX `receivers_of_form` ON `receivers` (`form`,`number`);--> statement-breakpoint
CREATE INDEX `receivers_in_use` ON `receivers` (`form`,`number`) WHERE "receivers"."removed_at" is null;--> statement-breakpoint
CREATE INDEX `receivers_of_address` ON `receivers` (lower("target"),`form`) WHERE "receivers"."kind" = 'email';--> statement-breakpoint
CREATE TABLE `replies` (
	`id` text PRIMARY KEY NOT NULL,
	`person` text NOT NULL,
	`form` integer,
	`at` integer NOT NULL,
	`user_id` text,
	`is_confirmed` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `replies_to_person` ON `replies` (`person`,`id`);--> statement-breakpoint
CREATE INDEX `replies_of_form` ON `replies` (`form`,`at`);--> statement-breakpoint
CREATE INDEX `replies_of_user` ON `replies` (`user_id`,`at`);--> statement-breakpoint
CREATE INDEX `replies_that_end` ON `replies` (`at`,`id`);--> statement-breakpoint
CREATE TABLE `second_factors` (
	`user_id` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`secret` text NOT NULL,
	`last_step` integer NOT NULL,
	`recovery_codes` text NOT NULL,
	`wrong_codes` text DEFAULT '{}' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `secrets` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `seen_clock` (
	`id` integer PRIMARY KEY NOT NULL,
	`seen_at` integer NOT NULL,
	`held_until` integer NOT NULL,
	`sure_at` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`browser` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `sessions_of_user` ON `sessions` (`user_id`,`expires_at`);--> statement-breakpoint
CREATE INDEX `sessions_by_age` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sheets` (
	`id` text PRIMARY KEY NOT NULL,
	`form` integer NOT NULL,
	`description` text,
	`hash` text NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sheets_hash_unique` ON `sheets` (`hash`);--> statement-breakpoint
CREATE INDEX `sheets_of_form` ON `sheets` (`form`,`id`);--> statement-breakpoint
CREATE TABLE `silences` (
	`form` integer PRIMARY KEY NOT NULL,
	`came` integer NOT NULL,
	`came_at` integer NOT NULL,
	`tell_at` integer,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `silences_by_end` ON `silences` (`tell_at`,`form`) WHERE "silences"."tell_at" is not null;--> statement-breakpoint
CREATE INDEX `silences_by_start` ON `silences` (`came_at`,`form`) WHERE "silences"."tell_at" is not null;--> statement-breakpoint
CREATE TABLE `spent_challenges` (
	`expires_at` integer NOT NULL,
	`random` text NOT NULL,
	PRIMARY KEY(`expires_at`, `random`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `staged_rows` (
	`number` integer PRIMARY KEY NOT NULL,
	`import_id` text NOT NULL,
	`id` text NOT NULL,
	`data` text NOT NULL,
	`is_long` integer NOT NULL,
	`notes` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `staged_rows_of_import` ON `staged_rows` (`import_id`,`id`);--> statement-breakpoint
CREATE TABLE `submissions` (
	`form` integer NOT NULL,
	`list` integer DEFAULT 0 NOT NULL,
	`id` text NOT NULL,
	`data` text NOT NULL,
	`reason` text,
	`marked_at` integer,
	PRIMARY KEY(`form`, `list`, `id`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "submissions_reason" CHECK(("submissions"."list" = 0) = ("submissions"."reason" is null)),
	CONSTRAINT "submissions_marked" CHECK("submissions"."list" <> 0 or "submissions"."marked_at" is null)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tallies` (
	`form` integer NOT NULL,
	`list` integer NOT NULL,
	`level` integer NOT NULL,
	`first_id` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`form`, `list`, `level`, `first_id`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "tallies_count" CHECK("tallies"."count" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `trail` (
	`number` integer PRIMARY KEY NOT NULL,
	`form` integer NOT NULL,
	`at` integer NOT NULL,
	`user_id` text NOT NULL,
	`what` text NOT NULL,
	`detail` text,
	`count` integer NOT NULL,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `trail_of_form` ON `trail` (`form`,`number`);--> statement-breakpoint
CREATE INDEX `trail_by_age` ON `trail` (`at`,`number`);--> statement-breakpoint
CREATE TABLE `unread_marks` (
	`form` integer NOT NULL,
	`user_id` text NOT NULL,
	`unread_from` text NOT NULL,
	`opened_count` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`form`, `user_id`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "unread_marks_count" CHECK("unread_marks"."opened_count" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`password_hash` text NOT NULL,
	`form_count` integer DEFAULT 0 NOT NULL,
	`disabled_at` integer,
	`may_own_forms` integer DEFAULT true NOT NULL,
	`has_password` integer DEFAULT true NOT NULL,
	`password_until` integer DEFAULT 0 NOT NULL,
	`is_proved` integer DEFAULT true NOT NULL,
	`invited_by` text,
	`is_operator` integer DEFAULT false NOT NULL,
	`was_proved` integer DEFAULT false NOT NULL,
	CONSTRAINT "users_count" CHECK("users"."form_count" >= 0),
	CONSTRAINT "users_invited" CHECK("users"."is_proved" = 0 or "users"."invited_by" is null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `withdrawals` (
	`form` integer NOT NULL,
	`person` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`form`, `person`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
