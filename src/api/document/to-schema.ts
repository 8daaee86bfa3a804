// biome-ignore-all lint/suspicious/noExplicitAny: a JSON document

import type { TSchema } from '@sinclair/typebox'
import { namedSchemas } from './named-schemas.ts'

type Json = any

// Compared as text: what TypeBox makes optional is another object.
const names = new Map(Object.entries(namedSchemas).map(([name, schema]) => [JSON.stringify(schema), name]))

/** A schema of TypeBox as OpenAPI 3.0.3 has it: a reference if it has a name, and without TypeBox's own keys. */
export const toSchema = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(toSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  if (typeof schema.$ref === 'string') return referenceTo(schema.$ref)
  const name = names.get(JSON.stringify(schema))
  return name === undefined ? written(schema) : referenceTo(name)
}

const referenceTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

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

/** The schemas of the document by name. */
export const schemas: Readonly<Record<string, Json>> = mapValues(namedSchemas, written)

/** A body of JSON. @param example the one of the schema if it is absent */
export const toContent = (schema: TSchema, example?: Json): Json => {
  const made = toSchema(schema)
  return { 'application/json': { schema: made, example: example ?? exampleOf(made) } }
}

/** An example that matches the schema, put together from the examples of its parts. */
const exampleOf = (schema: Json): Json => {
  if (schema.$ref) return exampleOf(schemas[schema.$ref.split('/').at(-1)])
  if (schema.example !== undefined) return schema.example
  if (schema.type === 'array') return [exampleOf(schema.items)]
  return Object.fromEntries(
    Object.entries<Json>(schema.properties ?? {}).map(([name, property]) => [name, exampleOf(property)]),
  )
}
