import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { matchingReader } from '../../src/site/chosen.ts'

/** Reads all of a filter of which each part has one submission, and calls this after each part. */
const readAll = async (parts: number, afterPart: (read: number, abort: () => void) => void = () => undefined) => {
  const aborting = new AbortController()
  let read = 0
  let isEnded = false
  const readMatching = matchingReader({
    inbox: {
      read: async () => {
        read++
        afterPart(read, () => aborting.abort())
        const submissions = [{ form: { id: 'form' }, submission: { id: newId(Date.now()) } }]
        return { submissions, next: read < parts ? String(read) : null } as never
      },
    },
    sessions: { isLive: () => !isEnded },
  })
  const visit = { session: { userId: 'ada' }, request: { signal: aborting.signal } } as never
  const asked = { state: 'open', unread: '', form: '', group: '', q: '', startDate: '', endDate: '' } as never
  return { reading: readMatching(visit, asked), readParts: () => read, end: () => (isEnded = true) }
}

describe('all that match in the inbox', () => {
  test('are read in turns, between which others come', async () => {
    let readBefore = 0
    const { reading, readParts } = await readAll(50)
    setImmediate(() => (readBefore = readParts()))
    expect((await reading).chosen).toHaveLength(50)
    // All of them, if they were read in one turn.
    expect(readBefore).toBeLessThan(50)
  })

  test('are nothing for someone who has left, or whose session has ended', async () => {
    const left = await readAll(50, (read, abort) => read === 2 && abort())
    expect(await left.reading).toEqual({ chosen: [], hasMore: false })
    expect(left.readParts()).toBe(2)
    const ended = await readAll(50)
    ended.end()
    expect(ended.reading).rejects.toThrow('Your session has ended')
  })
})
