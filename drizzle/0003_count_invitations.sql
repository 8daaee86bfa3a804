ALTER TABLE `addresses` ADD `told_for` text;--> statement-breakpoint
CREATE INDEX `addresses_of_owner` ON `addresses` (`told_for`,`told_at`) WHERE "addresses"."told_for" is not null;