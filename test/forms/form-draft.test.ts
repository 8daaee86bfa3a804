import { describe, expect, test } from 'bun:test'
import { typedField } from '../../src/forms/fields/fields-kind.ts'
import {
  changedDraft,
  countChanges,
  type Draft,
  storedDraft,
  withNames,
  withoutEmpty,
} from '../../src/forms/form-draft.ts'
import { parseSettings } from '../../src/forms/settings/settings.ts'

const stored = storedDraft(parseSettings(null))
const row = (name: string, label = '') => ({ ...typedField({ name, type: 'text' }), label })
const of = (...names: string[]): Draft => ({ ...stored, rows: names.map((name) => row(name)) })
const known = { received: [], trap: '_trap', mayHavePage: true }
const press = (draft: Draft, what: string, position = -1, which = '') =>
  changedDraft(draft, { ...known, what, position, which })
const namesIn = ({ rows }: Draft) => rows.map(({ name }) => name)

describe('a draft of a form', () => {
  test('moves a row, and leaves the button that goes on', () => {
    expect(press(of('a', 'b', 'c'), 'up', 2)).toMatchObject({ focus: { position: 1, on: 'up' } })
    const up = press(of('a', 'b'), 'up', 1)
    expect(namesIn(up.draft)).toEqual(['b', 'a'])
    expect(up.focus).toEqual({ position: 0, on: 'down' })
    expect(namesIn(press(of('a', 'b'), 'up', 0).draft)).toEqual(['a', 'b'])
  })

  test('removes and adds rows, under names that no other has', () => {
    expect(namesIn(press(of('a', 'b'), 'remove', 0).draft)).toEqual(['b'])
    const once = press(of('a'), 'add', -1, 'email').draft
    const names = namesIn(press(once, 'add', -1, 'email').draft)
    expect(names.slice(0, 2)).toEqual(['a', 'email'])
    expect(new Set(names).size).toBe(3)
    expect(namesIn(press(of('a'), 'add', -1, 'nothing known').draft)).toEqual(['a'])
    expect(namesIn(withoutEmpty(of('a', '')))).toEqual(['a'])
  })

  test('names a row after its label until something came in under the name', () => {
    const named = (received: readonly string[], name: string, made: string | undefined) =>
      withNames([{ row: row(name, 'Your town'), made }], new Set(received), '_trap')[0]?.name ?? ''
    const made = named([], '', undefined)
    expect(made).not.toBe('')
    expect(named([], 'old', 'old')).toBe(made)
    expect(named(['old'], 'old', 'old')).toBe('old')
    expect(named([], 'own', undefined)).toBe('own')
    expect(withNames([{ row: row('', 'Your town'), made: undefined }], new Set(), made)[0]?.name).not.toBe(made)
  })

  test('counts its changes: rows, their order and what stands around them', () => {
    const changes: [Draft, number][] = [
      [of('a', 'b'), 0],
      [of('b', 'a'), 1],
      [of('a', 'c'), 1],
      [of('a'), 1],
      [{ ...of('a', 'b'), refusesOthers: !stored.refusesOthers }, 1],
      [{ ...of('a', 'x', 'y'), page: { ...stored.page, title: 'Other' } }, 3],
    ]
    for (const [draft, count] of changes) expect(countChanges(of('a', 'b'), draft)).toBe(count)
  })
})
