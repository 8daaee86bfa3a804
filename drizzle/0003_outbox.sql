CREATE TABLE `deliveries` (
	`form` integer NOT NULL,
	`id` text NOT NULL,
	`receiver` integer NOT NULL,
	`kind` text NOT NULL,
	`submission` text,
	`last_submission` text,
	`count` integer,
	`subject` text,
	`state` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`log` text DEFAULT '[]' NOT NULL,
	`due_at` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`form`, `id`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`receiver`) REFERENCES `receivers`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`receiver`,`due_at`) WHERE "deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_failed` ON `deliveries` (`form`,`id`) WHERE "deliveries"."state" = 'failed';--> statement-breakpoint
CREATE TABLE `receivers` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`form` integer NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`host` text NOT NULL,
	`format` text,
	`description` text,
	`secret` text,
	`old_secret` text,
	`old_secret_until` integer,
	`is_enabled` integer DEFAULT true NOT NULL,
	`disabled_reason` text,
	`failing_since` integer,
	`removed_at` integer,
	`hour_start` integer DEFAULT 0 NOT NULL,
	`hour_count` integer DEFAULT 0 NOT NULL,
	`digest_id` text,
	`pending_count` integer DEFAULT 0 NOT NULL,
	`delivered_count` integer DEFAULT 0 NOT NULL,
	`failed_count` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `receivers_id_unique` ON `receivers` (`id`);--> statement-breakpoint
CREATE INDEX `receivers_of_form` ON `receivers` (`form`,`number`);--> statement-breakpoint
CREATE TABLE `secrets` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
) STRICT;
--> statement-breakpoint
ALTER TABLE `forms` ADD `receiver_count` integer DEFAULT 0 NOT NULL;