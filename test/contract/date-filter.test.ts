import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { submissionWrites } from '../../src/submissions/submission-writes.ts'
import { writeTo } from '../harness.ts'
import { world } from '../world.ts'

// When the submissions of the tests below arrived, by name.
const times = {
  a: '2026-02-28T23:59:59.999Z',
  b: '2026-03-01T00:00:00.000Z',
  c: '2026-03-01T12:30:00.500Z',
  d: '2026-03-01T23:59:59.999Z',
  e: '2026-03-02T00:00:00.000Z',
  f: '2028-02-29T12:00:00.000Z',
}

const startWithHistory = async () => {
  const { server, ada, formId } = await world()
  writeTo(server.folder, (db) => {
    const submissions = Object.entries(times).map(([name, time]) => ({
      formId,
      id: newId(Date.parse(time)),
      data: JSON.stringify({ name }),
      fieldNames: ['name'],
    }))
    submissionWrites(db).createSubmission.runAll(submissions)
  })
  /** The names of the submissions that the filter lets through, oldest first, after a look at the metadata. */
  const filtered = async (query: string) => {
    const { status, body } = await ada.call('GET', `/forms/${formId}/submissions?${query}`)
    if (status !== 200) return { status, issues: body.issues.map((issue: { message: string }) => issue.message) }
    const names = body.submissions.map((submission: { data: { name: string } }) => submission.data.name)
    expect(body.pagination).toEqual({ page: 1, perPage: 20, total: names.length, totalPages: names.length > 0 ? 1 : 0 })
    return names.toReversed().join('')
  }
  return { ada, formId, filtered }
}

