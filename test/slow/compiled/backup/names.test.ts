import { describe, expect, test } from 'bun:test'
import { parseConfig } from '../../../../src/config/config.ts'
import {
  backupName,
  backupTime,
  isPartialBackup,
  nextBackupAt,
  obsoleteBackups,
} from '../../../../src/storage/backup-names.ts'
import { refusalOf } from '../../../refusal.ts'

const hour = 3_600_000
const noon = Date.parse('2026-11-21T12:00:00Z')
const made = (...hoursAgo: number[]): string[] => hoursAgo.map((hours) => backupName(noon - hours * hour))

describe('the name of a backup', () => {
  test('holds its time, and gives it back', () => {
    expect(backupName(noon + 999)).toBe('formbox-20261121T120000Z.db')
    expect(backupTime('formbox-20261121T120000Z.db')).toBe(noon)
  })

  test.each([
    'formbox.db',
    'formbox-20261121T120000Z.db.partial-0123abcd-17',
    'formbox-20261121T120000Z.db-wal',
    'my-formbox-20261121T120000Z.db',
    'formbox-20261121.db',
    'formbox-20261399T120000Z.db',
    'formbox-20261121T120000Z.db.gz',
    'before-upgrade.db',
  ])('is none of ours: %s', (name) => {
    expect(backupTime(name)).toBeUndefined()
  })

  test('tells what a killed server left', () => {
    expect(isPartialBackup('formbox-20261121T120000Z.db.partial-0123abcd-17')).toBe(true)
    expect(isPartialBackup('formbox-20261121T120000Z.db.partial-0123abcd-17-journal')).toBe(true)
    expect(isPartialBackup('formbox-20261121T120000Z.db')).toBe(false)
    expect(isPartialBackup('mine.db.partial-0123abcd-17')).toBe(false)
    expect(isPartialBackup('formbox-20261121T120000Z.db.partial-notes')).toBe(false)
  })
})

describe('the next backup', () => {
  test.each<[string, string[], number]>([
    ['now when there is none', [], 0],
    ['now when the files there are not the server’s', ['mine.db', 'formbox-20261121T115900Z.db.partial-1'], 0],
    ['after the rest of the interval', made(3), 21],
    ['counted from the newest, whatever the order', made(30, 3, 50), 21],
    ['overdue when the server was off', made(30), -6],
    ['not put off by one that is dated ahead', made(-24 * 365), 0],
    ['counted from the newest that is not dated ahead', [...made(-5), ...made(10)], 14],
  ])('is %s', (_, names, hours) => {
    expect((nextBackupAt(names, noon, 24 * hour) - noon) / hour).toBe(hours)
  })
})

describe('backups beyond what is kept', () => {
  test.each<[string, string[], number, string[]]>([
    ['none while there are as many as are kept', made(1, 2, 3), 3, []],
    ['the oldest, whatever the order', made(2, 9, 1, 8), 2, made(8, 9)],
    ['none when all are kept', made(1, 2, 3), 0, []],
    ['never what the server did not make', ['mine.db', 'formbox-old.db', ...made(1, 2)], 1, made(2)],
    ['not the newest in favour of one that is dated ahead', [...made(-24), ...made(0, 5)], 1, made(5)],
  ])('are %s', (_, names, keep, expected) => {
    expect(obsoleteBackups(names, noon, keep)).toEqual(expected)
  })
})

describe('the settings of backups', () => {
  test.each<[string, number | null]>([
    ['', null],
    ['30m', 30 * 60_000],
    ['24h', 24 * hour],
    ['7d', 7 * 24 * hour],
  ])('FORMBOX_BACKUP_EVERY=%j is taken', (value, expected) => {
    expect(parseConfig({ FORMBOX_BACKUP_EVERY: value }).backupEveryMilliseconds).toBe(expected)
  })

  test.each(['0h', '24', 'h', '1.5h', '-1h', '24 h', '24H', '10s', '99999m', 'daily'])(
    'FORMBOX_BACKUP_EVERY=%j is refused with a line that names it and what it must be',
    (value) => {
      expect(refusalOf(() => parseConfig({ FORMBOX_BACKUP_EVERY: value }))).toMatch(
        /^FORMBOX_BACKUP_EVERY: .*such as 24h/,
      )
    },
  )

  test('FORMBOX_BACKUP_KEEP is 7, or another whole number', () => {
    expect(parseConfig({}).backupKeep).toBe(7)
    expect(parseConfig({ FORMBOX_BACKUP_KEEP: '0' }).backupKeep).toBe(0)
    expect(refusalOf(() => parseConfig({ FORMBOX_BACKUP_KEEP: 'all' }))).toContain('FORMBOX_BACKUP_KEEP')
  })
})
