// biome-ignore-all lint/suspicious/noExplicitAny: a JSON document

import type { TSchema } from '@sinclair/typebox'

type Json = any

/** The schemas of the document by name, as they are met in it. */
const schemas = new Map<string, { readonly schema: string; readonly written: Json }>()

/** The schemas of all that was written, by name. */
export const writtenSchemas = (): Readonly<Record<string, Json>> =>
  Object.fromEntries([...schemas].toSorted().map(([name, { written }]) => [name, written]))

/**
 * A schema of TypeBox as OpenAPI 3.0.3 has it: a reference if it has a name, and without TypeBox's own keys.
 *
 * @throws Error if another schema has the same name
 */
export const toSchema = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(toSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  const { name, ...unnamed } = schema
  if (name === undefined) return written(schema)
  const text = JSON.stringify(unnamed)
  const known = schemas.get(name)
  if (known && known.schema !== text) throw new Error(`Two schemas have the name ${name}`)
  if (!known) schemas.set(name, { schema: text, written: written(unnamed) })
  return { $ref: `#/components/schemas/${name}` }
}

const written = ({
  error: _,
  const: only,
  additionalProperties,
  example,
  preset,
  properties,
  documented,
  ...rest
}: Json) => ({
  ...mapValues(rest, toSchema),
  // Many clients take 32 bits otherwise.
  ...(rest.type === 'integer' && { format: rest.format ?? integerFormat(rest) }),
  ...toSchema(documented),
  ...(properties && { properties: mapValues(properties, toSchema) }),
  ...(additionalProperties && { additionalProperties: toSchema(additionalProperties) }),
  ...(only !== undefined && { enum: [only] }),
  ...(preset !== undefined && { default: preset }),
  ...(example !== undefined && { example }),
})

const integerFormat = ({ maximum }: Json): string => (maximum < 2 ** 31 ? 'int32' : 'int64')

const mapValues = (object: Json, map: (value: Json) => Json): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))

/** A body of JSON. @param example the one of the schema if it is absent */
export const toContent = (schema: TSchema, example?: Json): Json => {
  const made = toSchema(schema)
  return { 'application/json': { schema: made, example: example ?? exampleOf(made) } }
}

/** An example that matches the schema, put together from the examples of its parts. */
const exampleOf = (schema: Json): Json => {
  if (schema.$ref) return exampleOf(schemas.get(schema.$ref.split('/').at(-1))?.written)
  if (schema.example !== undefined) return schema.example
  if (schema.type === 'array') return [exampleOf(schema.items)]
  return Object.fromEntries(
    Object.entries<Json>(schema.properties ?? {}).map(([name, property]) => [name, exampleOf(property)]),
  )
}
