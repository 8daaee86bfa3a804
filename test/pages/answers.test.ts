import { describe, expect, test } from 'bun:test'
import { readPage } from '../read-page.ts'
import { submitAll } from '../stored-files.ts'
import { siteWorld } from '../world.ts'

const fields = [
  { name: 'slot', type: 'choice', label: 'When <b>?', options: ['Morning', 'No"on', 'Night'], other: true },
  { name: 'days', type: 'choices', options: ['Mon', 'Tue'] },
  { name: 'price', type: 'number' },
  { name: 'by', type: 'date' },
  { name: 'agree', type: 'checkbox' },
  { name: 'note', type: 'text', label: 'A note' },
]

describe('the answers of a form', () => {
  test('are shown in figures, by the type of each field, and lead to the submissions', async () => {
    const { ada, path, server, formId, change } = await siteWorld()
    expect((await change({ fields })).status).toBe(200)
    const at = Date.UTC(2026, 10, 3, 12)
    submitAll(
      server,
      formId,
      [
        { slot: 'Morning', days: ['Mon', 'Tue'], price: '1,5', by: '2026-11-03', agree: 'yes', note: 'Hello' },
        { slot: 'Morning', days: 'Mon', price: '12000', by: '2027-02-03' },
        { slot: 'No"on', price: 'many', note: '<script>' },
        { slot: 'Evening', price: '-0,5' },
      ],
      at,
    )
    const { status, html } = await ada.get(`${path}/answers`)
    expect(status).toBe(200)
    const page = readPage(html)
    expect(page.current).toContain('Answers')
    expect(page.headings).toEqual(expect.arrayContaining(['When <b>?', 'days', 'price', 'by', 'agree', 'Free text']))
    const text = dense(page.text)
    for (const part of [
      '4 submissions, 3 Nov 2026',
      'choice, 4 of 4 Morning 2 50% No"on 1 25% Night 0 0% Other 1 25%',
      'choices, 2 of 4 Mon 2 100% Tue 1 50% Several could be chosen',
      'number, 4 of 4 Least -0.5 Median 1.5 Most 12,000 Mean 4,000.33',
      'date, 2 of 4 Nov 2026 Feb 2027',
      'checkbox, 4 of 4 Yes 1 25% No 3 75%',
      'A note 2 50%',
    ])
      expect(text).toContain(dense(part))
    expect(html).toContain('2 dates from Nov 2026 to Feb 2027, most in Nov 2026: 1')
    const link = page.link('Morning') ?? ''
    expect((await ada.get(link.replaceAll('&amp;', '&'))).html).toContain('4 submissions searched')
    // What a search cannot look for is no link.
    expect(page.link('No"on')).toBeUndefined()
    expect(page.link('Night')).toBeUndefined()

    const saved = await ada.get(`${page.link('Download these figures as CSV')}`)
    expect(saved.headers.get('content-disposition')).toContain(' answers.csv"')
    expect(saved.headers.get('content-type')).toStartWith('text/csv')
    expect(saved.html.split('\r\n')).toEqual(
      expect.arrayContaining([
        'Field,Answer,Count',
        ',submissions,4',
        'When <b>?,"No""on",1',
        'When <b>?,(other),1',
        'price,mean,4000.3333333333335',
        'by,2027-02,1',
        'A note,answered,2',
      ]),
    )

    const found = await ada.get(`${path}/answers?q=hello`)
    const ofThese = readPage(found.html).link('Download these figures as CSV')?.replaceAll('&amp;', '&')
    expect((await ada.get(`${ofThese}`)).html).toContain(',submissions,1\r\n')
    expect((await ada.get(`${path}/answers.csv?startDate=x`)).status).toBe(400)
    expect(readPage(found.html).text).toContain('1 submission,')
    expect(readPage((await ada.get(`${path}/answers?endDate=2020-01-01`)).html).headings).toContain('Nothing to count')
    expect((await ada.get(`${path}/answers?startDate=x`)).status).toBe(400)
  })

  test('of a form without fields are those with few values, the most frequent first', async () => {
    const { ada, path, submit } = await siteWorld()
    for (const from of ['van', 'search', 'search']) await submit({ from, message: `${from} ${'x'.repeat(60)}` })
    const text = dense(readPage((await ada.get(`${path}/answers`)).html).text)
    expect(text).toContain(dense('few different answers, 3 of 3 search 2 67% van 1 33%'))
    expect(text).not.toContain('message')
  })
})

const dense = (text: string): string => text.replaceAll(/\s+/g, '')
