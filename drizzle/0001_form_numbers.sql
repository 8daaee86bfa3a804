CREATE TABLE `form_numbers` (
	`one` integer PRIMARY KEY NOT NULL,
	`last` integer NOT NULL
) STRICT;
