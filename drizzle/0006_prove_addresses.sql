ALTER TABLE `members` ADD `invited_by` text;--> statement-breakpoint
ALTER TABLE `members` ADD `is_mailed` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `is_proved` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `invited_by` text;