// Places, and values that come once, against a model that counts the inbox: whatever is done in whatever order, no option is given too often, and
// none is refused while it has a place.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { newId } from '../../../../src/base/id.ts'
import { sliceCounter } from '../../../../src/submissions/limits/count-slice.ts'
import { hashValues } from '../../../../src/submissions/limits/once.ts'
import { runsOf } from '../../../runs.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'
import { openStores } from '../../../storage/stores.ts'

interface Choice {
  readonly chosen: readonly string[]
  readonly value: string | undefined
}
const options = ['A', 'B', 'C'] as const

const choice: fc.Arbitrary<Choice> = fc.record({
  chosen: fc.subarray([...options]),
  // The last two are the same.
  value: fc.constantFrom(undefined, undefined, 'a', 'Ä', ' ä '),
})
const once = fc.constantFrom(undefined, 'hold' as const, 'refuse' as const)
const places = fc.dictionary(fc.constantFrom(...options), fc.integer({ min: 0, max: 4 }))
const someOne = fc.nat({ max: 30 })
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('send' as const),
      all: fc.array(
        fc.record({ choice, reason: fc.constantFrom(undefined, undefined, undefined, 'terms', 'honeypot') }),
        {
          minLength: 1,
          maxLength: 6,
        },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom('mark', 'accept', 'delete'), one: someOne }) },
  fc.record({ what: fc.constant('limit' as const), places, once }),
  fc.record({ what: fc.constantFrom('slice', 'count', 'deleteSpam', 'remove', 'old') }),
  fc.record({
    what: fc.constant('import' as const),
    all: fc.array(choice, { minLength: 1, maxLength: 3 }),
    again: fc.boolean(),
  }),
  fc.record({
    what: fc.constant('importWhileCounting' as const),
    all: fc.array(choice, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ what: fc.constant('takeBack' as const) }),
  fc.record({ what: fc.constant('close' as const), most: fc.option(fc.nat({ max: 6 })) }),
)
const key = new Uint8Array(32)

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

