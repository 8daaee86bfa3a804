import { expect } from 'bun:test'

/** What happened, without what to do about it. */
export const whatOf = (error: string | null): string => error?.split('. ')[0] ?? ''

/** Matches an error that says just this, whatever is to be done about it. */
export const saying = (what: string) => expect.stringMatching(new RegExp(`^${RegExp.escape(what)}(\\. |$)`))
