import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { createdAt, idAt } from '../../../../src/base/id.ts'
import { caughtUp, dataOf, expectEqual } from '../../../cluster/data-files.ts'
import { addUser, call, type Machine, newForm, startCluster } from '../../../cluster/machines.ts'
import { whyNoPostgres } from '../../../cluster/postgres.ts'
import { formbox } from '../../../commands/formbox.ts'
import { someBytes, submitFiles } from '../../../export/archived.ts'
import { temporaryFolder } from '../../../harness.ts'
import { program } from '../../../program.ts'
import { noteSkipped } from '../../../skips.ts'
import { openData } from '../../../storage/data.ts'
import { slowly, until } from '../../../until.ts'

setDefaultTimeout(180_000)

const reason = whyNoPostgres()
if (reason) noteSkipped(`Skipping imports in a cluster: ${reason}.`)

const dayMilliseconds = 86_400_000

/** A file of submissions of which every hundredth is long, with the newest first. */
const fileOf = async (count: number): Promise<string> => {
  const path = join(temporaryFolder(), 'exported.ndjson')
  const lines = Array.from({ length: count }, (_, i) => {
    const id = idAt(Date.UTC(2026, 0, 1) + (count - i) * 1000, 0)
    const data = { number: i, text: 'x'.repeat(i % 100 === 0 ? 70_000 : 300) }
    return JSON.stringify({ id, createdAt: createdAt(id), data })
  })
  await Bun.write(path, lines.join('\n'))
  return path
}

const totalOn = async (machine: Machine, key: string, form: string): Promise<number> =>
  (await call(machine, key, 'GET', `/forms/${form}/submissions?perPage=1`)).body.pagination.total

const stagedOn = ({ folder }: Machine): number => {
  const db = dataOf({ folder })
  try {
    return db.query<{ count: number }, []>('SELECT count(*) AS count FROM staged_rows').get()?.count ?? 0
  } finally {
    db.close()
  }
}

