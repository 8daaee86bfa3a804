PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_deliveries` (
	`form` integer NOT NULL,
	`id` text NOT NULL,
	`receiver` integer NOT NULL,
	`kind` text NOT NULL,
	`submission` text,
	`last_submission` text,
	`count` integer,
	`subject` text,
	`state` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`log` text DEFAULT '[]' NOT NULL,
	`due_at` integer DEFAULT 0 NOT NULL,
	`claimed_by` text,
	PRIMARY KEY(`form`, `id`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_deliveries`("form", "id", "receiver", "kind", "submission", "last_submission", "count", "subject", "state", "attempts", "log", "due_at", "claimed_by") SELECT "form", "id", "receiver", "kind", "submission", "last_submission", "count", "subject", "state", "attempts", "log", "due_at", "claimed_by" FROM `deliveries`;--> statement-breakpoint
DROP TABLE `deliveries`;--> statement-breakpoint
ALTER TABLE `__new_deliveries` RENAME TO `deliveries`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`receiver`,`due_at`) WHERE "deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_claimed` ON `deliveries` (`claimed_by`) WHERE "deliveries"."claimed_by" is not null;--> statement-breakpoint
CREATE INDEX `deliveries_failed` ON `deliveries` (`form`,`id`) WHERE "deliveries"."state" = 'failed';--> statement-breakpoint
CREATE INDEX `deliveries_failed_to` ON `deliveries` (`receiver`,`id`) WHERE "deliveries"."state" = 'failed';--> statement-breakpoint
ALTER TABLE `receivers` ADD `old_secrets` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
CREATE INDEX `receivers_in_use` ON `receivers` (`form`,`number`) WHERE "receivers"."removed_at" is null;--> statement-breakpoint
CREATE INDEX `receivers_of_address` ON `receivers` (lower("target"),`form`) WHERE "receivers"."kind" = 'email';--> statement-breakpoint
ALTER TABLE `receivers` DROP COLUMN `old_secret`;--> statement-breakpoint
ALTER TABLE `receivers` DROP COLUMN `old_secret_until`;