// The tab “Form”: the fields of a form and its page, without a browser.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type FormField, fieldTypes } from '../../src/forms/fields/form-field.ts'
import { runsOf } from '../runs.ts'
import { siteWorld, type Wanted } from '../world.ts'
import { readForm } from './sent-form.ts'

type Changes = Readonly<Record<string, string | null>>

/** Ada's form, and what she does on its tab. Each button sends the whole page, with what she typed before. */
const formTab = async (wanted: Wanted = {}) => {
  const world = await siteWorld(wanted)
  const { ada, path } = world
  const at = `${path}/form`
  const open = async () => readForm((await ada.get(at)).html, 'fields')
  const changed = (sent: readonly [string, string][], typed: Changes): [string, string][] => [
    ...sent.filter(([name]) => !Object.hasOwn(typed, name)),
    ...Object.entries(typed).flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]])),
  ]
  const send = (sent: readonly [string, string][], typed: Changes = {}) => ada.post(at, changed(sent, typed))
  /** Presses a button of the page as it was last seen, and returns the page as it is then. */
  const press = async (sent: readonly [string, string][], action: string, typed: Changes = {}) => {
    const page = await send(sent, { ...typed, 'field-do': action })
    return { ...page, sent: readForm(page.html, 'fields') }
  }
  const fields = async (): Promise<FormField[]> => (await world.settings()).fields
  return { ...world, at, open, send, press, fields }
}

/** The values of the inputs of one kind, in the order of the rows; empty where there is none. */
const column = (sent: readonly [string, string][], member: string): string[] => {
  const all = new Map(sent)
  const typed = (key: string): string | undefined =>
    all.get(`field-${member}-${key}`) ?? (member === 'name' ? all.get(`field-made-${key}`) : undefined)
  return sent.filter(([name]) => name === 'row').map(([, key]) => typed(key) ?? '')
}

const text = (maxLength: number) =>
  fc.string({ unit: 'grapheme', minLength: 1, maxLength }).map((one) => one.replaceAll(/\p{C}/gu, '').trim() || 'x')
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const flag = optional(fc.constant(true as const))

/** A field of any type, with all that it may have. */
const fieldOf = (type: FormField['type'], position: number): fc.Arbitrary<FormField> => {
  const shared = { name: text(20).map((name) => `${name}${position}`), type: fc.constant(type) }
  const named = { ...shared, label: optional(text(30)), help: optional(text(30)), required: flag }
  const length = {
    minLength: optional(fc.integer({ min: 1, max: 9 })),
    maxLength: optional(fc.integer({ min: 9, max: 99 })),
  }
  const options = fc.uniqueArray(text(20), { minLength: 1, maxLength: 8, selector: (one) => one.trim() })
  const chosen = { ...named, options, other: flag, showPlaces: flag, prefill: flag }
  const own: Record<string, fc.Arbitrary<unknown>> = {
    text: fc.record({ ...named, ...length, once: optional(fc.constantFrom('hold', 'refuse')), prefill: flag }),
    lines: fc.record({ ...named, ...length, prefill: flag }),
    number: fc.record({
      ...named,
      min: optional(fc.integer({ max: 0 })),
      max: optional(fc.double({ min: 1, max: 99, noNaN: true })),
      prefill: flag,
    }),
    date: fc.record({
      ...named,
      min: optional(fc.constant('2026-01-31')),
      max: optional(fc.constant('2027-02-28')),
      prefill: flag,
    }),
    choice: fc
      .record(chosen)
      .map((field) => ({ ...field, ...(field.other && { places: { [field.options[0]?.trim() ?? '']: 3 } }) })),
    choices: fc.record({ ...chosen, min: optional(fc.constant(1)), max: optional(fc.integer({ min: 1, max: 9 })) }),
    checkbox: fc.record(named),
    file: fc.record({
      ...named,
      required: fc.constant(undefined),
      fileTypes: optional(fc.constant(['.pdf', 'image/*'])),
      maxFiles: optional(fc.integer({ min: 2, max: 20 })),
    }),
    hidden: fc.record({ ...shared, value: optional(text(20)), prefill: flag }),
  }
  return (own[type] ?? fc.record({ ...named, prefill: flag })) as fc.Arbitrary<FormField>
}