describe('decision 20: date filter', () => {
  const ranges: [query: string, expected: string][] = [
    ['', 'abcdef'],
    // A date is the whole day in UTC.
    ['startDate=2026-03-01', 'bcdef'],
    ['endDate=2026-03-01', 'abcd'],
    ['startDate=2026-03-01&endDate=2026-03-01', 'bcd'],
    ['startDate=2026-03-02&endDate=2026-03-02', 'e'],
    ['startDate=2026-02-28&endDate=2026-02-28', 'a'],
    ['startDate=2028-02-29&endDate=2028-02-29', 'f'],
    ['startDate=2026-03-03&endDate=2028-02-28', ''],
    // Both bounds are inclusive, to the millisecond.
    ['startDate=2026-03-01T00:00:00.000Z', 'bcdef'],
    ['startDate=2026-03-01T00:00:00.001Z', 'cdef'],
    ['endDate=2026-03-01T00:00:00.000Z', 'ab'],
    ['endDate=2026-02-28T23:59:59.998Z', ''],
    ['startDate=2026-03-01T12:30:00.500Z&endDate=2026-03-01T12:30:00.500Z', 'c'],
    ['startDate=2026-03-01T12:30:00Z&endDate=2026-03-01T12:30:01Z', 'c'],
    ['startDate=2026-03-01T12:30:00.501Z&endDate=2026-03-01T23:59:59.998Z', ''],
    // One bound may be a date and the other a date-time.
    ['startDate=2026-03-01T12:30:00.500Z&endDate=2026-03-01', 'cd'],
    ['startDate=2026-03-01&endDate=2026-03-01T23:59:59.999Z', 'bcd'],
    // Offsets, both cases of letters, no seconds.
    ['startDate=2026-03-01T01:00:00%2B01:00&endDate=2026-03-01T01:00:00%2B01:00', 'b'],
    ['startDate=2026-02-28T19:00:00-05:00&endDate=2026-02-28T19:00:00-05:00', 'b'],
    ['startDate=2026-03-01T05:45:00%2B05:45', 'bcdef'],
    ['startDate=2026-03-01T00:00:00-00:00', 'bcdef'],
    ['startDate=2026-03-01t00:00:00z', 'bcdef'],
    ['startDate=2026-03-02T00:00Z', 'ef'],
    // Fractions of any usual length; what is finer than a millisecond is not lost.
    ['startDate=2026-03-01T12:30:00.5Z', 'cdef'],
    ['startDate=2026-03-01T12:30:00.500000Z', 'cdef'],
    ['startDate=2026-03-01T12:30:00.500001Z', 'def'],
    ['endDate=2026-03-01T12:30:00.499999999Z', 'ab'],
    ['endDate=2026-03-01T12:30:00.500000001Z', 'abc'],
    // As far as the calendar goes.
    ['startDate=0001-01-01&endDate=9999-12-31', 'abcdef'],
    ['startDate=0000-01-01T00:00:00%2B23:59', 'abcdef'],
    ['endDate=1969-12-31', ''],
    ['startDate=9999-12-31T23:59:59.999-23:59', ''],
  ]
  test('lets through what lies between the bounds, and total counts that', async () => {
    const { filtered } = await startWithHistory()
    const seen: typeof ranges = []
    for (const [query] of ranges) seen.push([query, (await filtered(query)) as string])
    expect(seen).toEqual(ranges)
  })

  const wrong = [
    '',
    'today',
    '2026',
    '2026-03',
    '2026-3-1',
    '20260301',
    '01.03.2026',
    '2026-02-29',
    '2026-02-30',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-03-00',
    '-000001-01-01',
    '%2B012026-01-01',
    '1772323200',
    '1772323200000',
    '2026-03-01T00:00:00',
    '2026-03-01T00:00:00.000',
    '2026-03-01%2000:00:00Z',
    '2026-03-01T00:00:00+01:00', // a plus sign in a query is a space
    '2026-03-01T24:00:00Z',
    '2026-03-01T23:60:00Z',
    '2026-03-01T23:59:61Z',
    '2026-03-01T00:00:00.Z',
    '2026-03-01T00:00:00,5Z',
    '2026-03-01T00Z',
    '2026-03-01T00:00:00%2B01',
    '2026-03-01T00:00:00%2B0100',
    '2026-03-01T00:00:00%2B24:00',
    '2026-03-01T00:00:00%2B01:60',
    '2026-02-30T00:00:00Z',
    '2026-03-01T00:00:00ZZ',
    '2026-03-01%0A',
    '%202026-03-01',
    '2026-03-01%00',
    '%EF%BC%92026-03-01',
    'null',
  ]
  test.each(['startDate', 'endDate'])('%s: anything but a date or a date-time with an offset is 400', async (name) => {
    const { filtered } = await startWithHistory()
    for (const value of wrong) {
      const message = expect.stringMatching(new RegExp(`^${name}: must be a date`))
      expect([value, await filtered(`${name}=${value}`)]).toEqual([value, { status: 400, issues: [message] }])
    }
  })

  test('both wrong are both named', async () => {
    const { filtered } = await startWithHistory()
    expect(await filtered('startDate=x&endDate=y')).toEqual({
      status: 400,
      issues: [expect.stringMatching(/^startDate: /), expect.stringMatching(/^endDate: /)],
    })
  })

  const crossed = [
    'startDate=2026-03-02&endDate=2026-03-01',
    'startDate=2026-03-01T00:00:00.001Z&endDate=2026-03-01T00:00:00Z',
    'startDate=2026-03-02T00:00:00Z&endDate=2026-03-01',
    'startDate=2026-03-01T00:00:00Z&endDate=2026-03-01T00:30:00%2B01:00',
  ]
  test('a start after the end is 400', async () => {
    const { filtered } = await startWithHistory()
    const refusal = { status: 400, issues: ['startDate: must not be after endDate'] }
    for (const query of crossed) expect([query, await filtered(query)]).toEqual([query, refusal])
  })

  // Rounding the start up and the end down to milliseconds makes them cross.
  test.each([
    'startDate=2026-03-01T12:30:00.5001Z&endDate=2026-03-01T12:30:00.5001Z',
    'startDate=2026-03-01T12:30:00.5001Z&endDate=2026-03-01T12:30:00.5009Z',
  ])('a range within one millisecond is empty, not a start after the end: %s', async (query) => {
    const { filtered } = await startWithHistory()
    expect(await filtered(query)).toBe('')
  })

  test('works together with pages', async () => {
    const { ada, formId } = await startWithHistory()
    const query = 'startDate=2026-03-01&endDate=2026-03-02&perPage=2'
    const pages = [1, 2, 3].map((page) => ada.call('GET', `/forms/${formId}/submissions?${query}&page=${page}`))
    const answers = (await Promise.all(pages)).map(({ body }) => [
      body.submissions.map((submission: { data: { name: string } }) => submission.data.name),
      body.pagination,
    ])
    const pagination = { perPage: 2, total: 4, totalPages: 2 }
    expect(answers).toEqual([
      [['e', 'd'], { page: 1, ...pagination }],
      [['c', 'b'], { page: 2, ...pagination }],
      [[], { page: 3, ...pagination }],
    ])
  })
})
