CREATE TABLE `notes` (
	`number` integer PRIMARY KEY NOT NULL,
	`form` integer NOT NULL,
	`submission` text NOT NULL,
	`id` text NOT NULL,
	`text` text NOT NULL,
	`user_id` text,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `notes_of_submission` ON `notes` (`form`,`submission`,`id`);--> statement-breakpoint
ALTER TABLE `staged_rows` ADD `notes` text;--> statement-breakpoint
-- What was the one note becomes the first entry. Its identifier is of the time at which it was written.
INSERT INTO `notes` (`form`, `submission`, `id`, `text`, `user_id`)
SELECT `form`, `submission`, substr(letters, (at >> 45 & 31) + 1, 1) || substr(letters, (at >> 40 & 31) + 1, 1) || substr(letters, (at >> 35 & 31) + 1, 1) || substr(letters, (at >> 30 & 31) + 1, 1) || substr(letters, (at >> 25 & 31) + 1, 1) || substr(letters, (at >> 20 & 31) + 1, 1) || substr(letters, (at >> 15 & 31) + 1, 1) || substr(letters, (at >> 10 & 31) + 1, 1) || substr(letters, (at >> 5 & 31) + 1, 1) || substr(letters, (at >> 0 & 31) + 1, 1) || '00' || substr(`submission`, 13), `note`, `user_id`
FROM `handling`, (SELECT '0123456789abcdefghjkmnpqrstvwxyz' AS letters)
WHERE `note` IS NOT NULL ORDER BY `form`, `submission`;--> statement-breakpoint
ALTER TABLE `handling` DROP COLUMN `note`;