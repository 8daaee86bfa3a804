ALTER TABLE `deliveries` ADD `claimed_by` text;--> statement-breakpoint
CREATE INDEX `deliveries_claimed` ON `deliveries` (`claimed_by`) WHERE "deliveries"."claimed_by" is not null;