describe.skipIf(reason !== null)('formbox import in a cluster', () => {
  test('imports on all machines, beside a server and without one', async () => {
    const cluster = await startCluster()
    const [one, two] = await Promise.all([cluster.start('one'), cluster.start('two')])
    const key = await addUser(one)
    const form = await newForm(one, key)
    const path = await fileOf(2000)
    expect(await one.run('import', form, path, '--dry-run')).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('Would import 2000 submissions, dated 2026-01-01T00:00:01.000Z to '),
    })
    expect(await totalOn(one, key, form)).toBe(0)
    const imported = await one.run('import', form, path)
    expect(imported).toMatchObject({ exitCode: 0, output: expect.stringContaining('Imported 2000 submissions, dated') })
    await expectEqual([one, two])
    expect(await totalOn(two, key, form)).toBe(2000)
    expect((await two.run('import', form, path)).output).toBe(
      'Imported 0 submissions; the form has 2000 submissions of the file already\n',
    )
    const { body } = await call(two, key, 'GET', `/forms/${form}/submissions?perPage=1`)
    const [newest] = body.submissions
    expect(newest.data).toEqual({ number: 0, text: 'x'.repeat(70_000) })
    await call(two, key, 'DELETE', `/forms/${form}/submissions/${newest.id}`)
    await caughtUp(one, two)
    await one.stop()
    expect((await one.run('import', form, path)).output).toContain(
      '; the form has 1999 submissions of the file already',
    )
    await caughtUp(two, one)
    expect(await totalOn(two, key, form)).toBe(2000)
    expect(stagedOn(two)).toBe(0)
    await expectEqual([one, two])
  })

  test('imports through the API of one machine, and takes that back through the other', async () => {
    const cluster = await startCluster()
    const [one, two] = await Promise.all([cluster.start('one'), cluster.start('two')])
    const key = await addUser(one)
    const form = await newForm(one, key)
    const sent = await fetch(`${one.url}/api/v1/forms/${form}/imports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      body: Bun.file(await fileOf(3000)),
    })
    const { id } = (await sent.json()) as { id: string }
    expect(sent.status).toBe(200)
    const path = `/forms/${form}/imports/${id}`
    const isAt = async (machine: Machine, state: string) => {
      const { body } = await call(machine, key, 'GET', path)
      return body.state === state && body.progress === 1
    }
    await until(() => isAt(two, 'done'), 'both machines have all of it', slowly)
    expect(await totalOn(two, key, form)).toBe(3000)
    await expectEqual([one, two])
    await call(two, key, 'DELETE', path)
    await until(() => isAt(one, 'removed'), 'both machines have removed it', slowly)
    expect(await totalOn(one, key, form)).toBe(0)
    await until(() => stagedOn(one) === 0 && stagedOn(two) === 0, 'no staged rows are left', slowly)
    await expectEqual([one, two])
  })

  test('imports an archive with its files on all machines, in rows of the log of less than 1 MiB', async () => {
    const from = openData()
    const sent = Array.from({ length: 60 }, (_, i) => someBytes(i === 0 ? 3_000_000 : i * 100))
    const ids = sent.map((bytes, i) => submitFiles(from, { cv: [{ name: `${i}.bin`, bytes }] }).id)
    const archive = join(temporaryFolder(), 'contact.zip')
    await formbox(['export', from.formId, '--data', from.folder, '--output', archive])
    const cluster = await startCluster()
    const [one, two] = await Promise.all([cluster.start('one'), cluster.start('two')])
    const key = await addUser(one)
    const form = await newForm(one, key)
    expect((await one.run('import', form, archive)).output).toContain('Imported 60 submissions with 60 files, dated')
    await expectEqual([one, two])
    const db = dataOf(two)
    const pieces = db.query<{ bytes: Uint8Array }, [string]>(
      `SELECT bytes FROM files JOIN file_pieces AS pieces ON pieces.number / 4096 = files.number
       WHERE submission = ? AND staged_by IS NULL ORDER BY pieces.number`,
    )
    const found = ids.map((id) => Buffer.concat(pieces.all(id).map(({ bytes }) => bytes)))
    db.close()
    expect(found.map((bytes, i) => bytes.equals(sent[i] as Uint8Array))).toEqual(sent.map(() => true))
    expect(stagedOn(two)).toBe(0)
    const again = await two.run('import', form, archive)
    expect(again.output).toBe('Imported 0 submissions; the form has 60 submissions of the file already\n')
    await expectEqual([one, two])
  })

  test('imports nothing if it is broken off, and what has come by then is removed on all machines a day later', async () => {
    const cluster = await startCluster()
    const [one, two] = await Promise.all([cluster.start('one'), cluster.start('two')])
    const key = await addUser(one)
    const path = await fileOf(20_000)
    /** Returns the form into which half of the file was imported. An import may be done before it is killed. */
    const importHalf = async (): Promise<string> => {
      const form = await newForm(one, key)
      const importing = Bun.spawn([...program, 'import', form, path], { env: one.environment, stdout: 'ignore' })
      await until(() => stagedOn(two) > 0 || importing.exitCode !== null, 'the import has staged rows', slowly)
      importing.kill('SIGKILL')
      await importing.exited
      await caughtUp(two, one)
      return (await totalOn(one, key, form)) === 0 ? form : await importHalf()
    }
    const form = await importHalf()
    expect(stagedOn(two)).toBeGreaterThan(0)
    expect(await totalOn(two, key, form)).toBe(0)
    // Their clocks cannot be set, so what they have is made older, on both alike.
    await one.stop()
    await two.stop()
    const older = idAt(Date.now() - 2 * dayMilliseconds, 0)
    for (const machine of [one, two]) {
      const db = dataOf(machine)
      db.run('UPDATE staged_rows SET import_id = ?', [older])
      db.run("UPDATE imports SET id = ?, began_at = began_at - ? WHERE state = 'staging'", [older, 2 * dayMilliseconds])
      db.close()
    }
    const [first, second] = await Promise.all(
      [one, two].map(({ name, folder }) => cluster.start(name, { folder })) as [Promise<Machine>, Promise<Machine>],
    )
    await until(() => stagedOn(first) === 0 && stagedOn(second) === 0, 'no staged rows are left', slowly)
    expect(await totalOn(second, key, form)).toBe(0)
    expect((await second.run('import', form, path)).output).toContain('Imported 20000 submissions')
    await expectEqual([first, second])
    expect(await totalOn(first, key, form)).toBe(20_000)
  })
})
