// Runs the table of rules through every door by which a setting comes in.
import { describe, expect, test } from 'bun:test'
import { existingForm } from '../../src/commands/data-folder.ts'
import { parseSettings, type SettingName, settingNames } from '../../src/forms/settings/settings.ts'
import { defaultSettings } from '../default-settings.ts'
import { forThisFile } from '../harness.ts'
import { openSettings, sendSettings } from '../pages/settings-form.ts'
import { refusalOf } from '../refusal.ts'
import { openData } from '../storage/data.ts'
import { siteWorld, world } from '../world.ts'
import { applyTo } from './applying.ts'
import { environment, type SettingRule, settingRules } from './setting-rules.ts'

const rules = settingNames.map((name) => [name, settingRules[name]] as const)

const taken = ({ takes = [], stores = [] }: SettingRule) => [
  ...takes.map((value) => [value, value] as const),
  ...stores,
]

/** Each value with what is wrong with it, and where: `fileTypes`, or `fileTypes.1` and its path. */
const refused = (name: SettingName, { refuses }: SettingRule) =>
  refuses.flatMap(([said, ...values]) => {
    const [, position, must = said] = /^(\d+): (.*)$/s.exec(said) ?? []
    const where = position === undefined ? [name] : [name, position]
    return values.map((value) => ({ value, must, field: where.join('.'), path: `/${where.join('/')}` }))
  })

const short = (value: unknown): string => JSON.stringify(value)?.slice(0, 100) ?? 'undefined'

describe('the API', () => {
  test.each(rules)('takes for %s what it may be, and nothing else', async (name, rule) => {
    const { change, settings } = await world({ environment })
    for (const [sent, stored] of taken(rule)) {
      expect([short(sent), await change({ [name]: sent })]).toMatchObject([short(sent), { status: 200 }])
      expect(await settings(), short(sent)).toEqual({ ...defaultSettings, [name]: stored })
    }
    const before = await settings()
    const other = name === 'maxLinks' ? { spamDays: 7 } : { maxLinks: 7 }
    for (const { value, must, field, path } of refused(name, rule)) {
      const { status, body } = await change({ ...other, [name]: value })
      const issues = [{ message: `${field}: ${must}`, path }]
      expect([short(value), status, body.issues]).toEqual([short(value), 400, issues])
    }
    expect(await settings()).toEqual(before)
  })
})

describe('a file that is applied', () => {
  let shared: Promise<ReturnType<typeof openData>> | undefined

  test.each(rules)('takes for %s what the API takes, and says what is wrong', async (name, rule) => {
    // What another test has set is no longer in the file, and so no longer set.
    shared ??= forThisFile(async () => openData())
    const data = await shared
    const { plan, apply } = applyTo(data)
    const fileWith = (value: string) => `[forms.a]\ntitle = "A"\n${name} = ${value}\n`
    for (const [sent, stored] of taken(rule)) {
      const value = asToml(sent)
      if (value === undefined) continue
      const [step] = apply(fileWith(value))
      const { settings } = existingForm(data.db, step?.id ?? '')
      expect(parseSettings(settings)[name], short(sent)).toEqual(stored as never)
    }
    for (const { value, must, field } of refused(name, rule)) {
      const text = asToml(value)
      if (text === undefined) continue
      const message = must.replace(/, or null$/, ', or be left out').replace(/^must be null,/, 'must be left out,')
      expect(
        refusalOf(() => plan(fileWith(text))),
        short(value),
      ).toBe(`forms.a.${field}: ${message}`)
    }
  })
})

/** Undefined if TOML has no such value. */
const asToml = (value: unknown): string | undefined => {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return value.isWellFormed() ? JSON.stringify(value) : undefined
  if (typeof value !== 'object') return String(value)
  const parts = Object.entries(value).map(([key, inner]) => [key, asToml(inner)] as const)
  if (Array.isArray(value))
    return parts.some(([, part]) => part === undefined) ? undefined : `[${parts.map(([, part]) => part)}]`
  const members = parts.filter(([, part]) => part !== undefined)
  return `{ ${members.map(([key, part]) => `${JSON.stringify(key)} = ${part}`)} }`
}

describe('the page', () => {
  const onPage = rules.filter(([, { typed, mistyped }]) => typed ?? mistyped)

  test.each(onPage)('takes for %s what is typed, and says what is wrong', async (name, rule) => {
    const { page: below = '', with: chosen = {}, typed = [], mistyped = [] } = rule
    const { ada, path, settings } = await siteWorld({ environment })
    const page = `${path}/settings${below}`
    const headers = { origin: environment.FORMBOX_URL }
    let opened = await openSettings(ada, page)
    const shownIn = (shown: typeof opened) => shown.getAll(name).at(-1) ?? null
    const send = (text: (typeof typed)[0][0]) => sendSettings(ada, page, opened, { ...chosen, [name]: text }, headers)

    for (const [text, stored, shown = text] of typed) {
      expect(await send(text), short(text)).toMatchObject({ status: 303, location: `${page}?saved=yes#notice` })
      expect([short(text), (await settings())[name]]).toEqual([short(text), stored])
      opened = await openSettings(ada, page)
      expect(shownIn(opened), short(text)).toEqual(shown as string)
    }
    const before = await settings()
    for (const [must, ...wrong] of mistyped)
      for (const text of wrong) {
        const refusal = await send(text)
        expect([short(text), refusal.status, refusal.problem(name)]).toEqual([short(text), 400, must])
        expect(refusal.links).toContain(`#${name}`)
        // What was typed is still there.
        const shown = await openSettings({ ...ada, get: async () => refusal }, page)
        expect(shownIn(shown)).toBe([text].flat().at(-1) ?? null)
      }
    expect(await settings()).toEqual(before)
  })
})
