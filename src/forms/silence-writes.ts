import { and, asc, eq, gt, isNotNull, lte, sql } from 'drizzle-orm'
import { dayMilliseconds } from '../base/durations.ts'
import { creationTime } from '../base/id.ts'
import { notifyWrites } from '../outbox/addresses.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { clockCheck } from '../storage/steady-clock.ts'
import { forms, given, givens, literal, param, params, silences } from '../storage/tables.ts'
import { type Form, liveForm } from './form.ts'
import { changesOpening, closingColumns, whyClosed } from './settings/opening.ts'
import { type FormSettings, parseSettings } from './settings/settings.ts'

/** With fewer submissions before, a form never was anything but quiet. */
const leastBefore = 5

type Watched = Pick<Form, 'number' | 'latestId' | 'submissionCount'>

/** Watches forms with `quietDays` for silence. A form without it has no row. */
export const silenceWrites = oncePerConnection((db: Db) => {
  const { begin, end, remind, restart, came } = statements(db)

  return {
    /**
     * Follows a change of a form's settings. If it changes when the form takes submissions, silence is counted anew.
     *
     * @param now Unix milliseconds
     */
    followSettings(form: Watched, before: FormSettings, after: FormSettings, now: number): void {
      const { number } = form
      const { quietDays } = after
      if (quietDays === null) {
        if (before.quietDays !== null) end.run({ form: number })
        return
      }
      const milliseconds = quietDays * dayMilliseconds
      if (before.quietDays === null) {
        const cameAt = form.submissionCount === 0 ? now : Math.min(now, creationTime(form.latestId))
        begin.run({ form: number, cameAt, tellAt: cameAt + milliseconds })
      } else if (changesOpening(before, after)) restart.run({ form: number, cameAt: now, milliseconds })
      else if (before.quietDays !== quietDays) remind.run({ form: number, milliseconds })
    },

    /** Notes that submissions came into the inbox, `at` a time or else when they were sent. Those of imports do not count. */
    noteArrival(
      { number: form, settings }: Pick<Form, 'number' | 'settings'>,
      arrived: readonly { readonly id: string; readonly at?: number | undefined }[],
    ): void {
      const { quietDays } = parseSettings(settings)
      if (quietDays === null) return
      const cameAt = Math.max(...arrived.map(({ id, at }) => at ?? creationTime(id)))
      came.run({ form, count: arrived.length, cameAt, tellAt: cameAt + quietDays * dayMilliseconds })
    },
  }
})

interface Looked {
  /** Deliveries that were added. */
  readonly told: number
  /** Whether there may be more forms to look at. */
  readonly isMoreLeft: boolean
}

/** Forms that one write looks at. Each takes some 50 µs. */
const maxForms = 100

export type SilenceCommands = ReturnType<typeof silenceCommands>

export const silenceCommands = (db: Db) => {
  const sureTime = clockCheck(db)
  const { tell, restart, due, ahead } = statements(db)
  const { tellOfSilence } = notifyWrites(db)

  const look = (form: ReturnType<typeof due.all>[number], at: number): number => {
    const { quietDays } = parseSettings(form.settings)
    if (quietDays === null) return 0
    const wasBusy = Math.max(form.came, form.submissionCount) >= leastBefore
    if (!wasBusy || whyClosed(form, at)) {
      restart.run({ form: form.number, cameAt: at, milliseconds: quietDays * dayMilliseconds })
      return 0
    }
    tell.run({ form: form.number })
    return tellOfSilence(form.number, quietDays, at)
  }

  return {
    /**
     * Tells the addresses of forms in which nothing has come for their `quietDays`: once, whoever asks and how often. In the
     * day after the clock was set it goes by the last time that was sure (see `clockCheck`). A form that was closed in the end,
     * or that had too few submissions before, begins to be quiet now.
     *
     * @param input.now Unix milliseconds
     */
    tellOfSilence({ now }: { readonly now: number }): Looked {
      const at = sureTime({ now })
      // What came by a clock that was ahead would keep a form from being told for as long as that.
      if (at === now)
        for (const { number, settings } of ahead.all({ later: now + dayMilliseconds, limit: maxForms }))
          restart.run({
            form: number,
            cameAt: now,
            milliseconds: (parseSettings(settings).quietDays ?? 0) * dayMilliseconds,
          })
      const found = due.all({ at, limit: maxForms })
      const told = found.reduce((sum, form) => sum + look(form, at), 0)
      return { told, isMoreLeft: found.length === maxForms }
    },
  }
}

const statements = (db: Db) => {
  const byForm = eq(silences.form, param('form'))
  // One that was told of is not told of again, whatever changes but a submission.
  const isWatched = and(byForm, isNotNull(silences.tellAt))
  const begin = db
    .insert(silences)
    .values({ ...params('form', 'cameAt', 'tellAt'), came: literal(0) })
    .prepare()
  const end = db.delete(silences).where(byForm).prepare()
  const remind = db
    .update(silences)
    .set({ tellAt: sql`${silences.cameAt} + ${param('milliseconds')}` })
    .where(isWatched)
    .prepare()
  const restart = db
    .update(silences)
    .set({ cameAt: given('cameAt'), tellAt: sql`${param('cameAt')} + ${param('milliseconds')}` })
    .where(isWatched)
    .prepare()
  const came = db
    .update(silences)
    .set({
      ...givens('cameAt', 'tellAt'),
      came: sql`min(${literal(leastBefore)}, ${silences.came} + ${param('count')})`,
    })
    .where(byForm)
    .prepare()
  const tell = db
    .update(silences)
    .set({ tellAt: literal(null) })
    .where(byForm)
    .prepare()
  const columns = { ...closingColumns, number: forms.number, came: silences.came }
  const due = db
    .select(columns)
    .from(silences)
    .innerJoin(forms, and(eq(forms.number, silences.form), liveForm))
    .where(lte(silences.tellAt, param('at')))
    .orderBy(asc(silences.tellAt), asc(silences.form))
    .limit(param('limit'))
    .prepare()
  const ahead = db
    .select(columns)
    .from(silences)
    .innerJoin(forms, and(eq(forms.number, silences.form), liveForm))
    .where(and(gt(silences.cameAt, param('later')), isNotNull(silences.tellAt)))
    .orderBy(asc(silences.cameAt), asc(silences.form))
    .limit(param('limit'))
    .prepare()
  return { begin, end, remind, restart, came, tell, due, ahead }
}
