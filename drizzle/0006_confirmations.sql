CREATE TABLE `confirm_days` (
	`form` integer NOT NULL,
	`day` integer NOT NULL,
	`mailed` integer DEFAULT 0 NOT NULL,
	`confirmed` integer DEFAULT 0 NOT NULL,
	`withdrawn` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`form`, `day`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "confirm_days_counts" CHECK("confirm_days"."mailed" >= 0 and "confirm_days"."confirmed" >= 0 and "confirm_days"."withdrawn" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `confirmations` (
	`form` integer NOT NULL,
	`submission` text NOT NULL,
	`address` text NOT NULL,
	`person` text NOT NULL,
	`browser` text NOT NULL,
	`ends_at` integer NOT NULL,
	`language` text,
	`subject` text,
	`mail` text NOT NULL,
	`consent` text NOT NULL,
	`mailed_at` integer,
	`confirmed_at` integer,
	`accepted_at` integer,
	`accepted_by` text,
	PRIMARY KEY(`form`, `submission`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "confirmations_accepted" CHECK(("confirmations"."accepted_at" is null) = ("confirmations"."accepted_by" is null)),
	CONSTRAINT "confirmations_once" CHECK("confirmations"."confirmed_at" is null or "confirmations"."accepted_at" is null)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `confirmations_held` ON `confirmations` (`form`,`address`,`submission`) WHERE "confirmations"."confirmed_at" is null and "confirmations"."accepted_at" is null;--> statement-breakpoint
CREATE INDEX `confirmations_by_end` ON `confirmations` (`ends_at`,`form`,`submission`) WHERE "confirmations"."confirmed_at" is null and "confirmations"."accepted_at" is null;--> statement-breakpoint
CREATE TABLE `consent_texts` (
	`form` integer NOT NULL,
	`hash` text NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`form`, `hash`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `withdrawals` (
	`form` integer NOT NULL,
	`person` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`form`, `person`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `forms` ADD `unconfirmed_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `replies` ADD `is_confirmed` integer DEFAULT false NOT NULL;