CREATE TABLE `form_addresses` (
	`address` text PRIMARY KEY NOT NULL,
	`form` integer,
	`position` integer NOT NULL,
	`last_day` integer,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `addresses_of_form` ON `form_addresses` (`form`) WHERE "form_addresses"."form" is not null;--> statement-breakpoint
CREATE INDEX `addresses_at_rest` ON `form_addresses` (`last_day`) WHERE "form_addresses"."last_day" is not null;