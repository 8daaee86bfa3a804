import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AppError } from '../../../../src/base/errors.ts'
import { sha256 } from '../../../../src/base/hash.ts'
import { parseJson } from '../../../../src/base/json.ts'
import { scanJson } from '../../../../src/base/json-scan.ts'
import { parseMoment } from '../../../../src/base/moment.ts'
import { IncomingFiles } from '../../../../src/collect/incoming-files.ts'
import { MultipartFields, parseFields } from '../../../../src/collect/parse.ts'
import { rememberFieldNames } from '../../../../src/forms/field-names.ts'
import { Exchange } from '../../../../src/http/exchange.ts'
import { type Field, toData, toSentSubmission } from '../../../../src/submissions/fields.ts'
import { members } from '../../../../src/submissions/json-fields.ts'
import { takesAll } from '../../../submissions/takes-all.ts'
import { isLong, timeout } from '../../../torture/process.ts'

const numRuns = isLong ? 20_000 : 300

const exchange = (contentType: string): Exchange => {
  const request = new Request('http://localhost/s/x', { method: 'POST', headers: { 'content-type': contentType } })
  return new Exchange(request, null, {})
}

/** The fields of a body, or the error that refused it; anything else fails the property. */
const read = async (contentType: string, body: Uint8Array | string): Promise<readonly Field[] | AppError> => {
  try {
    const { request } = exchange(contentType)
    if (!/^multipart/i.test(contentType)) return parseFields(exchange(contentType), Buffer.from(body as string))
    const fields = new MultipartFields(request, new IncomingFiles(takesAll))
    await fields.take(Buffer.from(body as string))
    return fields.end()
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid' && error.issues.length > 0) return error
    throw error
  }
}

const valuesOf = (fields: readonly Field[]) => fields.map(({ name, json }) => [name, JSON.parse(json)])

/** Text without NUL and lone surrogates, which are refused. */
const text = fc.string({ unit: 'binary', maxLength: 30 }).map((value) => value.toWellFormed().replaceAll('\0', ''))
const pairs = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 10 })
const json = fc.jsonValue({ maxDepth: 6 }).filter((value) => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value)))

/** Bytes that look like what the reader expects, broken somewhere. */
const broken = (whole: fc.Arbitrary<string>) =>
  fc.tuple(whole, fc.nat(), fc.uint8Array({ maxLength: 4 }), fc.nat(4)).map(([valid, at, bytes, cut]) => {
    const buffer = Buffer.from(valid)
    const position = at % (buffer.length + 1)
    return new Uint8Array(Buffer.concat([buffer.subarray(0, position), bytes, buffer.subarray(position + cut)]))
  })

