ALTER TABLE `forms` ADD `done_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE forms SET done_count = (
  SELECT count(*) FROM handling
  WHERE handling.form = forms.number AND state = 'done' AND EXISTS (
    SELECT 1 FROM submissions
    WHERE submissions.form = handling.form AND list = 0 AND submissions.id = handling.submission));
