// What a search costs beside others who only read, and what these wait.
import { describe, expect, test } from 'bun:test'
import { expectBelow, millisecondsOf } from '../../../expect-below.ts'
import { forThisFile, temporaryFolder, writeKey } from '../../../harness.ts'
import { openData } from '../../../storage/data.ts'
import { caller, isLong, startProcess, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const count = isLong ? 500_000 : 100_000
const perSecond = 400
/** How many times as long a search takes beside that many reads a second. With pauses of 20 ms, it was 30 to 60. */
const maxSlowdown = isLong ? 4 : 8

/** A form with many submissions, and another form, which others read. */
const serve = async () => {
  const folder = temporaryFolder()
  const data = openData(folder)
  const start = Date.now() - count
  data.submit(
    data.formId,
    Array.from({ length: count }, (_, i) => start + i),
  )
  const { key } = writeKey(folder, data.userId)
  const settings = { FORMBOX_RATE_LIMIT: '0' }
  const server = await startProcess({ folder, settings })
  const call = caller(server.url, key)
  const other = data.createForm(data.userId, 'Other')

  /** Looks through all submissions. */
  const search = async (): Promise<void> => {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body } = await call('GET', `/forms/${data.formId}/submissions/search?q=nowhere&cursor=${cursor}`)
      expect(status).toBe(200)
      cursor = body.next
    }
  }
  /** Erases everything of a person who has sent nothing. */
  const erase = async (): Promise<void> => {
    const { status, body } = await call('POST', '/personal-data/erase', { value: 'ada@example.com', count: 0 })
    expect([status, body.erased]).toEqual([200, 0])
  }

  /** Reads at that pace until it is stopped. Returns what each of the readers waited. */
  const startReading = () => {
    const waits: number[] = []
    let isOver = false
    const reading = (async () => {
      const startedAt = performance.now()
      const all: Promise<unknown>[] = []
      for (let sent = 0; !isOver; await Bun.sleep(1))
        for (; sent < ((performance.now() - startedAt) / 1000) * perSecond; sent++)
          all.push(millisecondsOf(() => call('GET', `/forms/${other}`)).then((waited) => waits.push(waited)))
      await Promise.all(all)
    })()
    const stop = async (): Promise<number[]> => {
      isOver = true
      await reading
      return waits
    }
    return { stop, begun: until(() => waits.length > 20, 'others read', slowly) }
  }
  return { search, erase, startReading }
}

let serving: ReturnType<typeof serve> | undefined
const served = () => (serving ??= forThisFile(serve))

describe(`beside ${perSecond} reads a second`, () => {
  test.each(['search', 'erase'] as const)(
    `to %s in ${count} submissions takes little longer than alone`,
    async (name) => {
      const { startReading, ...works } = await served()
      const work = works[name]
      await work()
      await expectBelow(maxSlowdown, async () => {
        const alone = await millisecondsOf(work)
        const { stop, begun } = startReading()
        await begun
        const beside = await millisecondsOf(work)
        const waits = (await stop()).sort((a, b) => a - b)
        const p99 = waits[Math.floor(waits.length * 0.99)] as number
        tell(`${name}: ${alone.toFixed(0)} ms alone, ${beside.toFixed(0)} beside; others: p99 ${p99.toFixed(1)} ms`)
        return beside / alone
      })
    },
    timeout,
  )
})
