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
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `imports_id_unique` ON `imports` (`id`);--> statement-breakpoint
CREATE INDEX `imports_of_form` ON `imports` (`form`,`id`);--> statement-breakpoint
CREATE INDEX `imports_by_end` ON `imports` (`finished_at`,`id`);--> statement-breakpoint
CREATE INDEX `imports_with_rest` ON `imports` (`id`) WHERE has_rest;