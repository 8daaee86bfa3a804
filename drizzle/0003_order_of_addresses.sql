DROP INDEX `addresses_of_form`;--> statement-breakpoint
CREATE INDEX `addresses_of_form` ON `form_addresses` (`form`,`position`) WHERE "form_addresses"."form" is not null;