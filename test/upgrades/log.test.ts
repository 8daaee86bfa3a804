import { describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { prepareDataFolder } from '../../src/storage/data-folder.ts'
import type { Migration } from '../../src/storage/load-migrations.ts'
import { migrations } from '../../src/storage/migrations.ts'
import { connect } from '../../src/storage/open.ts'
import { createBatchExecutor } from '../../src/storage/writer/batch.ts'
import { joinWrites } from '../../src/upkeep/all-writes.ts'
import { afterThisTest, temporaryFolder } from '../harness.ts'
import { fill, type KeptLog, maxBytes, tablesOf } from './kept-log.ts'

const versions = [...new Glob('*.log.gz').scanSync(import.meta.dir)].map((name) => name.replace('.log.gz', '')).sort()

const open = (folder: string, list: readonly Migration[] = migrations) => {
  prepareDataFolder(folder, { list })
  const db = connect(folder)
  db.$client.run('PRAGMA synchronous = OFF')
  afterThisTest(() => db.$client.close())
  return db
}

const readKept = async (version: string): Promise<KeptLog> => {
  const path = join(import.meta.dir, `${version}.log.gz`)
  expect(statSync(path).size).toBeLessThan(maxBytes)
  return JSON.parse(new TextDecoder().decode(Bun.gunzipSync(await Bun.file(path).bytes())))
}

/** What a machine has that was upgraded after it had executed the rows. */
const upgradedAfterwards = (kept: KeptLog, list: readonly Migration[] = migrations) => {
  const folder = temporaryFolder()
  const db = open(folder, migrations.slice(0, kept.migrations))
  fill(db.$client, kept.tables)
  db.$client.close()
  return tablesOf(open(folder, list).$client)
}

/** What one has that was upgraded first, because it was behind. */
const upgradedBefore = (kept: KeptLog, list: readonly Migration[] = migrations) => {
  const db = open(temporaryFolder(), list)
  const execute = createBatchExecutor(db, joinWrites(db))
  for (const row of kept.rows) execute(JSON.parse(row))
  return tablesOf(db.$client)
}

describe('the log of an earlier version', () => {
  test('is kept', () => expect(versions).not.toEqual([]))

  test.each(versions)(
    '%s makes the same of a file that was upgraded before it as of one that is afterwards',
    async (version) => {
      const kept = await readKept(version)
      const [after, before] = [upgradedAfterwards(kept), upgradedBefore(kept)]
      expect(after.submissions?.length).toBeGreaterThan(50)
      for (const table of Object.keys(after)) expect(before[table], table).toEqual(after[table] ?? [])
    },
  )

  test('shows a migration that depends on when it runs', async () => {
    const kept = await readKept(versions.at(-1) as string)
    const more = (sql: string) => [...migrations, { name: '9000_more', sql }]
    const column = more("ALTER TABLE forms ADD more text NOT NULL DEFAULT 'x'")
    expect(upgradedBefore(kept, column)).toEqual(upgradedAfterwards(kept, column))
    const counted = more('UPDATE forms SET title = title || submission_count')
    expect(upgradedBefore(kept, counted)).not.toEqual(upgradedAfterwards(kept, counted))
  })
})
