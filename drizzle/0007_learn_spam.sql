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
ALTER TABLE `forms` ADD `lesson_changes` integer DEFAULT 0 NOT NULL;