import { expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { joinFolder } from '../../../../src/storage/folder-lock.ts'
import { importTarget, partialFile } from '../../../../src/storage/partial-file.ts'
import { removePartialFiles } from '../../../../src/upkeep/jobs/remove-partial-files.ts'
import { afterThisTest, startServer } from '../../../harness.ts'
import { program } from '../../../program.ts'
import { openData } from '../../../storage/data.ts'
import { until } from '../../../until.ts'

const startJob = (folder: string) => {
  const fail = (reason: string): void => {
    throw new Error(reason)
  }
  const job = removePartialFiles({ folder, now: Date.now, onFailure: fail })
  job.start()
  return job.stop()
}

/** An import whose process number stands for another process in another container. */
const leftElsewhere = (folder: string): string => {
  const path = `${importTarget(folder)}.partial-0123abcd-1`
  for (const suffix of ['', '-journal']) writeFileSync(path + suffix, 'ada@example.com')
  return path
}

/** An import that has read some of its submissions, and waits for more. */
const startImport = async (folder: string, formId: string) => {
  const child = Bun.spawn([...program, 'import', formId, '-', '--data', folder], {
    env: {},
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  afterThisTest(() => child.kill('SIGKILL'))
  child.stdin.write('email\n')
  child.stdin.write('ada@example.com\n'.repeat(10_000))
  child.stdin.flush()
  const partial = partialFile(importTarget(folder), child.pid)
  await until(() => existsSync(partial), 'the import has begun')
  return { child, partial }
}

test('what a killed import has left goes, beside a server and when one starts', async () => {
  const { folder, formId } = openData()
  const first = await startImport(folder, formId)
  await startJob(folder)
  expect(existsSync(first.partial)).toBe(true)
  first.child.kill('SIGKILL')
  await first.child.exited
  expect(existsSync(first.partial)).toBe(true)
  // Of a backup that was to be sent to an S3 server, and of this process, which has not ended.
  writeFileSync(partialFile(join(folder, 'formbox-to-send.db'), first.child.pid), 'ada@example.com')
  const own = partialFile(join(folder, 'formbox.cluster-copy'), process.pid)
  writeFileSync(own, 'ada@example.com')

  await startJob(folder)
  expect(readdirSync(folder).filter((name) => name.includes('.partial-'))).toEqual([basename(own)])

  const second = await startImport(folder, formId)
  second.child.kill('SIGKILL')
  await second.child.exited
  const elsewhere = leftElsewhere(folder)
  await startServer({ folder })
  await until(() => !existsSync(second.partial) && !existsSync(elsewhere), 'both are gone')
})

test('that of another container goes when no command uses the folder', async () => {
  const { folder } = openData()
  const partial = leftElsewhere(folder)
  const notes = join(folder, 'formbox.import.partial-notes')
  writeFileSync(notes, 'mine')
  const command = joinFolder(folder)
  await startJob(folder)
  expect(existsSync(partial)).toBe(true)
  command.release()

  await startJob(folder)
  expect(existsSync(partial)).toBe(false)
  expect(existsSync(`${partial}-journal`)).toBe(false)
  expect(existsSync(notes)).toBe(true)
})
