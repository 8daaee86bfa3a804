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
CREATE TABLE `log_position` (
	`one` integer PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`id` text NOT NULL
) STRICT;
