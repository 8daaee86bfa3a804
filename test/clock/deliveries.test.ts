import { describe, expect, test } from 'bun:test'
import { addWebhook, allowed, startReceiver } from '../deliveries/receiver.ts'
import { startServer } from '../harness.ts'
import { rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'

const day = 86_400_000
const noon = Date.UTC(2026, 10, 22, 12)

/** A form whose webhook takes nothing until `isWell` is set. */
const setUp = async (now: number) => {
  const clock = { now }
  const state = { isWell: false }
  const receiver = startReceiver(() => new Response(null, { status: state.isWell ? 204 : 503 }))
  const server = await startServer({ now: () => clock.now, settings: allowed })
  const ada = await server.signUp()
  const formId = await ada.createForm()
  addWebhook(server.folder, ada, formId, receiver.url)
  const submit = (count: number) => Promise.all(Array.from({ length: count }, (_, i) => server.submit(formId, { i })))
  const count = (state: string, attempts: number) =>
    rowsOf<{ count: number }>(
      server.folder,
      `SELECT count(*) AS count FROM deliveries WHERE state = '${state}' AND attempts = ${attempts} AND claimed_by IS NULL`,
    )[0]?.count
  return { clock, state, receiver, submit, count }
}

describe('a clock that is set', () => {
  test('back by a year lets no delivery wait for a year', async () => {
    const { clock, state, submit, count } = await setUp(noon + 365 * day)
    await submit(3)
    await until(() => count('pending', 1) === 3, 'three deliveries were tried once')
    clock.now = noon
    state.isWell = true
    await submit(1)
    await until(() => count('delivered', 2) === 3 && count('delivered', 1) === 1, 'all four are delivered')
  })

  test('forward by a year tries what waits once, at the usual pace, and switches nothing off', async () => {
    const { clock, receiver, submit, count } = await setUp(noon)
    await submit(60)
    await until(() => count('pending', 1) === 60, 'sixty deliveries were tried once')
    clock.now = noon + 365 * day
    const startedAt = performance.now()
    await submit(1)
    await until(() => count('pending', 2) === 60 && count('pending', 1) === 1, 'sixty deliveries were tried again')
    expect(receiver.arrived).toHaveLength(121)
    // Ten in each tenth of a second.
    expect(performance.now() - startedAt).toBeGreaterThan(450)
  })
})
