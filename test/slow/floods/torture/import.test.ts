// An import beside a server whose users go on: what visitors wait, and what is there in the end.
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder, writeKey } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { openData } from '../../../storage/data.ts'
import { expectSound } from '../../../storage/sound.ts'
import { caller, isLong, run, startProcess, tell, timeout } from '../../../torture/process.ts'

/** As many as may be imported while a server runs. */
const limit = 200_000
const count = isLong ? limit : 20_000

const serveForm = async () => {
  const folder = temporaryFolder()
  const { formId, userId } = openData(folder)
  const server = await startProcess({ folder })
  const call = caller(server.url, writeKey(folder, userId).key)
  const file = join(temporaryFolder(), 'x.csv')
  const write = (rows: number) => {
    const lines = Array.from(
      { length: rows },
      (_, i) => `${new Date((i + 1) * 1000).toISOString()},Ada ${i},${'more '.repeat(40)}\n`,
    )
    writeFileSync(file, `_date,name,message\n${lines.join('')}`)
  }
  return { folder, formId, server, call, file, write }
}

describe('an import while a server is running', () => {
  test(
    'keeps what visitors send meanwhile, and lets them wait for a moment',
    async () => {
      const { folder, formId, server, call, file, write } = await serveForm()
      write(count)
      const importing = run(folder, ['import', formId, file])
      let isOver = false
      void importing.finally(() => {
        isOver = true
      })
      let sent = 0
      let longest = 0
      for (; !isOver; sent++) {
        const startedAt = performance.now()
        const answer = await fetch(`${server.url}/s/${formId}`, {
          method: 'POST',
          body: new URLSearchParams({ a: '1' }),
        })
        expect(answer.status).toBe(200)
        longest = Math.max(longest, performance.now() - startedAt)
        // All of them at once, or none.
        const { total } = (await call('GET', `/forms/${formId}/submissions?endDate=2000-01-01`)).body.pagination
        expect([0, count]).toContain(total)
        await Bun.sleep(5)
      }
      expect((await importing).output).toStartWith(`Imported ${count} submissions`)
      tell(`${sent} submissions meanwhile, of which the slowest took ${longest.toFixed(0)} ms`)
      expect(longest).toBeLessThan(5000)
      expect((await call('GET', `/forms/${formId}`)).body.submissionCount).toBe(count + sent)
      expectSound(folder)
    },
    timeout,
  )

  if (!isLong) noteSkipped('An import that would let others wait is not tried: only make torture has the time.')
  test.skipIf(!isLong)(
    'is refused if it would let them wait for longer, and is not without a server',
    async () => {
      const { folder, formId, server, call, file, write } = await serveForm()
      write(limit + 1)
      const { exitCode, errors } = await run(folder, ['import', formId, file])
      expect([exitCode, errors]).toEqual([
        1,
        expect.stringContaining('more than 200000 submissions, the most while a server is running'),
      ])
      expect((await call('GET', `/forms/${formId}`)).body).toMatchObject({ submissionCount: 0, keys: [] })
      server.kill('SIGTERM')
      await server.exited
      expect((await run(folder, ['import', formId, file])).output).toStartWith(`Imported ${limit + 1} submissions`)
      expectSound(folder)
    },
    timeout,
  )
})
