CREATE TABLE `seen_clock` (
	`id` integer PRIMARY KEY NOT NULL,
	`seen_at` integer NOT NULL,
	`held_until` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `forms_with_retention` ON `forms` (`number`) WHERE json_extract("forms"."settings", '$.retentionDays') is not null;