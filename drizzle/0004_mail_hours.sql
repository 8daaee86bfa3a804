CREATE TABLE `mail_hours` (
	`person` text PRIMARY KEY NOT NULL,
	`starts_at` integer NOT NULL,
	`count` integer NOT NULL,
	`digest_count` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `mail_hours_that_end` ON `mail_hours` (`starts_at`,`person`);--> statement-breakpoint
ALTER TABLE `receivers` DROP COLUMN `hour_count`;