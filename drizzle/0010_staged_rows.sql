CREATE TABLE `staged_rows` (
	`number` integer PRIMARY KEY NOT NULL,
	`import_id` text NOT NULL,
	`id` text NOT NULL,
	`data` text NOT NULL,
	`is_long` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `staged_rows_of_import` ON `staged_rows` (`import_id`,`id`);