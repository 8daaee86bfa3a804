import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createdAt } from '../../../../src/base/id.ts'
import { filesIn, formbox, oneLine } from '../../../commands/formbox.ts'
import { temporaryFolder } from '../../../harness.ts'
import { openData } from '../../../storage/data.ts'

/** A form with two submissions in the data folder `data` below the working folder. */
const withForm = () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'data'))
  const data = openData(join(folder, 'data'))
  const ids = data.submit(data.formId, ['2026-11-01T08:00:00Z', '2026-11-02T08:00:00Z'].map(Date.parse))
  const rows = ids.map((id, number) => `${id},${createdAt(id)},${number},\r\n`)
  const run = (...words: string[]) => formbox(['export', data.formId, ...words, '--data', 'data'], { folder })
  return { ...data, write: data.run, folder, rows, csv: `id,createdAt,number,more\r\n${rows.join('')}`, run }
}

describe('formbox export', () => {
  test('prints CSV, and other formats where they are asked for', async () => {
    const { run, csv, formId } = withForm()
    expect(await run()).toEqual({ exitCode: 0, stdout: csv, stderr: '' })
    const { stdout } = await run('--format', 'ndjson')
    expect(stdout.split('\n', 1).map((line) => JSON.parse(line))).toMatchObject([{ formId, data: { number: 0 } }])
    expect(JSON.parse((await run('--format', 'json')).stdout)).toHaveLength(2)
  })

  test('prints those of a date range', async () => {
    const { run, rows } = withForm()
    const { stdout } = await run('--start-date', '2026-11-02', '--end-date', '2026-11-02T08:00:00Z')
    expect(stdout).toBe(`id,createdAt,number,more\r\n${rows[1]}`)
  })

  test('prints the times of a time zone, which an import reads as they were', async () => {
    const { run, csv, folder, formId } = withForm()
    const { stdout } = await run('--zone', 'asia/kathmandu')
    expect(stdout).toContain(',2026-11-01T13:45:00.000+05:45,0,')
    expect((await run('--zone', 'Here')).stderr).toContain('--zone: must be the name of a time zone')
    await run('--zone', 'Asia/Kathmandu', '--output', 'out.csv')
    const more = await formbox(['import', formId, 'out.csv', '--data', 'data'], { folder })
    expect(more).toMatchObject({ exitCode: 0 })
    expect((await run()).stdout).toBe(csv)
  })

  test('writes a file for its owner alone, in the format that its name says', async () => {
    const { run, csv, folder } = withForm()
    expect(await run('--output', 'out.csv')).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe(csv)
    expect(statSync(join(folder, 'out.csv')).mode & 0o777).toBe(0o600)
    await run('--bom', '--output', 'bom.csv')
    expect(readFileSync(join(folder, 'bom.csv'))).toEqual(Buffer.from(`\ufeff${csv}`))
    await run('--output', 'out.JSON')
    expect(JSON.parse(readFileSync(join(folder, 'out.JSON'), 'utf8'))).toHaveLength(2)
    expect(filesIn(folder).filter((name) => !name.startsWith('data'))).toEqual(['bom.csv', 'out.JSON', 'out.csv'])
  })

  test('overwrites a file only with --force, and no file of the data folder', async () => {
    const { run, csv, folder } = withForm()
    writeFileSync(join(folder, 'out.csv'), 'mine')
    const { exitCode, stderr } = await run('--output', 'out.csv')
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(oneLine)])
    expect(stderr).toContain('already exists')
    expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe('mine')
    expect((await run('--output', 'data/formbox.db', '--force')).exitCode).toBe(1)
    expect((await run('--output', 'out.csv', '--force')).exitCode).toBe(0)
    expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe(csv)
  })

  test.each([
    ['an unknown format', ['--format', 'xml'], 2, 'csv, ndjson, json'],
    ['what is not a date', ['--start-date', 'yesterday'], 2, '--start-date: must be a date (2026-11-21) or'],
    ['a date-time without offset', ['--end-date', '2026-11-21T08:01'], 2, 'with an offset (2026-11-21T08:01:00Z)'],
    [
      'dates in the wrong order',
      ['--start-date', '2026-11-02', '--end-date', '2026-11-01'],
      2,
      '--start-date: must not be after --end-date',
    ],
    ['a folder that does not exist', ['--output', 'none/out.csv'], 1, 'folder does not exist'],
  ])('refuses %s in one line, and leaves nothing behind', async (_, words, code, reason) => {
    const { run, folder } = withForm()
    const { exitCode, stdout, stderr } = await run(...words)
    expect([exitCode, stdout, stderr]).toEqual([code, '', expect.stringMatching(oneLine)])
    expect(stderr).toContain(reason)
    expect(filesIn(folder).filter((name) => !name.startsWith('data'))).toEqual([])
  })

  test('refuses a form that does not exist, or no longer, in one line', async () => {
    const data = withForm()
    data.write('deleteForms', { userId: data.userId, now: Date.now(), ids: [data.formId] })
    const { exitCode, stdout, stderr } = await data.run()
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringMatching(oneLine)])
    expect(stderr).toContain(`there is no form "${data.formId}"`)
  })
})
