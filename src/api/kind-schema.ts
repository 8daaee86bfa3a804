import {
  type ObjectOptions,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
  Kind as TypeKind,
  TypeRegistry,
} from '@sinclair/typebox'
import type { TextRule } from '../base/text-rules.ts'
import { type Kind, orNull, type Problem } from '../forms/settings/kind.ts'
import { choice, text } from '../forms/settings/kinds.ts'

/** The words of the document for a value, besides those of its kind. */
interface Words {
  /** The name of the schema. Wherever it is part of another, there is a reference to it. */
  readonly name?: string
  readonly description?: string
  readonly example?: unknown
  /** The default. It is called so only in the document, because Elysia would look for it in each request. */
  readonly preset?: unknown
}

/** The members of a kind that a schema needs. */
type Described<Sent> = Pick<Kind<unknown, Sent>, 'problems' | 'schema'> & Partial<Pick<Kind<unknown, Sent>, 'fromText'>>

/**
 * The schema of a kind. The kind checks, and says what is wrong: all else is for the document. In it, `documented` may be in
 * any schema: its contents appear only there.
 */
export const schemaOf = <Sent>({ problems, schema }: Described<Sent>, words: Words = {}): TUnsafe<Sent> =>
  Type.Unsafe<Sent>({ ...schema, ...words, problems, [TypeKind]: 'OfKind' })

TypeRegistry.Set<{ problems: Kind<unknown>['problems'] }>(
  'OfKind',
  ({ problems }, value) => problems(value).length === 0,
)

/** An object whose schema has a name in the document. */
export const NamedObject = <P extends TProperties>(
  name: string,
  properties: P,
  words: ObjectOptions = {},
): TObject<P> => Type.Object(properties, { ...words, name })

/**
 * Text without NUL and lone surrogates. Its length is counted in Unicode characters, as in JSON Schema; TypeBox counts
 * UTF-16 units. If it must not be empty, it must not be only white space either.
 */
export const Text = ({ minLength = 0, maxLength, ...words }: TextRule & Words): TUnsafe<string> =>
  schemaOf(text(ruleOf(minLength, maxLength)), words)

export const NullableText = ({ minLength = 0, maxLength, ...words }: TextRule & Words): TUnsafe<string | null> =>
  schemaOf(orNull(text(ruleOf(minLength, maxLength))), words)

const ruleOf = (minLength: number, maxLength: number): TextRule =>
  minLength === 0 ? { maxLength } : { minLength, maxLength }

/** One of a few words. */
export const Choice = <const T extends string>({
  choices,
  ...words
}: { readonly choices: readonly T[] } & Words): TUnsafe<T> => schemaOf(choice(choices), words)

/** Finds the problems of a value that does not match; undefined if its schema has no kind. */
export const problemsWith = (schema: TSchema, value: unknown): readonly Problem[] | undefined =>
  schema[TypeKind] === 'OfKind' ? schema.problems(value) : undefined
