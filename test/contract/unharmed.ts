// Checks that broken or hostile input changes nothing in the service.
import { expect } from 'bun:test'
import { millisecondsOf, processorMillisecondsOf } from '../expect-below.ts'
import type { Server, User } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { world } from '../world.ts'

/** What hangs computes for half a minute. */
const maxMilliseconds = 10_000

export interface Setting {
  readonly server: Server
  readonly ada: User
  /** A form with one submission. */
  readonly formId: string
  /** Fails unless everything is as before, and the service still answers. */
  readonly expectUnharmed: () => Promise<void>
}

export const prepare = async (): Promise<Setting> => {
  const { server, ada, formId } = await world()
  const submit = () => server.fetch(`/s/${formId}`, { method: 'POST', body: new URLSearchParams({ a: '1' }) })
  await submit()
  const state = async () => [
    (await ada.call('GET', '/forms')).body,
    (await ada.call('GET', `/forms/${formId}/submissions`)).body,
  ]
  const before = await state()
  const expectUnharmed = async () => {
    expect(await state()).toEqual(before)
    expect((await server.fetch('/healthz')).status).toBe(200)
    expect((await submit()).status).toBe(200)
    expect((await ada.call('GET', `/forms/${formId}`)).body.submissionCount).toBe(2)
  }
  return { server, ada, formId, expectUnharmed }
}

/** Fails if the work takes more of the processor than a refusal may take. The executable has its own: there, the time. */
export const inTime = async <T>(work: Promise<T>): Promise<T> => {
  let result: T | undefined
  const measure = isCompiled ? millisecondsOf : processorMillisecondsOf
  const took = await measure(async () => {
    result = await work
  })
  expect(took).toBeLessThan(maxMilliseconds)
  return result as T
}
