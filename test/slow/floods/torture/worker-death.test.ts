import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../../harness.ts'
import { startLoad } from '../../../load.ts'
import { caller, createUser, faultsOf, isLong, listAll, startProcess, tell, timeout } from '../../../torture/process.ts'

test(
  'a writer whose thread ends takes the process with it, and nothing that was answered',
  async () => {
    const folder = temporaryFolder()
    const key = createUser(folder)
    const rounds = isLong ? 20 : 1
    let count = 0
    for (let round = 0; round < rounds; round++) {
      const server = await startProcess({
        folder,
        settings: { BUN_OPTIONS: `--preload=${join(import.meta.dir, '../../../torture/ending-worker.ts')}` },
      })
      const formId = (await caller(server.url, key)('POST', '/forms', { title: 'Contact' })).body.id
      const load = startLoad({ url: server.url, formId, run: String(round) })
      await load.reached(300)

      server.kill('SIGUSR2')

      expect(await server.ended()).toEqual({ exitCode: 1, signal: null })
      await load.stop()
      expect(server.errors()).toBe('formbox: the writer died, so nothing can be saved: its thread ended\n')
      expect(faultsOf(folder)).toEqual([])
      const again = await startProcess({ folder })
      const { submissions } = await listAll(caller(again.url, key), formId)
      const values = new Map(submissions.map(({ id, data }) => [id, data.value]))
      expect(values.size).toBe(submissions.length)
      expect(load.answered.filter(({ id, value }) => values.get(id) !== value)).toEqual([])
      again.kill('SIGKILL')
      await again.ended()
      count += load.answered.length
    }
    tell(`${rounds} deaths of the thread, ${count} submissions answered before them, all there`)
  },
  timeout,
)
