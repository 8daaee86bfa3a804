export const secondMilliseconds = 1000
export const minuteMilliseconds = 60 * secondMilliseconds
export const hourMilliseconds = 60 * minuteMilliseconds
/** A day in UTC, which has no leap seconds. */
export const dayMilliseconds = 24 * hourMilliseconds
