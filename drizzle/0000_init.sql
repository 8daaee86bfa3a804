CREATE TABLE `forms` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`user_id` text,
	`title` text NOT NULL,
	`description` text,
	`return_url` text,
	`field_names` text DEFAULT '[]' NOT NULL,
	`submission_count` integer DEFAULT 0 NOT NULL,
	`updated_at` integer,
	`deleted_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `forms_id_unique` ON `forms` (`id`);--> statement-breakpoint
CREATE INDEX `forms_of_user` ON `forms` (`user_id`,`id`) WHERE "forms"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX `forms_being_removed` ON `forms` (`deleted_at`) WHERE "forms"."deleted_at" is not null;--> statement-breakpoint
CREATE TABLE `keys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`start` text NOT NULL,
	`is_read_only` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `keys_hash_unique` ON `keys` (`hash`);--> statement-breakpoint
CREATE INDEX `keys_of_user` ON `keys` (`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `sessions_of_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE TABLE `submissions` (
	`form` integer NOT NULL,
	`id` text NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`form`, `id`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tallies` (
	`form` integer NOT NULL,
	`level` integer NOT NULL,
	`first_id` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`form`, `level`, `first_id`),
	FOREIGN KEY (`form`) REFERENCES `forms`(`number`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`password_hash` text NOT NULL,
	`form_count` integer DEFAULT 0 NOT NULL,
	`disabled_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);