describe('/forms/:formId/form', () => {
  test('shows 50 fields of every type, and saves one change to them and nothing else', async () => {
    const { change, open, send, fields } = await formTab()
    const types = Array.from({ length: 50 }, (_, i) => fieldTypes[i % fieldTypes.length] as FormField['type'])
    await fc.assert(
      fc.asyncProperty(fc.tuple(...types.map(fieldOf)), fc.nat(49), async (all, at) => {
        const wanted = JSON.parse(JSON.stringify(all)) as FormField[]
        const set = await change({ fields: wanted })
        expect(set.status, JSON.stringify(set.body)).toBe(200)
        const before = await fields()
        const sent = await open()
        // As it is, it is no change; and one of a field says what became of all others.
        expect((await send(sent)).status).toBe(303)
        expect(await fields()).toEqual(before)
        const changed = before.map((field, i) => (i === at ? withOtherHelp(field) : field))
        expect((await send(sent, otherHelp(before[at] as FormField, at))).status).toBe(303)
        expect(await fields()).toEqual(changed)
      }),
      { numRuns: runsOf(10) },
    )
  })

  test('begins from a template with a page, from what came in without one, and field by field', async () => {
    const { open, press, send, settings } = await formTab()
    const template = await press(await open(), 'start registration')
    expect(template.field('page-on')).toHaveProperty('checked')
    expect(template.status).toBe(200)
    expect((await settings()).fields).toEqual([])
    expect((await send(template.sent)).location).toContain('?saved=form')
    const stored = await settings()
    expect(stored.fields.map(({ name }: FormField) => name)).toEqual(['name', 'email', 'day', 'people', 'remarks'])
    expect(stored.page).toEqual({ title: null, text: null, button: null, frame: false })

    const empty = await formTab({ sent: [{ name: 'Ada', 'your e-mail': 'x', topic: '', extra: '', _replyto: '' }] })
    const page = await empty.ada.get(empty.at)
    expect(page.text).toContain('This form has received name, your e-mail, topic and 1 more.')
    expect(page.button('Start from these four')).toBeDefined()
    const came = await empty.press(await empty.open(), 'start came')
    expect(column(came.sent, 'name')).toEqual(['name', 'your e-mail', 'topic', 'extra'])
    expect(column(came.sent, 'type')).toEqual(['text', 'email', 'text', 'text'])
    expect(came.field('page-on')).not.toHaveProperty('checked')
  })

  test('adds a usual field with its name, label and type, and another of the same kind under another name', async () => {
    const { open, press, send, fields } = await formTab()
    let page = { sent: await open() }
    for (const kind of ['email', 'consent', 'tel', 'email', 'date', 'nothing', 'constructor'])
      page = await press(page.sent, `add ${kind}`, kind === 'nothing' ? { 'field-label-4': 'Wann?' } : {})
    expect((await send(page.sent)).status).toBe(303)
    expect(await fields()).toEqual([
      { name: 'email', type: 'email', label: 'Email', required: true },
      {
        name: 'consent',
        type: 'checkbox',
        label: 'I agree that my answers are stored, to reply to me.',
        required: true,
      },
      { name: 'phone', type: 'tel', label: 'Phone' },
      { name: 'email_2', type: 'email', label: 'Email', required: true },
      { name: 'wann', type: 'date', label: 'Wann?' },
    ])
  })

  test('makes a name from the label, until it was changed or something came in under it', async () => {
    const { open, send, fields, submit } = await formTab({
      form: { fields: [{ name: 'your_name', label: 'Your name' }, { name: 'mail', label: 'Email' }, { name: 'day' }] },
    })
    const names = async () => (await fields()).map(({ name }) => name)
    await send(await open(), { 'field-label-0': 'Größe & Ärger', 'field-label-1': 'Address', 'field-label-2': 'Tag' })
    expect(await names()).toEqual(['grosse_arger', 'mail', 'day'])
    await send(await open(), { 'field-label-0': 'Your name', 'field-name-0': 'who' })
    expect(await names()).toEqual(['who', 'mail', 'day'])
    await send(await open(), { 'field-label-0': '', 'field-name-0': '', 'field-label-1': 'Who', 'field-name-1': '' })
    expect(await names()).toEqual(['who', 'day'])
    await submit({ who: 'Ada' })
    await send(await open(), { 'field-label-0': 'Someone' })
    expect(await fields()).toEqual([
      { name: 'who', type: 'text', label: 'Someone' },
      { name: 'day', type: 'text', label: 'Tag' },
    ])
  })

  test('never makes the name of the trap, of another field or of what controls Formbox', async () => {
    const { open, press, send, fields } = await formTab({
      form: { honeypot: 'website', fields: [{ name: 'a', label: 'A' }] },
    })
    const added = await press(await open(), 'add text')
    expect((await send(added.sent, { 'field-label-1': 'Website' })).status).toBe(303)
    const again = await press(await open(), 'add text')
    await send(again.sent, { 'field-label-2': 'a!' })
    const third = await press(await open(), 'add text')
    await send(third.sent, { 'field-label-3': '_next' })
    expect((await fields()).map(({ name }) => name)).toEqual(['a', 'website_2', 'a_2', 'next'])
  })

  test('moves and removes rows, keeps what was typed, and says how many things have changed', async () => {
    const { open, press, send, fields } = await formTab({
      form: {
        fields: [
          { name: 'a', label: 'A' },
          { name: 'b', label: 'B' },
          { name: 'c', label: 'C', required: true },
        ],
      },
    })
    const up = await press(await open(), 'up 2', { 'field-help-0': 'Typed' })
    expect(column(up.sent, 'name')).toEqual(['a', 'c', 'b'])
    expect(column(up.sent, 'help')).toEqual(['Typed', '', ''])
    expect(up.text).toContain('1 change')
    const down = await press(up.sent, 'down 0')
    expect(column(down.sent, 'name')).toEqual(['c', 'a', 'b'])
    const removed = await press(down.sent, 'remove 2', { 'page-title': 'Heading' })
    expect(removed.text).toContain('3 changes')
    expect(removed.link('Discard')).toBeDefined()
    for (const action of ['up 0', 'down 1', 'up 99', 'down x', 'remove 7', 'remove', 'open 5', 'nothing', ''])
      expect(column((await press(removed.sent, action)).sent, 'name')).toEqual(['c', 'a'])
    expect((await send(removed.sent)).status).toBe(303)
    expect(await fields()).toEqual([
      { name: 'c', type: 'text', label: 'C', required: true },
      { name: 'a', type: 'text', label: 'A', help: 'Typed' },
    ])
  })

  test('keeps what another type has a use for, and asks for what this one needs', async () => {
    const { open, press, send, fields } = await formTab({
      form: { fields: [{ name: 'a', type: 'choice', options: ['S'] }] },
    })
    const number = await press(await open(), 'open 0', { 'field-type-0': 'number' })
    expect(number.field('field-min-0')).toBeDefined()
    expect(number.field('field-options-0')).toBeUndefined()
    const choices = await press(number.sent, 'open 0', { 'field-type-0': 'choices' })
    expect(choices.field('field-options-0')?.value).toBe('S')
    expect((await send(number.sent)).status).toBe(303)
    expect(await fields()).toEqual([{ name: 'a', type: 'number' }])
  })

  test('says what is wrong beside it, opens its row and keeps the rest', async () => {
    const { open, send, fields } = await formTab({
      form: { fields: [{ name: 'a' }, { name: 'b', type: 'choice', options: ['S'] }] },
    })
    const refused = await send(await open(), {
      'field-name-1': 'a',
      'field-options-1': '',
      'field-help-0': 'x'.repeat(501),
    })
    expect(refused.status).toBe(400)
    expect(refused.title).toStartWith('Error: ')
    expect(refused.texts).toContain('Not saved. Look at what is marked in field 1, 2.')
    expect(refused.problem('field-name-1')).toBe('Must be another name than that of a field above.')
    expect(refused.problem('field-options-1')).toBe('Must have at least one.')
    expect(refused.field('field-help-0')).toMatchObject({ 'aria-invalid': 'true', value: 'x'.repeat(501) })
    expect(refused.html.match(/<details class="rest" open>/g)).toHaveLength(2)
    expect(await fields()).toEqual([
      { name: 'a', type: 'text' },
      { name: 'b', type: 'choice', options: ['S'] },
    ])
  })

  test('does not overwrite what was changed elsewhere, and asks first where both did', async () => {
    const { open, send, change, settings, ada, at } = await formTab({ form: { fields: [{ name: 'a' }], page: {} } })
    const opened = await open()
    await change({ fields: [{ name: 'b' }] })
    expect((await send(opened, { 'page-button': 'Go' })).status).toBe(303)
    expect(await settings()).toMatchObject({ fields: [{ name: 'b' }], page: { button: 'Go' } })
    const refused = await send(opened, { 'field-name-0': 'c' })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('This was changed elsewhere after you opened the page')
    expect((await send(readForm(refused.html, 'fields'))).status).toBe(303)
    expect((await settings()).fields).toEqual([{ name: 'c', type: 'text' }])
    // What is no page of ours changes nothing.
    expect((await ada.post(at, { row: '0', 'field-name-0': 'x', 'page-title': 'x' })).status).toBe(303)
    expect((await settings()).fields).toEqual([{ name: 'c', type: 'text' }])
  })

  test('turns the page on, writes it and turns it off', async () => {
    const { ada, at, open, send, change, settings } = await formTab({ form: { fields: [{ name: 'name' }] } })
    await change({ allowedOrigins: ['https://example.com'] })
    const written = { 'page-on': 'on', 'page-text': ' One\r\n\r\ntwo ', 'page-frame': 'on' }
    expect((await send(await open(), written)).status).toBe(303)
    expect((await settings()).page).toEqual({ title: null, text: 'One\n\ntwo', button: null, frame: true })
    expect((await ada.get(at)).link('Open')).toContain('/f/')
    expect((await send(await open(), { 'page-button': 'Join', 'page-frame': null })).status).toBe(303)
    expect((await settings()).page).toEqual({ title: null, text: 'One\n\ntwo', button: 'Join', frame: false })
    expect((await send(await open(), { 'page-on': null })).status).toBe(303)
    expect((await settings()).page).toBeNull()
  })

  test.each([
    [{ 'page-button': 'x'.repeat(41) }, 'page-button', 'Must be at most 40 characters; got 41.'],
    [{ 'page-text': 'x'.repeat(2001) }, 'page-text', 'Must be at most 2000 characters; got 2001.'],
    [{ 'page-button': 'PIN' }, undefined, 'Must not ask for “pin”: a page of Formbox asks for no passwords'],
    [{ 'page-frame': 'on' }, undefined, 'Must not be framed while every page may send'],
  ] as const)('refuses a page with %j, and keeps what was typed', async (typed, input, must) => {
    const { open, send, settings } = await formTab({ form: { fields: [{ name: 'name' }] } })
    const refused = await send(await open(), { 'page-on': 'on', ...typed })
    expect(refused.status).toBe(400)
    expect(input ? refused.problem(input) : refused.text).toContain(must)
    if (input) expect(refused.field(input)).toMatchObject({ 'aria-invalid': 'true' })
    for (const [name, value] of Object.entries(typed))
      if (value !== 'on') expect(refused.field(name)?.value).toBe(value)
    expect((await settings()).page).toBeNull()
  })

  test('offers no page where the operator allows none', async () => {
    const environment = { FORMBOX_FORM_PAGES: 'false' }
    const { ada, at, open, press } = await formTab({ environment, form: { fields: [{ name: 'name' }] } })
    const page = await ada.get(at)
    expect(page.text).toContain('does not allow pages of forms')
    expect(page.field('page-on')).toBeUndefined()
    const empty = await formTab({ environment })
    const started = await empty.press(await empty.open(), 'start contact')
    expect(started.sent.filter(([name]) => name.startsWith('page-'))).toEqual([])
    expect(started.status + (await press(await open(), 'show')).status).toBe(400)
  })

  test('is a page of at most 35 KiB with 20 fields, whatever their types', async () => {
    const kinds = [
      { type: 'text', label: 'Your name', required: true },
      { type: 'email', label: 'Email' },
      { type: 'lines', label: 'Anything that we should know?', maxLength: 500 },
      { type: 'choice', label: 'Day', options: ['Saturday', 'Sunday'], help: 'From 10 to 2, with lunch.' },
      { type: 'number', label: 'People', min: 1, max: 8 },
    ]
    const fields = Array.from({ length: 20 }, (_, i) => ({ name: `field_${i}`, ...kinds[i % kinds.length] }))
    const { ada, at } = await formTab({ form: { fields, page: {} } })
    expect(Buffer.byteLength((await ada.get(at)).html)).toBeLessThanOrEqual(35 * 1024)
  })

  test('draws what is typed as visitors see it, stores nothing, and is bound in size and rate', async () => {
    const { ada, open, press, fields } = await formTab({ form: { fields: [{ name: 'a', label: 'A' }], page: {} } })
    const opened = await open()
    const drawn = await press(opened, 'draw', { 'field-label-0': 'Your <name>', 'field-help-0': 'In full' })
    expect(drawn.html).toContain('<bdi lang="">Your &lt;name&gt;</bdi>')
    expect(drawn.html).toContain('<p>1 change</p>')
    expect(drawn.html).not.toContain('<html')
    expect(drawn.headers.get('content-security-policy')).toBe(
      (await ada.get('/account')).headers.get('content-security-policy'),
    )
    expect(await fields()).toEqual([{ name: 'a', type: 'text', label: 'A' }])

    // As much as a page may send, of which no more is drawn than a form may have.
    const rows = Array.from({ length: 51 }, (_, i): [string, string][] => [
      ['row', `${i}`],
      [`field-label-${i}`, 'x'.repeat(9000)],
    ])
    const most = await press([...opened, ...rows.flat()], 'draw', { 'page-text': 'x'.repeat(9000) })
    expect(most.status).toBe(200)
    expect(most.html.length).toBeLessThan(50 * 1000)

    let asked = 0
    let { status } = most
    for (; status === 200 && asked < 1000; asked++) status = (await press(opened, 'draw')).status
    expect(status).toBe(429)
    expect(asked).toBeGreaterThan(60 / 0.4 - 10)
    // The buttons go on working.
    expect((await press(opened, 'show')).status).toBe(200)
  })

  test('says what visitors of a closed form read', async () => {
    const { ada, at } = await formTab({
      form: { fields: [{ name: 'a' }], open: false, closedText: 'Back in <May>.', language: 'de' },
    })
    const { text, texts } = await ada.get(at)
    expect(texts.some((one) => one.startsWith('Visitors read: ') && one.endsWith('Back in <May>.'))).toBe(true)
    expect(text).toContain('As visitors see it')
  })

  test('takes any number of rows that a program sends, and shows one more than a form may have', async () => {
    const { open, press, send } = await formTab()
    const opened = await open()
    const sent = Array.from({ length: 8000 }, (_, i): [string, string] => ['row', String(i)])
    const odd: [string, string][] = [
      ['field-type-0', '<b>'],
      ['field-min-0', '\ud800'],
    ]
    expect((await press([...opened, ...sent, ...odd], 'show')).status).toBe(200)
    const refused = await send([...opened, ...sent, ...sent.map(([, i]): [string, string] => [`field-name-${i}`, i])])
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('Must be at most 50 fields')
    expect(readForm(refused.html, 'fields').filter(([name]) => name === 'row')).toHaveLength(51)
  })
})

const withOtherHelp = (field: FormField): FormField =>
  field.type === 'hidden' ? { ...field, value: 'other' } : { ...field, help: 'Other help' }
const otherHelp = (field: FormField, at: number): Changes =>
  field.type === 'hidden' ? { [`field-value-${at}`]: 'other' } : { [`field-help-${at}`]: 'Other help' }
