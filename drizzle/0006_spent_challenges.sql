CREATE TABLE `spent_challenges` (
	`expires_at` integer NOT NULL,
	`random` text NOT NULL,
	PRIMARY KEY(`expires_at`, `random`)
) STRICT, WITHOUT ROWID;
