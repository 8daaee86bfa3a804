CREATE TABLE `claims` (
	`form` integer NOT NULL,
	`submission` text NOT NULL,
	`held` text NOT NULL,
	PRIMARY KEY(`form`, `submission`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
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
CREATE INDEX `limits_to_count` ON `limits` (`form`) WHERE "limits"."count_from" is not null;