CREATE TABLE `abandoned_pieces` (
	`form` integer NOT NULL,
	`submission` text NOT NULL,
	PRIMARY KEY(`form`, `submission`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `long_field_names` (
	`form` integer PRIMARY KEY NOT NULL,
	`names` text NOT NULL,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `pieces` (
	`number` integer PRIMARY KEY NOT NULL,
	`form` integer NOT NULL,
	`submission` text NOT NULL,
	`position` integer NOT NULL,
	`bytes` blob NOT NULL,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pieces_of_submission` ON `pieces` (`form`,`submission`,`position`);--> statement-breakpoint
INSERT INTO `long_field_names` SELECT `number`, `field_names` FROM `forms` WHERE octet_length(`field_names`) > 4096;
--> statement-breakpoint
UPDATE `forms` SET `field_names` = '' WHERE octet_length(`field_names`) > 4096;
--> statement-breakpoint
-- CROSS JOIN keeps the order: each row is looked at once, however many pieces the longest has.
INSERT INTO `pieces` (`form`, `submission`, `position`, `bytes`)
WITH RECURSIVE `positions` (`position`) AS (VALUES (0) UNION ALL SELECT `position` + 1 FROM `positions` LIMIT 1024)
SELECT `form`, `id`, `position`, substr(CAST(`data` AS BLOB), `position` * 65536 + 1, 65536)
FROM `submissions` CROSS JOIN `positions`
WHERE octet_length(`data`) > 4096 AND `position` * 65536 <= octet_length(`data`);
--> statement-breakpoint
UPDATE `submissions` SET `data` = '' WHERE octet_length(`data`) > 4096;
