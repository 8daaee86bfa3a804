import type { english } from './english.ts'

/** The texts of a language. */
export type Texts = typeof english

type Reasons = Texts['reasons']
export type ReasonName = keyof Reasons

/** Why a visitor gets an error: the name of a text, and its arguments. */
export type Reason = { [Name in ReasonName]: readonly [Name, ...Parameters<Reasons[Name]>] }[ReasonName]

/** Kinds of files by their first bytes. */
export type FoundKind = Parameters<Reasons['wrongKind']>[2]
