// `bun test/bench/deleting.ts`: what it costs that deleted submissions are overwritten, and what can still be read of
// them in the data file, for each way in which SQLite can do it. It takes a few minutes.

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { userWrites } from '../../src/accounts/users/user-writes.ts'
import { idAt, newId } from '../../src/base/id.ts'
import { prepareDataFolder } from '../../src/storage/data-folder.ts'
import { connect, dataFile, emptyWal } from '../../src/storage/open.ts'
import { type Batch, createBatchExecutor } from '../../src/storage/writer/batch.ts'
import { oneSlice } from '../../src/submissions/slices.ts'
import { joinWrites } from '../../src/upkeep/all-writes.ts'
import { median } from './measurement.ts'

interface Way {
  readonly name: string
  readonly secureDelete: 'OFF' | 'FAST' | 'ON'
  readonly isVacuumedInParts?: true
  readonly isVacuumed?: true
}

const ways: readonly Way[] = [
  { name: 'secure_delete OFF', secureDelete: 'OFF' },
  { name: 'FAST', secureDelete: 'FAST' },
  { name: 'ON', secureDelete: 'ON' },
  { name: 'ON, incremental_vacuum', secureDelete: 'ON', isVacuumedInParts: true },
  { name: 'OFF, then VACUUM', secureDelete: 'OFF', isVacuumed: true },
]

const size = 100_000
const now = Date.now()
const day = 86_400_000

const open = ({ secureDelete, isVacuumedInParts }: Way) => {
  const folder = mkdtempSync(join(tmpdir(), 'formbox-deleting-'))
  prepareDataFolder(folder)
  const db = connect(folder)
  if (isVacuumedInParts) {
    db.$client.run('PRAGMA auto_vacuum = INCREMENTAL')
    db.$client.run('VACUUM')
  }
  db.$client.run(`PRAGMA secure_delete = ${secureDelete}`)
  const execute = createBatchExecutor(db, joinWrites(db))
  const run = (name: string, input: unknown): unknown => {
    const [outcome] = execute([[name, input]])
    if (outcome && 'result' in outcome) return outcome.result
    throw new Error(`${name} failed`)
  }
  const userId = newId(now)
  userWrites(db).createUser({ id: userId, email: 'ada@example.com', passwordHash: 'none' })
  const formId = newId(now)
  run('createForms', { userId, forms: [{ id: formId, title: 'Contact' }] })
  const close = (): void => {
    db.$client.close()
    rmSync(folder, { recursive: true })
  }
  return { folder, db, execute, run, userId, formId, close }
}
type Opened = ReturnType<typeof open>

const textOf = (number: number): string => `visitor-${String(number).padStart(7, '0')}-please-call-me-back`

/** Up to 200 characters, of every twentieth up to 3,000: with rows of one size, SQLite would never rebuild a page. */
const lengthOf = (number: number): number => (number * 7919) % (number % 20 === 0 ? 3000 : 200)

const submissionsOf = ({ formId }: Opened, ids: readonly string[], from: number): Batch =>
  ids.map((id, i) => {
    const text = textOf(from + i)
    const data = JSON.stringify({ message: text, more: 'x'.repeat(lengthOf(from + i)), again: text })
    return ['createSubmission', { formId, id, data, fieldNames: ['message', 'more', 'again'] }]
  })

const fill = (opened: Opened): string[] => {
  const ids = Array.from({ length: size }, (_, i) => idAt(now - 40 * day + i * 10, 0))
  for (let i = 0; i < size; i += 500) opened.execute(submissionsOf(opened, ids.slice(i, i + 500), i))
  emptyWal(opened.db)
  return ids
}

/** What the process has had written, to the log and to the file. */
const written = (): number => Number(/^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

const measure = (opened: Opened, way: Way, work: () => void) => {
  const before = written()
  const startedAt = performance.now()
  work()
  if (way.isVacuumedInParts) opened.db.$client.run('PRAGMA incremental_vacuum')
  if (way.isVacuumed) opened.db.$client.run('VACUUM')
  emptyWal(opened.db)
  return { seconds: (performance.now() - startedAt) / 1000, megabytes: (written() - before) / 1_000_000 }
}

const deleteForm = (opened: Opened): void => {
  opened.run('deleteForms', { userId: opened.userId, now, ids: [opened.formId] })
  while (opened.run('removeDeletedSlice', oneSlice)) {}
}

const retire = (opened: Opened): void => {
  const { run, userId, formId } = opened
  run('updateFormSettings', { userId, id: formId, now, changes: { retentionDays: 30 } })
  for (let form: number | null = 0; form !== null; )
    form = (run('removeOldSubmissions', { form, now, maxForms: 500, maxRows: 200 }) as { next: number | null }).next
}

/** Every third, here and there, fifty at a time. */
const deleteSome = (opened: Opened, ids: readonly string[]): void => {
  const third = ids.filter((_, i) => i % 3 === 0)
  const chosen = third.map((_, i) => third[(i * 7919) % third.length] as string)
  for (let i = 0; i < chosen.length; i += 50)
    opened.run('deleteSubmissions', {
      userId: opened.userId,
      formId: opened.formId,
      list: 'inbox',
      ids: chosen.slice(i, i + 50),
    })
}

const readable = ({ folder }: Opened, isDeleted: (number: number) => boolean): number => {
  const found = readFileSync(dataFile(folder), 'latin1').matchAll(/visitor-(\d{7})-please-call-me-back/g)
  return new Set([...found].map(([, number]) => Number(number)).filter(isDeleted)).size
}

/** Microseconds of processor time for each submission, in batches of 32, each way in turn. */
const submit = (rounds: number): Map<Way, number> => {
  const all = ways.map((way) => ({ way, opened: open(way), times: [] as number[] }))
  for (let round = 0; round < rounds; round++)
    for (const { opened, times } of [...all.slice(round % all.length), ...all.slice(0, round % all.length)]) {
      const ids = Array.from({ length: 32 }, () => newId(Date.now()))
      const batch = submissionsOf(opened, ids, 0)
      const before = process.cpuUsage()
      opened.execute(batch)
      const { user, system } = process.cpuUsage(before)
      times.push((user + system) / ids.length)
    }
  for (const { opened } of all) opened.close()
  return new Map(all.map(({ way, times }) => [way, median(times)]))
}

const costs = submit(2000)
process.stdout.write(
  `${size} submissions of 150 to 3,200 bytes; s / MB written / readable afterwards\n` +
    '| way | submission, µs | form deleted | deleted for their age | every third deleted | file, MB |\n|---|---|---|---|---|---|\n',
)
for (const way of ways) {
  const cells: string[] = []
  let megabytes = 0
  const works: readonly (readonly [(opened: Opened, ids: readonly string[]) => void, (number: number) => boolean])[] = [
    [deleteForm, () => true],
    [retire, () => true],
    [deleteSome, (number) => number % 3 === 0],
  ]
  for (const [work, isDeleted] of works) {
    const opened = open(way)
    const ids = fill(opened)
    const { seconds, megabytes: writtenMegabytes } = measure(opened, way, () => work(opened, ids))
    cells.push(`${seconds.toFixed(1)} / ${writtenMegabytes.toFixed(0)} / ${readable(opened, isDeleted)}`)
    megabytes = statSync(dataFile(opened.folder)).size / 1_000_000
    opened.close()
  }
  process.stdout.write(`| ${[way.name, costs.get(way)?.toFixed(1), ...cells, megabytes.toFixed(0)].join(' | ')} |\n`)
}
