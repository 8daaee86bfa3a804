import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { serve, signUp } from '../../../commands/formbox.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'

describe('the death of the thread that writes', () => {
  test('ends the server with exit code 1 and one line that says why, and nothing that was answered is lost', async () => {
    const preload = `--preload ${join(import.meta.dir, '../../../storage/mortal-preload.ts')}`
    const server = await serve(['--data', 'data'], { environment: { BUN_OPTIONS: preload } })
    const key = await signUp(server.folder)
    const createForm = (title: string) =>
      fetch(`${server.url}/api/v1/forms`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ title }),
      }).catch(() => undefined)
    expect((await createForm('Before'))?.status).toBe(200)

    const titles = ['die', ...Array.from({ length: 20 }, (_, i) => `Beside ${i}`)]
    const answers = await Promise.all(titles.map(createForm))
    const answered = titles.filter((_, position) => answers[position]?.ok)
    expect(await createForm('After')).toBeUndefined()

    const { exitCode, stderr } = await server.end()
    expect(stderr).toBe('formbox: the writer died, so nothing can be saved: its thread ended\n')
    expect(exitCode).toBe(1)
    const folder = join(server.folder, 'data')
    const stored = rowsOf(folder, 'SELECT title FROM forms').map(({ title }) => title)
    expect(stored).toEqual(expect.arrayContaining(['Before', ...answered]))
    expect(stored).not.toContain('die')
    expectSound(folder)

    const again = await serve(['--data', 'data'], { folder: server.folder })
    expect((await fetch(`${again.url}/healthz`)).status).toBe(200)
  })
})