const open = () => {
  const data = openStores()
  const { userId, formId, run, execute, folder, reader, writer } = data
  /** Happens, as on another machine, between the reading of a slice and its command. */
  let meanwhile = (): void => {}
  const counting: typeof writer = {
    ...writer,
    run(...command) {
      meanwhile()
      meanwhile = () => {}
      return writer.run(...command)
    },
  }
  const countNext = sliceCounter({ reader, writer: counting, signingKey: () => Promise.resolve(key) })
  /** The model writes in the turn in which it reads. */
  const count = (slice: Parameters<typeof countNext>[0]) => {
    reader.release()
    return countNext(slice)
  }
  const inbox = new Map<string, Choice>()
  const spam = new Map<string, Choice>()
  const imported: string[] = []
  /** Spam that was deleted as a whole. Its rows may still be there when an export of it is imported. */
  const deleted = new Map<string, Choice>()
  let once: 'hold' | 'refuse' | undefined
  let most: Readonly<Record<string, number>> = {}
  let maxSubmissions: number | null = null
  let at = Date.now()
  const now = () => ++at

  const countedOptions = () =>
    new Set(
      rowsOf<{ option: string }>(folder, 'SELECT option FROM limits WHERE count_from IS NULL').map((row) => row.option),
    )
  const isFull = (option: string): boolean => {
    const taken = [...inbox.values()].filter(({ chosen }) => chosen.includes(option)).length
    return option in most && countedOptions().has(option) && taken >= (most[option] as number)
  }
  const configure = (changes: object) => run('updateFormSettings', { userId, id: formId, now: now(), changes })
  const outcomeOf = (command: string, input: object): 'done' | 'refused' => {
    try {
      run(command, { userId, formId, now: now(), ...input })
      return 'done'
    } catch {
      return 'refused'
    }
  }
  const pick = (from: ReadonlyMap<string, Choice>, one: number) => [...from][one % Math.max(1, from.size)]

  const folded = (value: string | undefined) => value?.trim().toLowerCase().replace('ä', 'a')
  const hashes = ({ value }: Choice) => ({
    once: hashValues(key, formId, ['e'], value === undefined ? [] : [{ name: 'e', json: JSON.stringify(value) }]),
  })
  const dataOf = ({ chosen, value }: Choice): string =>
    // Some are so long that they are stored in pieces.
    JSON.stringify({ o: chosen, e: value, text: chosen.length === 3 ? 'x'.repeat(5000) : '' })
  const isRepeated = ({ value }: Choice): boolean =>
    value !== undefined && [...inbox.values()].some((other) => folded(other.value) === folded(value))

  const removeAll = (): void => {
    while (run('removeDeletedSlice', { maxRows: 2, maxBytes: 10_000 }));
  }

  const send = (all: readonly { choice: Choice; reason: string | undefined }[]): void => {
    const sent = all.map((one) => ({ ...one, id: newId(now()) }))
    const isCounted = countedOptions().has('')
    const outcomes = execute(
      sent.map(({ id, choice: one, reason }) => [
        'createSubmission',
        { formId, id, data: dataOf(one), fieldNames: ['o', 'e'], reason, ...hashes(one) },
      ]),
    )
    for (const [position, { id, choice: one, reason }] of sent.entries()) {
      const outcome = outcomes[position] as { result?: { state?: string }; refused?: { code: string } }
      const state = outcome.refused?.code ?? outcome.result?.state
      // As long as not all is counted, a value from before may come again.
      const isAgain = isCounted ? once !== undefined && isRepeated(one) : state === 'again' || state === 'held'
      if (isAgain) expect(isRepeated(one)).toBe(true)
      const isAsked = reason !== 'honeypot'
      const isHeld = isAsked && isAgain && once === 'hold'
      // So it may have been one to be held, for which there is room in a form that takes nothing more.
      const mayBeHeld = isAsked && !isCounted && once === 'hold' && isRepeated(one) && state === 'full'
      const added = reason || isHeld || mayBeHeld ? 0 : 1
      const isClosed = maxSubmissions !== null && inbox.size + added > maxSubmissions
      const why =
        isAsked && isAgain && once === 'refuse' ? 'again' : isAsked && one.chosen.some(isFull) ? 'full' : undefined
      const expected = isClosed ? 'closed' : (why ?? (isHeld ? 'held' : undefined))
      expect(state).toBe(expected as never)
      if (expected === undefined || expected === 'held') (reason || isHeld ? spam : inbox).set(id, one)
    }
  }

  const bring = (all: readonly Choice[], again: boolean): void => {
    const importId = newId(now())
    const brought = new Map(all.map((one) => [newId(now() - 1_000_000), one]))
    if (again) for (const [id, one] of [...deleted].slice(0, 2)) brought.set(id, one)
    for (const id of brought.keys()) deleted.delete(id)
    const rows = [...brought].map(([id, one]) => [id, dataOf(one)] as const)
    run('beginImport', { id: importId, userId, formId, node: '', report: '{}', now: now() })
    run('stageRows', { importId, rows })
    run('addStaged', { importId, report: '{}', fieldNames: ['o', 'e'], count: rows.length, now: now() })
    while (run('addSlice', { importId, now: now(), maxRows: 2, maxBytes: 100_000 }));
    for (const [id, one] of brought) inbox.set(id, one)
    imported.push(importId)
  }

  const step = async (todo: Operation): Promise<void> => {
    if (todo.what === 'send') send(todo.all)
    if (todo.what === 'import') bring(todo.all, todo.again)
    if (todo.what === 'importWhileCounting') {
      meanwhile = () => bring(todo.all, false)
      await count({ maxRows: 2, maxCharacters: 10_000 })
      // If there was nothing to count, there was no command.
      meanwhile()
      meanwhile = () => {}
    }
    if (todo.what === 'takeBack' && imported.length > 0) {
      const importId = imported.pop() as string
      const page = rowsOf<{ ids: string }>(folder, 'SELECT ids FROM imported_pages WHERE import_id = ?', importId)
      run('endImport', { importId, formId, userId, now: now() })
      while (run('removeSlice', { importId }));
      for (const id of page.flatMap(({ ids }) => JSON.parse(ids) as string[])) {
        inbox.delete(id)
        spam.delete(id)
      }
    }
    if (todo.what === 'limit') {
      most = todo.places
      once = todo.once
      const field = { name: 'o', type: 'choices', options: [...options], places: todo.places }
      configure({ fields: [field, { name: 'e', type: 'text', ...(once && { once }) }] })
    }
    if (todo.what === 'close') {
      maxSubmissions = todo.most
      configure({ maxSubmissions })
    }
    if (todo.what === 'slice') await count({ maxRows: 2, maxCharacters: 10_000 })
    if (todo.what === 'count') {
      while (await count({ maxRows: 3, maxCharacters: 10_000 }));
      expect(countedOptions()).toEqual(new Set([...Object.keys(most), ...(once ? [''] : [])]))
    }
    if (todo.what === 'deleteSpam') {
      run('deleteAllSpam', { userId, formId, now: now() })
      for (const [id, one] of spam) deleted.set(id, one)
      spam.clear()
    }
    if (todo.what === 'remove') removeAll()
    if (todo.what === 'old') {
      configure({ retentionDays: 1 })
      run('removeOldSubmissions', {
        list: 'inbox',
        form: 0,
        from: '',
        now: at + 2 * 86_400_000,
        maxForms: 9,
        maxRows: 2,
      })
      configure({ retentionDays: null })
      for (const id of [...inbox.keys()].sort().slice(0, 2)) inbox.delete(id)
    }
    if ('one' in todo) {
      const [id, chosen] = pick(todo.what === 'accept' ? spam : inbox, todo.one) ?? []
      if (id === undefined || !chosen) return
      if (todo.what === 'mark') {
        expect(outcomeOf('markSpam', { id })).toBe('done')
        inbox.delete(id)
        spam.set(id, chosen)
      } else if (todo.what === 'accept') {
        const isRefused = chosen.chosen.some(isFull)
        expect(outcomeOf('acceptSpam', { id, ...hashes(chosen) })).toBe(isRefused ? 'refused' : 'done')
        if (isRefused) return
        spam.delete(id)
        inbox.set(id, chosen)
      } else {
        expect(outcomeOf('deleteSubmissions', { list: 'inbox', ids: [id] })).toBe('done')
        inbox.delete(id)
      }
    }
  }

  return { step, folder, removeAll }
}

