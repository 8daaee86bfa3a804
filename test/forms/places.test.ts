import { describe, expect, test } from 'bun:test'
import { places } from '../../src/forms/fields/places-kind.ts'

describe('places, as a page asks for them', () => {
  test('are lines, an option and its number in each', () => {
    const typed = ' Morning | 70 \r\n\na | b | 0'
    expect(places.fromText(typed)).toEqual({ state: 'accepted', value: { Morning: 70, 'a | b': 0 } })
    expect(places.toText({ Morning: 70, 'a | b': 0 })).toBe('Morning | 70\na | b | 0')
  })

  test('name an option once: no number is dropped without a word', () => {
    const message = 'each option must have one line; got “Morning” again'
    expect(places.fromText('Morning | 70\nEvening | 5\n Morning | 7')).toMatchObject({ state: 'refused', message })
  })
})
