CREATE TABLE `idempotency_keys` (
	`day` integer NOT NULL,
	`key_hash` text NOT NULL,
	`fingerprint` text NOT NULL,
	`at` integer NOT NULL,
	`result` text NOT NULL,
	PRIMARY KEY(`day`, `key_hash`)
) STRICT, WITHOUT ROWID;
