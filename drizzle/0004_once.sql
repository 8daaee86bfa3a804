CREATE TABLE `onces` (
	`number` integer NOT NULL,
	`hash` text NOT NULL,
	`submission` text NOT NULL,
	`form` integer NOT NULL,
	PRIMARY KEY(`number`, `hash`, `submission`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `onces_of_submission` ON `onces` (`form`,`submission`);