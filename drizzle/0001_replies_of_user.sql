ALTER TABLE `replies` ADD `user_id` text REFERENCES users(id) ON DELETE set null;--> statement-breakpoint
CREATE INDEX `replies_of_user` ON `replies` (`user_id`,`at`);