import { AppError, forbidden, invalid, notFound, tooManyRequests, unavailable } from '../../errors.ts'
import { toBody } from '../../http/error-response.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
type Json = any

/** An example that matches the schema, put together from the examples of its parts. */
export const exampleOf = (schema: Json, schemas: Json): Json => {
  if (schema.$ref) return exampleOf(schemas[schema.$ref.split('/').at(-1)], schemas)
  if (schema.example !== undefined) return schema.example
  if (schema.type === 'array') return [exampleOf(schema.items, schemas)]
  return Object.fromEntries(
    Object.entries<Json>(schema.properties ?? {}).map(([name, property]) => [name, exampleOf(property, schemas)]),
  )
}

/** Bodies exactly as the service sends them with these statuses. */
export const errorExamples: Record<string, ReturnType<typeof toBody>> = {
  400: toBody(
    invalid({ field: 'title', message: 'must be 1 to 255 characters, not only white space', path: '/title' }),
  ),
  401: toBody(new AppError('unauthenticated', 'Invalid or expired API key')),
  403: toBody(forbidden()),
  404: toBody(notFound('Form')),
  429: toBody(tooManyRequests(27)),
  500: toBody(new AppError('internal', 'Internal server error')),
  503: toBody(unavailable(1)),
}
