ALTER TABLE `forms` ADD `spam_form` integer;--> statement-breakpoint
CREATE INDEX `forms_with_spam` ON `forms` (`spam_form`) WHERE "forms"."spam_form" is not null;--> statement-breakpoint
ALTER TABLE `submissions` ADD `reason` text;--> statement-breakpoint
ALTER TABLE `submissions` ADD `marked_at` integer;