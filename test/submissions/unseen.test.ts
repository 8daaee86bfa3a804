import { describe, expect, test } from 'bun:test'
import { isNew } from '../../src/forms/unseen.ts'
import { expectSound } from '../storage/sound.ts'
import { openStores } from '../storage/stores.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const times = (count: number, start = noon) => Array.from({ length: count }, (_, i) => start + i * 1000)

const open = () => {
  const stores = openStores()
  const { form, forms, submissions, userId, formId, submit } = stores
  return {
    ...stores,
    add: (count: number, start = noon) => submit(formId, times(count, start)),
    /** The new ones, and whether as many are counted. */
    newOnes(ids: readonly string[]) {
      const now = form()
      const found = ids.filter((id) => isNew(now, id))
      return { ids: found, isCountExact: submissions.countNew(now) === found.length }
    },
    see: (id: string) => {
      form()
      return forms.markSeen(userId, formId, id)
    },
  }
}

describe('what is new since the last look at a form', () => {
  test('is nothing in a new form, and everything that came before the first look', async () => {
    const { add, newOnes } = open()
    expect(newOnes([])).toEqual({ ids: [], isCountExact: true })
    const ids = add(300)
    expect(newOnes(ids)).toEqual({ ids, isCountExact: true })
  })

  test('is what came after the submission that was seen last', async () => {
    const { add, newOnes, see, folder } = open()
    const seen = add(300)
    await see(seen.at(-1) as string)
    expect(newOnes(seen)).toEqual({ ids: [], isCountExact: true })
    const later = add(200, noon + 1_000_000)
    expect(newOnes([...seen, ...later])).toEqual({ ids: later, isCountExact: true })
    await see(later[149] as string)
    expect(newOnes([...seen, ...later])).toEqual({ ids: later.slice(150), isCountExact: true })
    expectSound(folder)
  })

  test('is written only when it changes, and never goes back to what was seen before', async () => {
    const { add, newOnes, see, sent, form, run, formId, userId } = open()
    const ids = add(3)
    await see(ids[2] as string)
    const after = form()
    await see(ids[2] as string)
    await see(ids[0] as string)
    run('markSeen', { userId, id: formId, newestSeen: ids[0] })
    expect(form()).toEqual(after)
    expect(sent).toEqual(['markSeen'])
    expect(newOnes(ids).ids).toEqual([])
  })

  test('stays right when submissions are deleted, also the one that was seen last', async () => {
    const { add, newOnes, see, remove } = open()
    const seen = add(150)
    await see(seen.at(-1) as string)
    const later = add(150, noon + 1_000_000)
    remove([...seen.slice(100), ...later.slice(0, 20), later[149] as string])
    expect(newOnes([...seen.slice(0, 100), ...later.slice(20, 149)])).toEqual({
      ids: later.slice(20, 149),
      isCountExact: true,
    })
    remove([...seen.slice(0, 100), ...later.slice(20, 149)])
    expect(newOnes([])).toEqual({ ids: [], isCountExact: true })
  })

  test('misses nothing after the clock was set back', async () => {
    const { add, newOnes, see } = open()
    const ahead = add(2, noon + 86_400_000_000)
    await see(ahead[1] as string)
    const late = add(200)
    // Those that were dated ahead are shown as new again, for the form has one boundary.
    expect(newOnes([...late, ...ahead])).toEqual({ ids: [...late, ...ahead], isCountExact: true })
    await see(ahead[1] as string)
    expect(newOnes([...late, ...ahead])).toEqual({ ids: [], isCountExact: true })
    const last = add(1, noon + 500_000)
    expect(newOnes([...late, ...last, ...ahead])).toEqual({ ids: [...last, ...ahead], isCountExact: true })
  })

  test('leaves the form as the API shows it, and needs its owner', async () => {
    const { add, see, form, forms, createUser, formId } = open()
    const [id = ''] = add(1)
    const before = form()
    await see(id)
    expect({ ...form(), unseenFrom: '' }).toEqual(before)
    const stranger = createUser()
    expect(() => forms.findForm(stranger, formId)).toThrow('Insufficient access')
    expect(forms.markSeen(stranger, formId, id)).rejects.toThrow('Insufficient access')
  })
})
