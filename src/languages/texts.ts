import type { english } from './english.ts'

/** The texts of a language. */
export type Texts = typeof english

type Reasons = Texts['reasons']
export type ReasonName = keyof Reasons

type Given = { readonly [Name in ReasonName]: readonly [Name, ...Parameters<Reasons[Name]>] }[ReasonName]

/** Why a visitor gets an error: the name of a text, and its arguments. */
export type Reason = Given & { readonly isReason: true }

/** A reason for an error, which itself knows no texts. */
export const because = (...given: Given): Reason => given as Reason

/** Kinds of files by their first bytes. */
export type FoundKind = Parameters<Reasons['wrongKind']>[2]
