// biome-ignore-all lint/suspicious/noExplicitAny: a JSON document

import type { TSchema } from '@sinclair/typebox'

type Json = any

/** In a reference: the schema that it refers to. */
const referred = Symbol('schema')

/** A schema of TypeBox as OpenAPI 3.0.3 has it: a reference if it has a name, and without TypeBox's own keys. */
export const toSchema = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(toSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  const { name, ...unnamed } = schema
  return name === undefined ? written(schema) : { $ref: `${components}${name}`, [referred]: unnamed }
}

const components = '#/components/schemas/'

/**
 * The schemas to which a document refers, by name.
 *
 * @throws Error if two of them have the same name
 */
export const schemasIn = (document: Json): Readonly<Record<string, Json>> => {
  const texts = new Map<string, string>()
  const schemas: [name: string, written: Json][] = []
  const lookIn = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return
    const schema = value[referred]
    if (!schema) {
      for (const part of Object.values(value)) lookIn(part)
      return
    }
    const name = value.$ref.slice(components.length)
    const text = JSON.stringify(schema)
    const known = texts.get(name)
    if (known === text) return
    if (known !== undefined) throw new Error(`Two schemas have the name ${name}`)
    texts.set(name, text)
    const found = written(schema)
    schemas.push([name, found])
    lookIn(found)
  }
  lookIn(document)
  return Object.fromEntries(schemas.toSorted())
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
  if (schema[referred]) return exampleOf(written(schema[referred]))
  if (schema.example !== undefined) return schema.example
  if (schema.type === 'array') return [exampleOf(schema.items)]
  return Object.fromEntries(
    Object.entries<Json>(schema.properties ?? {}).map(([name, property]) => [name, exampleOf(property)]),
  )
}
