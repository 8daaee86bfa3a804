// The fields of a form, as a visitor sees them.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import type { Locator } from 'playwright-core'
import { fieldProblems } from '../../../../src/submissions/check-fields.ts'
import { textField } from '../../../../src/submissions/fields.ts'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp, startSite } from '../../../browser/browser.ts'
import { addKey, newEmail, sharedServer } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

/** Ada at her browser without scripts, and a form of hers. */
const adasForm = async (options: object = {}) => {
  const server = await sharedServer()
  const tab = await openTab({ javaScriptEnabled: false, ...options })
  const ada = addKey(server, await signUp(tab, server), newEmail())
  return { server, tab, page: tab.page, ada, formId: await ada.createForm({ title: 'Contact' }) }
}

/** A form on another site, as an owner may write it: without any check of its own. */
const strangersPage = (address: string) => `<!doctype html><meta charset="utf-8"><title>Shop</title>
<form action="${address}" method="post" enctype="multipart/form-data" novalidate>
<input name="name"><input name="email"><input name="day"><textarea name="message"></textarea>
<input type="radio" name="size" value="S" id="S"><input type="radio" name="size" value="" id="other"><input name="size" id="own">
<input type="checkbox" name="tags" value="a" id="a"><input type="checkbox" name="tags" value="b" id="b">
<input type="file" name="cv"><input type="file" name="unasked">
<input type="hidden" name="campaign" value='"spring" &amp; <b>'><input type="hidden" name="_next" value="https://evil.example/done">
<input name="_gotcha" hidden><button>Go</button></form>`

const strangersFields = [
  { name: 'name', label: 'Your <name>', required: true, help: 'As in https://example.com/names, for <b>us</b>.' },
  { name: 'email', type: 'email', required: true },
  { name: 'day', type: 'date' },
  { name: 'message', type: 'lines', minLength: 5 },
  { name: 'size', type: 'choice', options: ['S', 'M'], other: true },
  { name: 'tags', type: 'choices', options: ['a', 'b', 'c'], min: 2 },
  { name: 'agree', type: 'checkbox', label: 'I agree', required: true },
  { name: 'cv', type: 'file', fileTypes: ['.pdf'] },
]

describe.skipIf(!hasChromium)('a form that is sent with mistakes', () => {
  test.each([false, true])(
    'comes back with all that was typed, and is stored once it is right; scripts: %s',
    async (javaScriptEnabled) => {
      const { server, page, tab, ada, formId } = await adasForm({ javaScriptEnabled })
      const address = `${server.url}/s/${formId}`
      const port = startSite(() => strangersPage(address))
      const other = `http://127.0.0.1:${port}`
      const settings = { fields: strangersFields, allowedOrigins: [other] }
      expect((await ada.call('PATCH', `/forms/${formId}/settings`, settings)).status).toBe(200)
      expect(
        (await ada.call('PATCH', `/forms/${formId}`, { title: 'Shop', returnUrl: `${other}/thanks` })).status,
      ).toBe(200)

      await page.goto(other)
      await page.locator('[name=name]').fill(' ')
      await page.locator('[name=email]').fill('ada@')
      await page.locator('[name=day]').fill('31.12.2026')
      await page.locator('[name=message]').fill('\nHi')
      await page.locator('#S').check()
      await page.locator('#own').fill('XXL <b>')
      await page.locator('#b').check()
      await page
        .locator('[name=cv]')
        .setInputFiles({ name: 'cv.pdf', mimeType: 'application/pdf', buffer: Buffer.from('MZ\0\0') })
      await page
        .locator('[name=unasked]')
        .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
      await page.getByRole('button', { name: 'Go' }).click()

      expect(await page.title()).toBe('Error: Shop')
      const alert = page.getByRole('alert')
      await page.locator('[role="alert"]:focus').waitFor()
      const problems = [
        'Your <name>: Fill this in.',
        'email: Enter an email address, such as ada@example.com.',
        'day: Enter a date in this form: 2026-12-31.',
        'message: Enter at least 5 characters.',
        'size: Give only one answer.',
        'tags: Choose at least 2 of the options.',
        'I agree: Tick this box.',
        'cv: This field takes only PDFs, and “cv.pdf” is a program.',
      ]
      expect((await alert.getByRole('link').allTextContents()).map((text) => text.trim())).toEqual(problems)
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/again.png`, fullPage: true })
      const email = page.getByLabel('email')
      await alert.getByRole('link', { name: 'email' }).click()
      expect(await email.evaluate((one) => one === document.activeElement)).toBe(true)
      expect([await email.inputValue(), await email.getAttribute('aria-invalid')]).toEqual(['ada@', 'true'])
      const description = await email.getAttribute('aria-describedby')
      expect(await page.locator(`#${description}`).textContent()).toContain('Enter an email address')
      expect(await page.getByLabel('day').inputValue()).toBe('31.12.2026')
      expect(await page.getByLabel('message').inputValue()).toBe('\nHi')
      expect(await page.getByLabel('S', { exact: true }).isChecked()).toBe(true)
      expect(await page.getByLabel('Another answer').inputValue()).toBe('XXL <b>')
      expect(await page.getByLabel('b', { exact: true }).isChecked()).toBe(true)
      await page.getByText('Choose “a.txt” again.').waitFor()
      // The form would not take it.
      expect(await page.getByText('Choose “cv.pdf” again.').count()).toBe(0)

      // The browser's own checks are on.
      await page.getByRole('button', { name: 'Send' }).click()
      expect(await page.title()).toBe('Error: Shop')
      await page.getByLabel('Your <name>').fill('Ada')
      await email.fill('ada@example.com')
      await page.getByLabel('day').fill('2026-12-31')
      await page.getByLabel('message').fill('\nHello')
      await page.getByLabel('Other', { exact: true }).check()
      await page.getByLabel('c', { exact: true }).check()
      await page.getByLabel('I agree').check()
      await page
        .getByLabel('cv')
        .setInputFiles({ name: 'cv.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') })
      await page
        .getByLabel('Choose a file')
        .setInputFiles({ name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.from('y') })
      await page.getByRole('button', { name: 'Send' }).click()
      await page.waitForURL(`${other}/thanks`)
      expect(tab.complaints).toEqual([])
      const { submissions } = (await ada.call('GET', `/forms/${formId}/submissions`)).body
      expect(submissions.map(({ data }: { data: object }) => data)).toEqual([
        {
          campaign: '"spring" & <b>',
          name: 'Ada',
          email: 'ada@example.com',
          day: '2026-12-31',
          message: '\r\nHello',
          size: ['', 'XXL <b>'],
          tags: ['b', 'c'],
          agree: 'I agree',
          cv: expect.objectContaining({ filename: 'cv.pdf', size: 8 }),
          unasked: expect.objectContaining({ filename: 'b.txt' }),
        },
      ])
    },
  )
})

