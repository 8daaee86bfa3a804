import { describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { serve, signUp } from '../../../commands/formbox.ts'
import { noteSkipped } from '../../../skips.ts'
import { dataFile, expectSound, rowsOf } from '../../../storage/sound.ts'
import { expectUnavailable } from '../../../storage/unavailable.ts'

describe('a disk that is full', () => {
  // A limit on the size of files (setrlimit) is a real disk that takes no more, and can be lifted in the running process.
  if (Bun.which('prlimit') === null) noteSkipped('Skipping the full disk: there is no prlimit here.')
  test.skipIf(Bun.which('prlimit') === null)(
    'is 503 until there is room again, and loses nothing that was answered',
    async () => {
      const bash = ['bash', '-c', 'trap "" XFSZ; ulimit -S -f 700; exec "$@"', 'bash']
      const server = await serve([], { environment: { FORMBOX_DATA: 'data' }, wrap: bash })
      const key = await signUp(server.folder)
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const created = await fetch(`${server.url}/api/v1/forms`, { method: 'POST', headers, body: '{"title":"Full"}' })
      const { id } = (await created.json()) as { id: string }
      const answered: string[] = []
      const submit = async (): Promise<Response> => {
        const body = JSON.stringify({ text: 'x'.repeat(50_000) })
        const response = await fetch(`${server.url}/s/${id}`, { method: 'POST', headers, body })
        if (response.ok) answered.push(((await response.clone().json()) as { id: string }).id)
        return response
      }

      let refused = await submit()
      for (let i = 0; i < 50 && refused.ok; i++) refused = await submit()
      await expectUnavailable(refused, 5)
      for (let i = 0; i < 3; i++) await expectUnavailable(await submit(), 5)
      const whileFull = answered.length
      const read = await fetch(`${server.url}/api/v1/forms/${id}`, { headers })
      expect(await read.json()).toMatchObject({ submissionCount: whileFull, title: 'Full' })
      expect(whileFull).toBeGreaterThan(0)

      expect(Bun.spawnSync(['prlimit', `--pid=${server.pid}`, '--fsize=unlimited']).exitCode).toBe(0)
      for (let i = 0; i < 3; i++) expect((await submit()).status).toBe(200)
      server.kill('SIGTERM')

      // Once, however many writes were refused.
      const stderr = 'formbox: cannot write the data file: the disk failed to read or write\n'
      expect(await server.end()).toMatchObject({ exitCode: 0, stderr })
      const folder = join(server.folder, 'data')
      expect(statSync(dataFile(folder)).size).toBeGreaterThan(3 * 50_000)
      expect(rowsOf(folder, 'SELECT id FROM submissions ORDER BY id').map((row) => row.id)).toEqual(answered)
      expect(answered).toHaveLength(whileFull + 3)
      expectSound(folder)
    },
  )
})
