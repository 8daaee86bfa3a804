ALTER TABLE `forms` ADD `settings` text;--> statement-breakpoint
ALTER TABLE `forms` ADD `unseen_from` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `forms` ADD `latest_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
-- What is there before the first page shows it is not new.
UPDATE `forms` SET
  `unseen_from` = coalesce((SELECT max(`submissions`.`id`) || '~' FROM `submissions` WHERE `form` = `number`), ''),
  `latest_id` = max(`id`, coalesce((SELECT max(`submissions`.`id`) FROM `submissions` WHERE `form` = `number`), ''));
