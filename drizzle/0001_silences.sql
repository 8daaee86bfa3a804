CREATE TABLE `silences` (
	`form` integer PRIMARY KEY NOT NULL,
	`came` integer NOT NULL,
	`came_at` integer NOT NULL,
	`tell_at` integer,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `silences_by_end` ON `silences` (`tell_at`,`form`) WHERE "silences"."tell_at" is not null;--> statement-breakpoint
CREATE INDEX `silences_by_start` ON `silences` (`came_at`,`form`) WHERE "silences"."tell_at" is not null;