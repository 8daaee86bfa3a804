import { expect, test } from 'bun:test'
import { openIgnoredNext, openRefusedOrigins } from '../../src/forms/settings/origins.ts'

const dayMilliseconds = 86_400_000

const open = () => {
  const clock = { now: Date.UTC(2026, 10, 22) }
  const refused = openRefusedOrigins(() => clock.now)
  const form = (id: string, allowedOrigins = ['https://example.com']) => {
    const settings = JSON.stringify({ allowedOrigins })
    return {
      add: (origin: string | null, times = 1) => {
        for (let i = 0; i < times; i++) refused.add({ id }, origin)
      },
      list: () => refused.list({ id, settings, returnUrl: null }),
    }
  }
  return { clock, form }
}

test('what a form refused is counted by origin, the most frequent first', () => {
  const { form } = open()
  const contact = form('contact')
  contact.add('https://www.example.com')
  contact.add(null, 2)
  expect(contact.list()).toEqual([
    { origin: null, count: 2 },
    { origin: 'https://www.example.com', count: 1 },
  ])
  expect(form('other').list()).toEqual([])
})

test('what would be taken by now is left out, and all of it once every page may send', () => {
  const { form } = open()
  form('contact').add('https://www.example.com')
  expect(form('contact', ['https://*.example.com']).list()).toEqual([])
  form('contact').add(null)
  expect(form('contact', ['https://*.example.com']).list()).toEqual([{ origin: null, count: 1 }])
  expect(form('contact', []).list()).toEqual([])
})

test('an origin is forgotten a day after it was refused for the last time', () => {
  const { clock, form } = open()
  const contact = form('contact')
  contact.add('https://a.example')
  clock.now += dayMilliseconds - 1
  contact.add('https://a.example')
  clock.now += dayMilliseconds - 1
  expect(contact.list()).toEqual([{ origin: 'https://a.example', count: 2 }])
  clock.now += 1
  expect(contact.list()).toEqual([])
  contact.add('https://a.example')
  expect(contact.list()).toEqual([{ origin: 'https://a.example', count: 1 }])
})

test('of a flood of made-up origins, few are remembered, and none pushes out one that is refused again and again', () => {
  const { form } = open()
  const contact = form('contact')
  contact.add('https://www.example.com', 2)
  for (let i = 0; i < 1000; i++) contact.add(`https://${i}.example`)
  contact.add(`https://${'x'.repeat(300)}.example`)
  expect(contact.list()).toHaveLength(5)
  expect(contact.list()[0]).toEqual({ origin: 'https://www.example.com', count: 2 })
  for (let i = 0; i < 1000; i++) form(`form ${i}`).add('https://www.example.com')
  expect(contact.list()).toEqual([])
  expect(form('form 999').list()).toHaveLength(1)
})

test('of a `_next` without effect, what would have one by now is left out', () => {
  const ignored = openIgnoredNext(() => 0)
  for (const origin of ['https://a.example', 'https://b.example', null]) ignored.add({ id: 'contact' }, origin)
  const list = (returnUrl: string | null, allowedOrigins: string[] = []) =>
    ignored.list({ id: 'contact', returnUrl, settings: JSON.stringify({ allowedOrigins }) }).map(({ origin }) => origin)
  expect(list(null)).toEqual(['https://a.example', 'https://b.example', null])
  expect(list('https://a.example/thanks')).toEqual(['https://b.example', null])
  expect(list('https://a.example/thanks', ['https://*.example'])).toEqual([null])
})
