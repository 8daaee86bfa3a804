import { describe, expect, test } from 'bun:test'
import type { Form } from '../../src/forms/form.ts'
import { knownModels } from '../../src/submissions/spam/known-models.ts'
import type { Learned } from '../../src/submissions/spam/make-model.ts'
import { modelMemory } from '../../src/submissions/spam/model-memory.ts'

const day = 86_400_000

/** The models of forms that are made only when the test says so. */
const open = () => {
  let now = 1_800_000_000_000
  const forms = new Map<string, Form>()
  const begun: { readonly id: string; end(): void }[] = []
  const sleepers: (() => void)[] = []
  let looked = 0
  let counted = 0
  const models = knownModels({
    findForm: (id) => forms.get(id),
    make: ({ id, lessonChanges, changeCount }) => {
      const { promise, resolve } = Promise.withResolvers<Learned>()
      const made = { bytes: 10, lessonChanges, changeCount, lookedAt: `${looked}`, madeAt: now } as Learned
      begun.push({ id, end: () => resolve(made) })
      return promise
    },
    count: async () => ++counted,
    lookedAtIn: () => ({ version: `${looked}` }),
    now: () => now,
    sleep: (milliseconds) => {
      expect(milliseconds).toBe(300)
      return new Promise((resolve) => sleepers.push(resolve))
    },
  })
  const settle = () => Bun.sleep(0)
  return {
    models,
    forms,
    form(id: string, userId = 'ada', changes: Partial<Form> = {}): Form {
      const form = { id, userId, lessonChanges: 1, changeCount: 1, ...changes } as Form
      forms.set(id, form)
      return form
    },
    begun: async () => {
      await settle()
      return begun.map(({ id }) => id)
    },
    /** Ends the first one that is being made. */
    async end(): Promise<void> {
      await settle()
      begun.shift()?.end()
      await settle()
    },
    timeOut(): void {
      for (const wake of sleepers.splice(0)) wake()
    },
    look: () => looked++,
    counted: () => counted,
    pass(milliseconds: number): void {
      now += milliseconds
    },
  }
}

describe('a visitor', () => {
  test('waits for a model, but no longer than 300 ms', async () => {
    const { models, form, end, timeOut, begun } = open()
    const [first, second] = [models.forVisitor(form('a')), models.forVisitor(form('b'))]
    await end()
    expect((await first)?.lessonChanges).toBe(1)
    timeOut()
    expect(await second).toBeUndefined()
    expect(await begun()).toEqual(['b'])
    await end()
    expect((await models.forVisitor(form('b')))?.lessonChanges).toBe(1)
  })

  test('is judged by the last model while that of the next mark takes too long', async () => {
    const { models, form, end, timeOut } = open()
    const first = models.forVisitor(form('a'))
    await end()
    await first
    const late = models.forVisitor(form('a', 'ada', { lessonChanges: 2 }))
    timeOut()
    expect((await late)?.lessonChanges).toBe(1)
    await end()
    expect((await models.forVisitor(form('a', 'ada', { lessonChanges: 2 })))?.lessonChanges).toBe(2)
  })

  test('after a mark waits for a model that was begun after it', async () => {
    const { models, form, end } = open()
    const first = models.forVisitor(form('a'))
    await Bun.sleep(0)
    const second = models.forVisitor(form('a', 'ada', { lessonChanges: 2 }))
    await end()
    expect((await first)?.lessonChanges).toBe(1)
    await end()
    expect((await second)?.lessonChanges).toBe(2)
  })

  test('waits for no model that is only older', async () => {
    const { models, form, end, pass, begun } = open()
    const first = models.forVisitor(form('a'))
    await end()
    await first
    const grown = form('a', 'ada', { changeCount: 2 })
    expect((await models.forVisitor(grown))?.changeCount).toBe(1)
    expect(await begun()).toEqual([])
    pass(61_000)
    expect((await models.forVisitor(grown))?.changeCount).toBe(1)
    expect(await begun()).toEqual(['a'])
    await end()
    expect((await models.forVisitor(grown))?.changeCount).toBe(2)
  })

  test('comes in turn among the owners of forms, whatever pages are being made', async () => {
    const { models, form, end, begun } = open()
    const page = models.numbersFor('eve', form('0', 'eve'))
    const visitors = ['1', '2', '3'].map((id) => models.forVisitor(form(id, 'eve')))
    visitors.push(models.forVisitor(form('a')))
    expect(await begun()).toEqual(['0', '1'])
    await end()
    await page
    for (const next of ['1', '2', 'a', '3']) {
      expect(await begun()).toEqual([next])
      await end()
    }
    await Promise.all(visitors)
  })
})