const urlencoded = pairs.map((entries) => new URLSearchParams(entries).toString())
const multipart = pairs.map(
  (entries) =>
    `${entries.map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${encodeURIComponent(name)}"\r\n\r\n${value}\r\n`).join('')}--b--\r\n`,
)
const jsonObject = fc.dictionary(text, json, { minKeys: 1 }).map((value) => JSON.stringify(value))

describe('parseFields', () => {
  test.each([
    ['application/x-www-form-urlencoded', fc.uint8Array({ maxLength: 200 }), broken(urlencoded)],
    ['multipart/form-data; boundary=b', fc.uint8Array({ maxLength: 200 }), broken(multipart)],
    ['application/json', fc.uint8Array({ maxLength: 200 }), broken(jsonObject)],
  ])(
    'makes fields of any bytes as %s, or refuses them',
    async (contentType, any, almost) => {
      const property = fc.asyncProperty(fc.oneof(any, almost), async (body) => {
        const fields = await read(contentType, body)
        if (fields instanceof AppError) return
        for (const { name, json: value } of fields) {
          expect(name.isWellFormed() && !name.includes('\0')).toBe(true)
          expect(() => JSON.parse(value)).not.toThrow()
        }
        if (fields.length === 0) return
        const sent = toSentSubmission(fields, '_gotcha')
        const { data, names } = toData(sent.fields)
        expect(Object.keys(JSON.parse(data)).toSorted()).toEqual([...names].toSorted())
        expect(names.length > 0 || sent.control.isTrapFilled).toBe(true)
      })
      await fc.assert(property, { numRuns })
    },
    timeout,
  )

  test(
    'takes any content type without another error than invalid',
    async () => {
      const property = fc.asyncProperty(fc.string(), fc.uint8Array(), async (contentType, body) => {
        const isHeader = /^[\t\x20-\x7e\x80-\xff]*$/.test(contentType)
        await read(isHeader ? contentType : '', body)
        await read(`multipart/form-data; ${isHeader ? contentType : ''}`, body)
      })
      await fc.assert(property, { numRuns })
    },
    timeout,
  )

  test(
    'gives back what URLSearchParams wrote, name by name',
    async () => {
      const property = fc.asyncProperty(pairs, async (entries) => {
        const fields = await read('application/x-www-form-urlencoded', new URLSearchParams(entries).toString())
        expect(valuesOf(fields as Field[])).toEqual(entries)
      })
      await fc.assert(property, { numRuns })
    },
    timeout,
  )

  test(
    'gives back what FormData wrote, name by name, files by their bytes',
    async () => {
      const file = fc.uint8Array({ maxLength: 100 })
      // A browser leaves out a field without a name, and so does the parser; which takes a backslash for an escape.
      const name = text.filter((value) => value !== '' && !value.includes('\\'))
      const entry = fc.tuple(name, fc.oneof(text, file))
      const property = fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 8 }), async (entries) => {
        const form = new FormData()
        for (const [name, value] of entries)
          if (typeof value === 'string') form.append(name, value)
          else form.append(name, new File([value as Uint8Array<ArrayBuffer>], 'a.bin', { type: 'application/x-test' }))
        const sent = new Request('http://localhost/', { method: 'POST', body: form })
        const contentType = sent.headers.get('content-type') ?? ''
        const fields = await read(contentType, new Uint8Array(await sent.arrayBuffer()))
        // Of a file it keeps the hash.
        const hashOf = ({ sameAs }: Field) => JSON.parse(sameAs ?? '{}').sha256
        // The HTML standard has line breaks in text become CRLF on the way, and in names, too.
        const lines = (value: string) => value.replaceAll(/\r\n|\r|\n/g, '\r\n')
        const got = (fields as Field[]).map((field) => [
          lines(field.name),
          hashOf(field) ?? lines(JSON.parse(field.json)),
        ])
        expect(got).toEqual(
          entries.map(([name, value]) => [
            lines(name),
            typeof value === 'string' ? lines(value) : sha256(value, 'hex'),
          ]),
        )
      })
      await fc.assert(property, { numRuns: numRuns / 10 })
    },
    timeout,
  )

  test(
    'gives back what JSON.stringify wrote, whatever the white space',
    async () => {
      const object = fc.dictionary(text, json, { minKeys: 1 })
      const property = fc.asyncProperty(object, fc.constantFrom('', ' ', '\t', '\n  '), async (value, space) => {
        const fields = await read('application/json', JSON.stringify(value, null, space))
        expect(JSON.parse(toDataUnlessControl(fields as Field[], value))).toEqual(JSON.parse(JSON.stringify(value)))
      })
      await fc.assert(property, { numRuns })
    },
    timeout,
  )
})

/** Control fields are never stored. */
const toDataUnlessControl = (fields: Field[], value: object): string =>
  controlFields.some((name) => Object.hasOwn(value, name)) ? JSON.stringify(value) : toData(fields).data
const controlFields = ['_gotcha', '_next', '_subject', '_idempotency']

test.each([
  ['a quotation mark', 'nick%22name', 'nick"name'],
  ['a line break', 'a%0D%0Ab', 'a\r\nb'],
  ['a percent sign that was typed', '100%25', '100%25'],
])('a name in multipart/form-data with %s reads as in the page', async (_what, sent, name) => {
  const body = `--b\r\nContent-Disposition: form-data; name="${sent}"\r\n\r\nx\r\n--b--\r\n`
  expect(await read('multipart/form-data; boundary=b', body)).toEqual([{ name, json: '"x"' }])
})

describe('members', () => {
  test(
    'agrees with JSON.parse on every object',
    () => {
      const property = fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        fc.nat(3),
        (value, space) => {
          const source = JSON.stringify(value, null, space)
          const found = members(source, scanJson(source, Number.POSITIVE_INFINITY))
          expect(found.map(({ name }) => name).toSorted()).toEqual(Object.keys(JSON.parse(source)).toSorted())
          for (const { name, json: inner } of found) expect(JSON.parse(inner)).toEqual(JSON.parse(source)[name])
        },
      )
      fc.assert(property, { numRuns })
    },
    timeout,
  )
})

describe('parseJson', () => {
  test(
    'agrees with JSON.parse, or refuses as it does',
    () => {
      const property = fc.property(fc.oneof(fc.string(), fc.json(), jsonObject), (source) => {
        let expected: unknown
        try {
          expected = JSON.parse(source)
        } catch {
          expect(() => parseJson(source)).toThrow(AppError)
          return
        }
        expect(parseJson(source)).toEqual(expected)
      })
      fc.assert(property, { numRuns })
    },
    timeout,
  )
})

describe('parseMoment', () => {
  test(
    'takes every moment as Date writes it, and never throws',
    () => {
      const date = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
      fc.assert(
        fc.property(date, (moment) => {
          const time = moment.getTime()
          expect(parseMoment(moment.toISOString())).toEqual({ first: time, last: time, isDay: false })
        }),
        { numRuns },
      )
      fc.assert(
        fc.property(
          fc.oneof(fc.string(), fc.stringMatching(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?Z?)?$/)),
          (any) => {
            const moment = parseMoment(any)
            if (!moment) return
            // What is finer than a millisecond is kept as a fraction of one, which `Date` cannot tell.
            const whole = any.toUpperCase().replace(/(\.\d{3})\d+/, '$1')
            expect(Math.floor(moment.first)).toBe(Date.parse(whole))
            expect(moment.last - moment.first).toBe(moment.isDay ? 86_399_999 : 0)
          },
        ),
        { numRuns },
      )
    },
    timeout,
  )
})

describe('rememberFieldNames', () => {
  test(
    'keeps the order of the first appearance, each name once, 500 at most',
    () => {
      fc.assert(
        fc.property(
          fc.array(fc.array(fc.string({ unit: 'binary' }), { maxLength: 40 }), { maxLength: 20 }),
          (batches) => {
            const remembered = batches.reduce((known, names) => rememberFieldNames(known, names), '[]')
            const expected = [...new Set(batches.flat().filter((name) => name.length <= 255))].slice(0, 500)
            expect(JSON.parse(remembered)).toEqual(expected)
          },
        ),
        { numRuns },
      )
    },
    timeout,
  )
})