/** Texts that markup, the way of sending, and comparing could change. */
const oddText = fc
  .array(fc.constantFrom('<b>', '"', '&amp;', ' ', '\t', '\u00a0', '\u202e', 'e\u0301', '😀', '[]', '\\', '%00', 'a'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => `${parts.join('')}x`)
const oddTexts = fc.uniqueArray(oddText, { minLength: 9, maxLength: 9, selector: (text) => text.trim() })

interface Filled {
  readonly field: object
  readonly wrong: string
  /** What is then done with its input. */
  readonly fill: (input: Locator) => Promise<unknown>
  readonly stored: unknown
}

const typing = (field: object, wrong: string, text: string, stored: unknown = text): Filled => ({
  field,
  wrong,
  fill: (input) => input.fill(text),
  stored,
})

const filled = (options: readonly string[]): readonly Filled[] => {
  const [first = '', last = ''] = [options[0], options.at(-1)]
  const choosing = { wrong: 'none of them', fill: (input: Locator) => input.check() }
  const pdf = { name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') }
  return [
    typing({ type: 'text', label: first, maxLength: 5 }, 'too long', [...first].slice(-2).join('')),
    typing({ type: 'lines', minLength: 2, required: true }, '\n', '\nab\n', '\r\nab\r\n'),
    typing({ type: 'email' }, 'ada@', "o'neil@example.com"),
    typing({ type: 'number', min: 2 }, '1.000,5', '1 000,50'),
    typing({ type: 'date' }, '31.12.2026', '2028-02-29'),
    { field: { type: 'choice', options: options.slice(0, 3) }, ...choosing, stored: first },
    { field: { type: 'choices', options: options.slice(0, 3) }, ...choosing, stored: [first] },
    {
      field: { type: 'choice', options },
      wrong: 'none of them',
      fill: (input) => input.selectOption({ index: options.length }),
      stored: last,
    },
    { field: { type: 'checkbox', label: first, required: true }, ...choosing, wrong: ' ', stored: first },
    {
      field: { type: 'file', fileTypes: ['.pdf'] },
      wrong: 'a.pdf',
      fill: (input) => input.setInputFiles(pdf),
      stored: expect.objectContaining({ filename: 'a.pdf' }),
    },
  ]
}

describe.skipIf(!hasChromium)('any list of fields', () => {
  test('comes back with all that is wrong, and stores what is then typed', async () => {
    const { server, page, ada, formId } = await adasForm()
    let html = ''
    const port = startSite(() => html)
    await fc.assert(
      fc.asyncProperty(oddTexts, oddTexts, async (options, more) => {
        const names = ['__proto__', ...more]
        const all = filled(options)
        const fields = all.map(({ field }, position) => ({ name: names[position], ...field }))
        expect((await ada.call('PATCH', `/forms/${formId}/settings`, { fields })).status).toBe(200)
        const inputs = all.map(
          ({ wrong }, position) =>
            `<textarea name="${Bun.escapeHTML(names[position] as string)}">\n${Bun.escapeHTML(wrong)}</textarea>`,
        )
        html = `<meta charset="utf-8"><form action="${server.url}/s/${formId}" method="post">${inputs.join('')}<button>Go</button></form>`
        await page.goto(`http://127.0.0.1:${port}`)
        await page.getByRole('button', { name: 'Go' }).click()
        const links = page.getByRole('alert').getByRole('link')
        expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual(
          all.map((_, position) => `#field-${position}`),
        )
        for (const [position, { fill }] of all.entries()) await fill(page.locator(`#field-${position}`))
        await page.getByRole('button', { name: 'Send' }).click()
        await page.getByText('Thank you').waitFor()
        const [{ data }] = (await ada.call('GET', `/forms/${formId}/submissions`)).body.submissions
        const stored = all.map(({ stored }, position) => [names[position] as string, stored] as const)
        expect(new Map(Object.entries(data))).toEqual(new Map(stored) as never)
      }),
      { numRuns: 3, endOnFailure: true },
    )
  })
})

describe.skipIf(!hasChromium)('what a browser takes in an input', () => {
  test('the form takes, too: email and web addresses, and days', async () => {
    const tab = await openTab()
    const { page } = tab
    await page.setContent(
      '<input id="email" type="email" maxlength="254" required><input id="date" type="date" max="9999-12-31" required><input id="url" type="url" required>',
    )
    const word = (characters: readonly string[], maxLength: number) =>
      fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength })
    const name = word([..."abcXYZ019.-+'_!/#=?^`{|}~"], 12)
    const label = fc.oneof(word([...'abcXYZ019'], 5), word([...'abc019-äéßяİ例', '\u200b', '\u00ad'], 6))
    const address = fc
      .tuple(name, fc.array(label, { minLength: 1, maxLength: 3 }))
      .map(([before, labels]) => `${before}@${labels.join('.')}`)
    const odd = word([...'abc.@ ",ä<>'], 12)
    const typed = fc.sample(fc.oneof({ weight: 9, arbitrary: address }, { weight: 1, arbitrary: odd }), 3000)
    const days = fc
      .sample(fc.tuple(fc.nat(10_200), fc.nat(14), fc.nat(33)), 1000)
      .map(([year, month, day]) =>
        [String(year).padStart(4, '0'), ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-'),
      )
    const rest = word([...'abAB019/?#&=%.:;,+~[]!$()*|^`{}äß例 "<>'], 15)
    const sites = fc.sample(
      fc
        .tuple(fc.constantFrom('http', 'https', 'HTTPS'), fc.array(label, { minLength: 2, maxLength: 4 }), rest)
        .chain(([scheme, labels, end]) =>
          fc
            .constantFrom('', ':8080', '/', '/a b', `/${end}`, `?${end}`, `#${end}`)
            .map((path) => `${scheme}://${labels.join('.')}${path}`),
        ),
      2000,
    )
    const taken = await page.evaluate(
      ([addresses, dates, urls]) => {
        const valid = (id: string, values: readonly string[]) => {
          const input = document.getElementById(id) as HTMLInputElement
          return values.flatMap((value) => {
            input.value = value
            return input.checkValidity() ? [input.value] : []
          })
        }
        return {
          email: valid('email', addresses as string[]),
          date: valid('date', dates as string[]),
          url: valid('url', urls as string[]),
        }
      },
      [typed, days, sites],
    )
    expect(Math.min(taken.email.length, taken.date.length, taken.url.length)).toBeGreaterThan(200)
    for (const type of ['email', 'date', 'url'] as const) {
      const refused = taken[type].filter(
        (value) =>
          fieldProblems([textField('x', value)], { fields: [{ name: 'x', type }], otherFields: 'keep' }).length > 0,
      )
      expect(refused).toEqual([])
    }
  })
})