describe('a page', () => {
  test('comes in turn among users, whatever visitors send, and one of a user at a time', async () => {
    const { models, form, end, begun } = open()
    const visitor = models.forVisitor(form('0', 'eve'))
    const pages = ['1', '2', '3'].map((id) => models.numbersFor('eve', form(id, 'eve')))
    pages.push(models.numbersFor('ada', form('a')))
    expect(await begun()).toEqual(['0', '1'])
    await end()
    await visitor
    for (const next of ['1', '2', 'a', '3']) {
      expect(await begun()).toEqual([next])
      await end()
    }
    await Promise.all(pages)
  })

  test('is made of what others have made, and its numbers are kept until something changes', async () => {
    const { models, form, end, begun, counted, look, pass } = open()
    const all = Array.from({ length: 20 }, (_, i) => models.numbersFor(`user ${i % 3}`, form('a')))
    await end()
    expect(new Set(await Promise.all(all))).toEqual(new Set([1]))
    expect([await begun(), counted()]).toEqual([[], 1])
    // A visitor needs no numbers, and a page no other model.
    await models.forVisitor(form('a'))
    expect(await models.numbersFor('ada', form('a'))).toBe(1)
    let changed = form('a')
    for (const change of [
      () => (changed = form('a', 'ada', { changeCount: 2 })),
      () => (changed = form('a', 'ada', { changeCount: 2, lessonChanges: 2 })),
      look,
      () => pass(day + 1),
    ]) {
      change()
      const before = counted()
      const next = models.numbersFor('ada', changed)
      await end()
      expect(await next).toBe(before + 1)
      expect(await models.numbersFor('ada', changed)).toBe(before + 1)
    }
  })

  test('is not found if its form is gone after the wait', async () => {
    const { models, form, forms, end } = open()
    const pages = [models.numbersFor('ada', form('a')), models.forUser('ada', form('b'))]
    forms.clear()
    const codes = pages.map((page) => page.catch(({ code }) => code))
    await end()
    expect(await Promise.all(codes)).toEqual(['not_found', 'not_found'])
  })

  test('is refused behind thirty others, unless most of these are of someone else', async () => {
    const { models, form, end } = open()
    const pages = Array.from({ length: 31 }, (_, i) => models.numbersFor('eve', form(`${i}`, 'eve')))
    const last = pages.pop()?.catch(({ code }) => code)
    const more = models.numbersFor('eve', form('more', 'eve')).catch(({ code }) => code)
    const ada = models.numbersFor('ada', form('a'))
    expect(await Promise.all([last, more])).toEqual(['rate_limited', 'rate_limited'])
    for (let i = 0; i < 31; i++) await end()
    expect(await ada).toBeGreaterThan(0)
    await Promise.all(pages)
  })
})

test('a memory of models takes room from whoever has most, and of that what was used longest ago', () => {
  const memory = modelMemory<{ readonly bytes: number }>(100)
  const known = (...keys: string[]) => keys.filter((key) => memory.find(key))
  memory.remember('a1', 'ada', { bytes: 30 })
  for (const key of ['e1', 'e2', 'e3']) memory.remember(key, 'eve', { bytes: 20 })
  memory.find('e1')
  memory.remember('e4', 'eve', { bytes: 20 })
  expect(known('a1', 'e1', 'e2', 'e3', 'e4')).toEqual(['a1', 'e1', 'e3', 'e4'])
  // The same key again is counted once.
  for (let i = 0; i < 9; i++) memory.remember('a1', 'ada', { bytes: 40 })
  expect(known('a1', 'e1', 'e3', 'e4')).toEqual(['a1', 'e1', 'e3', 'e4'])
  memory.remember('a2', 'ada', { bytes: 30 })
  expect(known('a1', 'a2', 'e1', 'e3', 'e4')).toEqual(['a2', 'e1', 'e3', 'e4'])
})