describe('places, and values that come once', () => {
  test('are those of a model, after any operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 60 }), async (all) => {
        const { step, folder, removeAll } = open()
        for (const one of all) await step(one as Operation)
        expectSound(folder)
        removeAll()
        expectSound(folder)
      }),
      { numRuns: runsOf(100), endOnFailure: true },
    )
  })

  test('are kept by spam that was deleted and imported into the inbox, when its old rows are removed', async () => {
    const { step, folder } = open()
    const spam = { choice: { chosen: ['A'], value: 'a' }, reason: 'honeypot' as const }
    const steps: Operation[] = [
      { what: 'limit', places: { A: 1 }, once: 'refuse' },
      { what: 'send', all: [spam] },
      { what: 'deleteSpam' },
      { what: 'import', all: [], again: true },
      { what: 'count' },
      { what: 'remove' },
      { what: 'send', all: [{ ...spam, reason: undefined }] },
    ]
    for (const one of steps) await step(one)
    expectSound(folder)
  })

  test('are known of what another machine imports while a slice is counted', async () => {
    const { step, folder } = open()
    const one = { chosen: ['A' as const], value: 'a' }
    const steps: Operation[] = [
      { what: 'send', all: [{ choice: { chosen: [], value: undefined }, reason: undefined }] },
      { what: 'limit', places: { A: 1 }, once: 'refuse' },
      { what: 'importWhileCounting', all: [one] },
      { what: 'count' },
      { what: 'send', all: [{ choice: { chosen: [], value: 'a' }, reason: undefined }] },
    ]
    for (const one of steps) await step(one)
    expectSound(folder)
  })
})
