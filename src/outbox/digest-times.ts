import { nextAt } from '../base/time-zone.ts'

/** When digests are sent, by the clocks in the time zone of their form. */
export const digestClock = '07:00'

interface Period {
  readonly isOn: (day: Temporal.PlainDate) => boolean
  /** What an owner chooses. */
  readonly choice: string
  /** In the list of those who are told. */
  readonly listed: string
  /** In the email itself, after “You get one email”. */
  readonly inMail: string
}

/** How often an address may get one email about all submissions of a form. `tables.ts` has the same names. */
export const digestPeriods = {
  day: {
    isOn: () => true,
    choice: `Once a day, at ${digestClock}`,
    listed: `Once a day at ${digestClock}`,
    inMail: `on each day with submissions, at ${digestClock}`,
  },
  week: {
    isOn: ({ dayOfWeek }) => dayOfWeek === 1,
    choice: `Once a week, on Monday at ${digestClock}`,
    listed: `Mondays at ${digestClock}`,
    inMail: `for each week with submissions, on Monday at ${digestClock}`,
  },
} as const satisfies Readonly<Record<string, Period>>

export type DigestPeriod = keyof typeof digestPeriods

export const digestPeriodNames = Object.keys(digestPeriods) as DigestPeriod[]

/** When digests are due that begin now, in Unix milliseconds. */
export type DigestTimes = { readonly [One in DigestPeriod]: number }

/** No command may call this: it asks for the clocks of a time zone. */
export const digestTimes = (zone: string, now: number): DigestTimes => ({
  day: nextAt(zone, digestClock, now, digestPeriods.day.isOn),
  week: nextAt(zone, digestClock, now, digestPeriods.week.isOn),
})
