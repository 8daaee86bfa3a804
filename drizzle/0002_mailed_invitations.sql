CREATE TABLE `mailed_invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`person` text NOT NULL,
	`user_id` text NOT NULL,
	`owner_id` text,
	`at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `invitations_to_person` ON `mailed_invitations` (`person`,`at`);--> statement-breakpoint
CREATE INDEX `invitations_by_user` ON `mailed_invitations` (`user_id`,`at`);--> statement-breakpoint
CREATE INDEX `invitations_for_owner` ON `mailed_invitations` (`owner_id`,`at`);--> statement-breakpoint
CREATE INDEX `mailed_invitations_that_end` ON `mailed_invitations` (`at`,`id`);