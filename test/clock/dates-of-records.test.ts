import { describe, expect, test } from 'bun:test'
import { serverWithClock } from '../harness.ts'

const startWithClock = async (time: string) => {
  const { clock, server } = await serverWithClock(Date.parse(time))
  return { clock, server, ada: await server.signUp() }
}

describe('decision 7: timestamps', () => {
  test('are the moment of the request, to the millisecond', async () => {
    const { clock, server, ada } = await startWithClock('2026-01-01T00:00:00.000Z')
    const id = await ada.createForm()
    clock.now = Date.parse('2026-01-02T03:04:05.006Z')
    const submission = await server.submit(id, { n: 1 })
    clock.now = Date.parse('2026-12-31T23:59:59.999Z')
    await ada.call('PATCH', `/forms/${id}`, { title: 'New' })

    const form = (await ada.call('GET', `/forms/${id}`)).body
    expect(form).toMatchObject({ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-12-31T23:59:59.999Z' })
    const one = (await ada.call('GET', `/forms/${id}/submissions/${submission}`)).body
    expect(one.createdAt).toBe('2026-01-02T03:04:05.006Z')
  })
})

describe('decision 13: updatedAt', () => {
  test('moves with each update that names a field, also to the value that is there, and with nothing else', async () => {
    const { clock, server, ada } = await startWithClock('2026-01-01T00:00:00Z')
    const id = await ada.createForm()
    const updatedAt = async () => (await ada.call('GET', `/forms/${id}`)).body.updatedAt
    const steps: [change: () => Promise<unknown>, moves: boolean][] = [
      [() => ada.call('PATCH', `/forms/${id}`, {}), false],
      [() => server.submit(id, { n: 1 }), false],
      [() => ada.call('PATCH', `/forms/${id}`, { title: 'New' }), true],
      [() => ada.call('PATCH', `/forms/${id}`, { title: 'New' }), true],
      [() => ada.call('PATCH', `/forms/${id}`, { keys: [], unknown: 1 }), false],
      [() => ada.call('PATCH', '/forms/bulk', { forms: [{ id }] }), false],
      [() => ada.call('PATCH', '/forms/bulk', { forms: [{ id, description: null }] }), true],
      [() => ada.call('POST', `/forms/${id}/duplicate`), false],
      [() => ada.call('PATCH', `/forms/${id}`, { title: '' }), false],
      [() => ada.call('PATCH', '/forms/bulk', { forms: [{ id, title: 'x' }, { id: 'nope' }] }), false],
      [() => server.submit(id, { n: 2 }), false],
    ]
    let expected: string | null = null
    for (const [change, moves] of steps) {
      clock.now += 1000
      await change()
      if (moves) expected = new Date(clock.now).toISOString()
      expect(await updatedAt()).toBe(expected)
    }
  })
})

describe('a clock that is set back', () => {
  test('by less than a second leaves the order of arrival', async () => {
    const { clock, server, ada } = await startWithClock('2026-01-01T00:00:00.900Z')
    const form = await ada.createForm()
    const ids: string[] = []
    for (const step of [0, -400, 100, -100, -500, 300]) {
      clock.now += step
      ids.push(await server.submit(form, { n: step }))
    }
    const { submissions } = (await ada.call('GET', `/forms/${form}/submissions`)).body
    expect(submissions.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
  })

  // The totals are kept in stretches of 128: this one arrives in the middle of one that is full.
  test('by more leaves every total exact', async () => {
    const { clock, server, ada } = await startWithClock('2026-01-01T00:00:00Z')
    const form = await ada.createForm()
    const times: number[] = []
    for (let n = 0; n < 128; n++) {
      clock.now += 1000
      await server.submit(form, { n })
      times.push(clock.now)
    }
    clock.now -= 100_000
    await server.submit(form, { n: 128 })
    times.push(clock.now)

    for (const bound of [times[0], times[27], times[28], times[29], times[127]] as number[]) {
      const at = new Date(bound).toISOString()
      const total = async (query: string) =>
        (await ada.call('GET', `/forms/${form}/submissions?${query}`)).body.pagination.total
      expect([at, await total(`endDate=${at}`)]).toEqual([at, times.filter((time) => time <= bound).length])
      expect([at, await total(`startDate=${at}`)]).toEqual([at, times.filter((time) => time >= bound).length])
    }
  })
})
