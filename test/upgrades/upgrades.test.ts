import { describe, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { migrations } from '../../src/storage/migrations.ts'
import { formbox } from '../commands/formbox.ts'
import { startServer, temporaryFolder } from '../harness.ts'
import { dataFile, expectSound, rowsOf } from '../storage/sound.ts'
import { type Kept, readEverything } from './kept.ts'

const versions = [...new Glob('*.db.gz').scanSync(import.meta.dir)].map((name) => name.replace('.db.gz', '')).sort()

const openKept = async (version: string): Promise<{ folder: string; kept: Kept }> => {
  const folder = temporaryFolder()
  const path = join(import.meta.dir, version)
  const unzip = async (suffix: string) => Bun.gunzipSync(await Bun.file(path + suffix).bytes())
  await Bun.write(dataFile(folder), await unzip('.db.gz'))
  return { folder, kept: JSON.parse(new TextDecoder().decode(await unzip('.json.gz'))) as Kept }
}

describe('the data of a released version', () => {
  test('is kept, and small, for every version in the changelog', () => {
    const changelog = readFileSync(join(import.meta.dir, '../../CHANGELOG.md'), 'utf8')
    const released = [...changelog.matchAll(/^## \[?v?(\d+\.\d+\.\d+[^\]\s]*)/gm)].map(([, version]) => version ?? '')
    expect(versions).toEqual(expect.arrayContaining(released))
    expect(versions.length).toBeGreaterThan(0)
    for (const version of versions)
      expect(statSync(join(import.meta.dir, `${version}.db.gz`)).size).toBeLessThan(50_000)
  })

  test.each(versions)('%s is all there, and goes on being used', async (version) => {
    const { folder, kept } = await openKept(version)
    const server = await startServer({ folder })
    for (const key of [kept.key, kept.readOnlyKey]) {
      // Later versions may tell more of a form or a submission, and never less.
      const answers = await readEverything(server.url, key)
      expect(answers).toMatchObject(kept.answers)
    }
    const [form] = kept.answers.forms.filter(({ submissionCount }) => submissionCount === 40)
    const visit = {
      method: 'POST',
      headers: { origin: 'https://example.com' },
      body: new URLSearchParams({ new: '1' }),
    }
    const submitted = await server.fetch(`/s/${form?.id}`, visit)
    expect(submitted.status).toBe(200)
    const { forms } = await readEverything(server.url, kept.key)
    expect(forms.find(({ id }) => id === form?.id)).toMatchObject({ submissionCount: 41 })
    await server.stop()
    expectSound(folder)
    expect(rowsOf(folder, 'SELECT name FROM migrations').map(({ name }) => name)).toEqual(
      migrations.map(({ name }) => name),
    )
    const { stdout } = await formbox(['user', 'list', '--data', folder])
    for (const user of kept.users) expect(stdout).toContain(user)
  })

  test.each(versions)('%s can be restored from a backup of then', async (version) => {
    const { folder, kept } = await openKept(version)
    const data = temporaryFolder()
    expect(await formbox(['restore', dataFile(folder), '--data', data])).toMatchObject({ exitCode: 0, stderr: '' })
    const server = await startServer({ folder: data })
    expect(await readEverything(server.url, kept.key)).toMatchObject(kept.answers)
  })
})
