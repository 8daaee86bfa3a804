import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseConfig } from '../../../../src/config/config.ts'
import { openBucket } from '../../../../src/remote/s3/bucket.ts'
import { listObjects, listUploads, removeObject } from '../../../../src/remote/s3/objects.ts'
import { openLocalFile, putFile } from '../../../../src/remote/s3/put-file.ts'
import { backupName, backupTime } from '../../../../src/storage/backup-names.ts'
import type { OnBackup } from '../../../../src/upkeep/jobs/make-backups.ts'
import { putOffSite } from '../../../../src/upkeep/jobs/put-off-site.ts'
import { fillFolder } from '../../../backup/data.ts'
import { realServers, startRealS3 } from '../../../backup/real-s3.ts'
import { type Asked, type Fault, keys, startS3 } from '../../../backup/s3-server.ts'
import { checkFile } from '../../../backup/sound-file.ts'
import { formbox, serve } from '../../../commands/formbox.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { program } from '../../../program.ts'
import { parseMetrics } from '../../../prometheus.ts'
import { noteSkipped } from '../../../skips.ts'
import { dataFile, expectSound, rowsOf } from '../../../storage/sound.ts'
import { smallDisk } from '../../../torture/small-disk.ts'
import { slowly, until } from '../../../until.ts'

const canMount = smallDisk(1) !== null
if (!canMount) noteSkipped('Backups from S3 to small disks are not tried: only root can mount one.')

if (realServers.length === 0)
  noteSkipped('Backups are not put to a real S3 server: neither versitygw nor minio is on the PATH.')

interface Started {
  readonly access: Parameters<typeof openBucket>[0]
  readonly bucket: string
}

const servers: [string, () => Promise<Started>][] = [
  ['the strict server of this test', () => startS3()],
  ...realServers.map((name): [string, () => Promise<Started>] => [name, () => startRealS3(name)]),
]

const settingsFor = ({ access }: Started) => ({
  FORMBOX_BACKUP_S3_ENDPOINT: access.endpoint ?? '',
  FORMBOX_BACKUP_S3_KEY_ID: access.accessKeyId,
  FORMBOX_BACKUP_S3_SECRET: access.secretAccessKey,
})

const scheduled = (s3: Started) => ({
  ...settingsFor(s3),
  FORMBOX_BACKUP_EVERY: '24h',
  FORMBOX_BACKUP_KEEP: '2',
  FORMBOX_BACKUP_S3: 's3://backups/forms',
  FORMBOX_METRICS_ALLOW: '127.0.0.1',
})

const namesBelow = async ({ access, bucket }: Started, prefix: string): Promise<string[]> =>
  (await listObjects(openBucket(access, bucket), prefix)).map((key) => key.slice(prefix.length)).sort()

const putBytes = async ({ access, bucket }: Started, key: string, bytes: string): Promise<void> => {
  const path = join(temporaryFolder(), 'file')
  writeFileSync(path, bytes)
  const file = openLocalFile(path)
  await putFile(openBucket(access, bucket), key, file)
  file.close()
}

const filled = (bytes = 1_000_000): string => {
  const data = temporaryFolder()
  fillFolder(data, bytes)
  return data
}

const hour = 3_600_000

/** The samples about backups, as `{ "s3 made": 1 }`. */
const attemptsAt = async (url: string): Promise<Record<string, number>> => {
  const families = parseMetrics(await (await fetch(`${url}/metrics`)).text())
  const samples = families.get('formbox_backups_total')?.samples ?? []
  return Object.fromEntries(samples.map(({ labels, value }) => [`${labels.place} ${labels.result}`, value]))
}

describe.each(servers)('with %s', (_, start) => {
  test('a scheduled backup is put there too, whole; older ones of the server are removed, and nothing else', async () => {
    const s3 = await start()
    const data = filled()
    const old = [24, 48, 72].map((hours) => backupName(Date.now() - hours * hour))
    const others = ['mine.db', `${old[0]}.gz`, 'formbox-old.db']
    for (const name of [...old, ...others]) await putBytes(s3, `forms/${name}`, 'made before')
    await putBytes(s3, old[2] ?? '', 'below no prefix')
    await putBytes(s3, `forms/below/${old[2]}`, 'below another prefix')

    const server = await serve(['--data', data], { environment: scheduled(s3) })
    await until(async () => (await attemptsAt(server.url))['s3 made'] === 1, 'the backup is at the S3 server', slowly)
    const [made = ''] = readdirSync(join(data, 'backups'))
    expect(await namesBelow(s3, 'forms/')).toEqual([...others, old[0] ?? '', made].sort())
    expect(await namesBelow(s3, '')).toEqual([old[2] ?? ''])
    expect(await namesBelow(s3, 'forms/below/')).toEqual([old[2] ?? ''])
    expect(await attemptsAt(server.url)).toEqual({ 'local made': 1, 's3 made': 1 })
    const newest = parseMetrics(await (await fetch(`${server.url}/metrics`)).text()).get(
      'formbox_backup_newest_timestamp_seconds',
    )
    expect(newest?.samples.map(({ value }) => value * 1000)).toEqual([backupTime(made), backupTime(made)] as number[])
    server.kill('SIGTERM')
    expect(await server.end()).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test('a backup of many parts is put there by hand, listed, and restored by name and as the latest', async () => {
    const s3 = await start()
    const environment = settingsFor(s3)
    const data = filled(20_000_000)
    const run = (...words: string[]) => formbox(words, { environment })
    const name = backupName(Date.now() - hour)
    expect(await run('backup', `s3://backups/a/${name}`, '--data', data)).toEqual({
      exitCode: 0,
      stdout: `s3://backups/a/${name}\n`,
      stderr: '',
    })
    expect((await run('backup', 's3://backups/a/mine.db', '--data', data)).exitCode).toBe(0)
    expect(readdirSync(data).filter((file) => !file.endsWith('lock'))).toEqual(['formbox.db'])
    await putBytes(s3, `a/${backupName(Date.parse('2026-01-01'))}`, 'older, and no database')

    const listed = await run('restore', 's3://backups/a/')
    const older = backupName(Date.parse('2026-01-01'))
    expect([listed.exitCode, listed.stdout]).toEqual([2, ''])
    expect(listed.stderr).toBe(`formbox: s3://backups/a/: add latest or one of these: ${older}, ${name}\n`)

    for (const wanted of [name, 'latest', 'mine.db']) {
      const target = join(temporaryFolder(), 'data')
      const { exitCode, stdout } = await run('restore', `s3://backups/a/${wanted}`, '--data', target)
      expect(exitCode).toBe(0)
      expect(stdout).toBe(`Restored ${dataFile(target)} from s3://backups/a/${wanted === 'latest' ? name : wanted}\n`)
      expectSound(target)
      expect(rowsOf(target, 'SELECT count(*) AS rows FROM submissions')).toEqual(
        rowsOf(data, 'SELECT count(*) AS rows FROM submissions'),
      )
    }
  })

  test('a backup that was killed while it was sent leaves nothing once the next one is there', async () => {
    const s3 = await start()
    const environment = settingsFor(s3)
    const data = filled(40_000_000)
    const name = backupName(Date.now() - hour)
    const copy = join(data, name)
    expect((await formbox(['backup', copy, '--data', data])).exitCode).toBe(0)
    const words = ['backup', `s3://backups/forms/${name}`, '--from', copy]
    const bucket = openBucket(s3.access, s3.bucket)
    const isBegun = async () => (await listUploads(bucket, `forms/${name}`)).length > 0
    const killWhileSending = async (): Promise<void> => {
      const child = Bun.spawn([...program, ...words], { env: environment, stderr: 'ignore', stdout: 'ignore' })
      afterThisTest(() => child.kill('SIGKILL'))
      await until(async () => child.exitCode !== null || (await isBegun()), 'the upload has begun', slowly)
      child.kill('SIGKILL')
      await child.exited
    }
    await killWhileSending()
    // It may be done before it is killed.
    for (; !(await isBegun()); await killWhileSending()) await removeObject(bucket, `forms/${name}`)
    expect(await namesBelow(s3, 'forms/')).toEqual([])

    expect((await formbox(words, { environment })).exitCode).toBe(0)
    expect(await listUploads(bucket, `forms/${name}`)).toEqual([])
    expect(await namesBelow(s3, 'forms/')).toEqual([name])
    const back = temporaryFolder()
    expect((await formbox(['restore', 's3://backups/forms/latest', '--data', back], { environment })).exitCode).toBe(0)
    expect(readFileSync(dataFile(back)).equals(readFileSync(copy))).toBe(true)
    await removeObject(bucket, `forms/${name}`)
    expect(await namesBelow(s3, 'forms/')).toEqual([])
  })

  test('wrong keys and a missing bucket are told in one line each, and change nothing', async () => {
    const s3 = await start()
    const data = filled()
    const before = readFileSync(dataFile(data))
    const environment = settingsFor(s3)
    for (const [changed, bucket, line] of [
      [
        { FORMBOX_BACKUP_S3_SECRET: 'a-wrong-secret' },
        'backups',
        /the server responded with 403 SignatureDoesNotMatch/,
      ],
      [{ FORMBOX_BACKUP_S3_KEY_ID: 'a-wrong-key' }, 'backups', /the server responded with 40[34] /],
      [{}, 'none', /the server responded with 404 NoSuchBucket/],
    ] as const)
      for (const command of ['backup', 'restore']) {
        const outcome = await formbox([command, `s3://${bucket}/x.db`, '--data', data], {
          environment: { ...environment, ...changed },
        })
        expect([outcome.exitCode, outcome.stdout]).toEqual([1, ''])
        expect(outcome.stderr).toMatch(line)
        expect(outcome.stderr.trim().split('\n')).toHaveLength(1)
        for (const secret of ['a-wrong-secret', 'a-wrong-key', keys.secretAccessKey])
          expect(outcome.stderr).not.toContain(secret)
        expect(readFileSync(dataFile(data)).equals(before)).toBe(true)
      }
  })
})

test('a backup ends the unfinished uploads of earlier ones, but no others', async () => {
  const s3 = await startS3()
  const environment = settingsFor(s3)
  const data = filled()
  const name = backupName(Date.now())
  const begin = (id: string, key: string, hours: number) =>
    s3.uploads.set(id, { key, sum: undefined, startedAt: new Date(Date.now() - hours * hour), parts: new Map() })
  begin('of this backup', `forms/${name}`, 0)
  begin('of an old one', `forms/${backupName(Date.now() - 100 * hour)}`, 25)
  begin('of another machine', `forms/${backupName(Date.now() - hour)}`, 1)
  begin('of another prefix', `forms/below/${backupName(Date.now() - 100 * hour)}`, 100)
  begin('of another program', 'forms/formbox-mine.db', 100)
  expect((await formbox(['backup', `s3://backups/forms/${name}`, '--data', data], { environment })).exitCode).toBe(0)
  expect([...s3.uploads.keys()]).toEqual(['of another machine', 'of another prefix', 'of another program'])
})

test('a backup ends all unfinished uploads, also where their list has several pages', async () => {
  const s3 = await startS3({ pageSize: 2 })
  const data = filled()
  const old = backupName(Date.now() - 100 * hour)
  const startedAt = new Date(Date.now() - 30 * hour)
  for (let i = 0; i < 5; i++)
    s3.uploads.set(`old-${i}`, { key: `forms/${old}`, sum: undefined, startedAt, parts: new Map() })
  const words = ['backup', `s3://backups/forms/${backupName(Date.now())}`, '--data', data]
  expect((await formbox(words, { environment: settingsFor(s3) })).exitCode).toBe(0)
  expect([...s3.uploads.keys()]).toEqual([])
})

test('two backups at once are both put there, and leave nothing beside the data', async () => {
  const s3 = await startS3()
  const data = filled()
  const environment = settingsFor(s3)
  let isOtherDone = false
  const isFirst = ({ query }: Asked) => query.get('prefix') === 'first/formbox-'
  s3.fail((asked) => (isFirst(asked) && !isOtherDone ? [503, 'SlowDown'] : undefined))
  const first = formbox(['backup', 's3://backups/first/x.db', '--data', data], { environment })
  await until(() => s3.asked.some(isFirst), 'the first part is asked for', slowly)
  expect((await formbox(['backup', 's3://backups/other/x.db', '--data', data], { environment })).exitCode).toBe(0)
  isOtherDone = true
  expect(await first).toEqual({ exitCode: 0, stdout: 's3://backups/first/x.db\n', stderr: '' })
  expect([...s3.objects.keys()].sort()).toEqual(['first/x.db', 'other/x.db'])
  expect(readdirSync(data).filter((file) => !file.endsWith('lock'))).toEqual(['formbox.db'])
})

const runIn = (words: readonly string[]) => async (data: string, environment: Record<string, string>) => {
  const own = words.map((word) => word.replace('DATA', data))
  expect((await formbox([...own, '--data', data], { environment })).exitCode).toBe(0)
}

test.each([
  ['the next one', runIn(['backup', 's3://backups/y.db'])],
  ['a backup to a file beside the data', runIn(['backup', 'DATA/copy.db'])],
  ['the next start of a server', async (data: string) => void (await serve(['--data', data]))],
])('what a backup that was killed left beside the data is removed by %s', async (_, next) => {
  const s3 = await startS3()
  const data = filled()
  const environment = settingsFor(s3)
  s3.fail(({ key }) => (key === 'x.db' ? 'never' : undefined))
  const child = Bun.spawn([...program, 'backup', 's3://backups/x.db', '--data', data], {
    env: environment,
    stderr: 'ignore',
    stdout: 'ignore',
  })
  afterThisTest(() => child.kill('SIGKILL'))
  await until(() => s3.asked.some(({ key }) => key === 'x.db'), 'the S3 server is asked for x.db', slowly)
  child.kill('SIGKILL')
  await child.exited
  const left = () => readdirSync(data).filter((name) => !/lock$|^formbox\.db(-wal|-shm)?$|^copy\.db$/.test(name))
  expect(left()).toHaveLength(1)
  await next(data, environment)
  expect(left()).toEqual([])
})

describe('a server whose S3 server fails', () => {
  test.each<[string, Fault, RegExp]>([
    ['denies access', [403, 'AccessDenied'], /: the server responded with 403 AccessDenied: AccessDenied;/],
    ['has another time', [403, 'RequestTimeTooSkewed'], /: the server responded with 403 RequestTimeTooSkewed/],
  ])('because it %s goes on, keeps its local backup and says so in one line', async (_, fault, words) => {
    const s3 = await startS3()
    s3.fail(() => fault)
    const data = filled()
    const server = await serve(['--data', data], { environment: scheduled(s3) })
    await until(async () => (await attemptsAt(server.url))['s3 failed'] === 1, 'the upload has failed', slowly)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    expect(await attemptsAt(server.url)).toEqual({ 'local made': 1, 's3 failed': 1 })
    server.kill('SIGTERM')
    const { exitCode, stdout, stderr } = await server.end()
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(words)
    expect(stderr).toStartWith('formbox: cannot back up to s3://backups/forms/formbox-')
    expect(stderr).toEndWith('; the next try is in 10 minutes\n')
    expect(stderr.split('\n')).toHaveLength(2)
    for (const secret of Object.values(keys)) expect(stdout + stderr).not.toContain(secret)
    const [name = ''] = readdirSync(join(data, 'backups'))
    expect(checkFile(join(data, 'backups', name)).check).toBe('ok')

    s3.heal()
    const again = await serve(['--data', data], { environment: scheduled(s3) })
    await until(async () => (await attemptsAt(again.url))['s3 made'] === 1, 'the backup is at the S3 server', slowly)
    expect(await attemptsAt(again.url)).toEqual({ 's3 made': 1 })
    expect([...s3.objects.keys()]).toEqual([`forms/${name}`])
  })

  test('because older backups may not be removed has the new one there, and says so once', async () => {
    const s3 = await startS3()
    s3.fail(({ method }) => (method === 'DELETE' ? [403, 'AccessDenied'] : undefined))
    const data = filled()
    const old = [24, 48, 72].map((hours) => `forms/${backupName(Date.now() - hours * hour)}`)
    for (const key of old) await putBytes(s3, key, 'made before')
    const server = await serve(['--data', data], { environment: scheduled(s3) })
    await until(async () => (await attemptsAt(server.url))['s3 made'] === 1, 'the backup is at the S3 server', slowly)
    expect(await attemptsAt(server.url)).toEqual({ 'local made': 1, 's3 made': 1 })
    const [made = ''] = readdirSync(join(data, 'backups'))
    expect([...s3.objects.keys()].sort()).toEqual([...old, `forms/${made}`].sort())
    server.kill('SIGTERM')
    expect(await server.end()).toMatchObject({
      exitCode: 0,
      stderr: `formbox: cannot remove the older backup ${old[1]}: the server responded with 403 AccessDenied: AccessDenied\n`,
    })
    expect(s3.asked.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
  })

  test('that has the backup already is not sent it again after a restart', async () => {
    const s3 = await startS3()
    const data = filled()
    for (let round = 0; round < 2; round++) {
      const server = await serve(['--data', data], { environment: scheduled(s3) })
      await until(async () => (await attemptsAt(server.url))['s3 made'] === 1, 'the backup is at the S3 server', slowly)
      server.kill('SIGTERM')
      expect(await server.end()).toMatchObject({ exitCode: 0, stderr: '' })
    }
    expect(s3.asked.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })

  test('stops at once in the middle of an upload', async () => {
    const s3 = await startS3()
    s3.fail(({ method }) => (method === 'PUT' ? 'never' : undefined))
    const data = filled()
    const server = await serve(['--data', data], { environment: scheduled(s3) })
    await until(() => s3.asked.some(({ method }) => method === 'PUT'), 'the upload has begun', slowly)
    // A request may take two minutes, which is longer than this test may take.
    server.kill('SIGTERM')
    expect(await server.end()).toMatchObject({ exitCode: 0, stderr: '' })
  })
})

describe('the job', () => {
  const withBackup = async (s3: Awaited<ReturnType<typeof startS3>>) => {
    const data = filled()
    mkdirSync(join(data, 'backups'))
    const name = backupName(Date.now() - hour)
    const local = join(data, 'backups', name)
    expect((await formbox(['backup', local, '--data', data])).exitCode).toBe(0)
    const settings = { ...scheduled(s3), FORMBOX_DATA: data }
    // Its child processes read the settings from the environment of this one.
    for (const [key, value] of Object.entries(settings)) {
      process.env[key] = value
      afterThisTest(() => delete process.env[key])
    }
    return { config: parseConfig(settings), local, name }
  }

  const run = async (s3: Awaited<ReturnType<typeof startS3>>, limitMilliseconds: number) => {
    const { config, local, name } = await withBackup(s3)
    const told: Parameters<OnBackup>[0][] = []
    const failures: string[] = []
    const ended = Promise.withResolvers<void>()
    const job = putOffSite({
      config,
      onBackup: (backup) => {
        told.push(backup)
        if (backup.result === 'made') ended.resolve()
      },
      toLimitMilliseconds: () => limitMilliseconds,
      now: Date.now,
      onFailure: (reason) => {
        failures.push(reason)
        ended.resolve()
      },
    })
    job.start()
    await ended.promise
    await job.stop()
    return { told, failures, local, name }
  }

  test('ends an upload that takes too long from outside; the next one succeeds', async () => {
    const s3 = await startS3()
    s3.fail(() => 'never')
    const { told, failures, local } = await run(s3, 1000)
    expect(told).toEqual([{ place: 's3', result: 'failed' }])
    expect(failures).toEqual([
      'cannot put a backup to s3://backups/forms/: it took longer than 1 seconds; the next try is in 10 minutes',
    ])
    expect(checkFile(local).check).toBe('ok')
    s3.heal()
    const second = await run(s3, 60_000)
    expect(second.told).toEqual([{ place: 's3', result: 'made', newestAt: backupTime(second.name) }])
    expect(second.failures).toEqual([])
  })

  test('leaves it to another machine of the cluster that has the lease', async () => {
    const s3 = await startS3()
    const { config } = await withBackup(s3)
    const asked = Promise.withResolvers<string>()
    const lease = async (task: string): Promise<number> => {
      asked.resolve(task)
      return Date.now() + hour
    }
    const onFailure = (reason: string) => asked.reject(new Error(reason))
    const job = putOffSite({
      config,
      onBackup: ({ result }) => onFailure(String(result)),
      now: Date.now,
      lease,
      onFailure,
    })
    job.start()
    expect(await asked.promise).toBe('put a backup to s3://backups/forms/')
    await job.stop()
    expect(s3.asked).toEqual([])
  })
})

describe('interrupted from the terminal', () => {
  test.each<[string, (data: string) => string[], string]>([
    ['a backup', (data) => ['backup', 's3://backups/y.db', '--data', data], 'PUT'],
    ['a restore', (data) => ['restore', 's3://backups/x.db', '--data', data], 'GET'],
  ])('%s leaves no copy of the data', async (_, words, method) => {
    const s3 = await startS3()
    const data = filled()
    expect(
      (await formbox(['backup', 's3://backups/x.db', '--data', data], { environment: settingsFor(s3) })).exitCode,
    ).toBe(0)
    let isAsked = false
    s3.fail((asked) => {
      const isIt = asked.method === method && asked.key !== ''
      isAsked ||= isIt
      return isIt ? 'never' : undefined
    })
    const child = Bun.spawn([...program, ...words(data)], { env: settingsFor(s3), stderr: 'ignore', stdout: 'ignore' })
    afterThisTest(() => child.kill('SIGKILL'))
    await until(() => isAsked, 'the S3 server is asked', slowly)
    child.kill('SIGINT')
    expect(await child.exited).toBe(130)
    expect(readdirSync(data).filter((name) => !name.endsWith('lock'))).toEqual(['formbox.db'])
  })
})

describe('restore from S3', () => {
  const prepare = async () => {
    const s3 = await startS3()
    const data = filled(20_000_000)
    const environment = settingsFor(s3)
    expect((await formbox(['backup', 's3://backups/x.db', '--data', data], { environment })).exitCode).toBe(0)
    const target = filled(100_000)
    const before = readFileSync(dataFile(target))
    const stored = s3.objects.get('x.db') as { bytes: Buffer; sum?: string | undefined } | undefined
    if (!stored) throw new Error('the backup is not there')
    const restore = () => formbox(['restore', 's3://backups/x.db', '--data', target], { environment })
    return { s3, target, before, stored, restore, environment }
  }

  test.each<[string, (stored: { bytes: Buffer; sum?: string | undefined }) => void, string]>([
    ['was changed', ({ bytes }) => bytes.fill(0xa5, 10_000_000, 10_000_100), 'its content has the SHA-256'],
    [
      'was cut off and lost its sum',
      (stored) => {
        stored.bytes = stored.bytes.subarray(0, 9_000_000)
        delete stored.sum
      },
      'it is damaged',
    ],
    [
      'is no database and has no sum',
      (stored) => {
        stored.bytes = Buffer.alloc(9_000_000, 'x')
        delete stored.sum
      },
      'it is not a database',
    ],
  ])('refuses a backup that %s, and leaves the data as it was', async (_, change, words) => {
    const { target, before, stored, restore } = await prepare()
    change(stored)
    const { exitCode, stderr } = await restore()
    expect(exitCode).toBe(1)
    expect(stderr).toContain(words)
    expect(readFileSync(dataFile(target)).equals(before)).toBe(true)
    expect(readdirSync(target).filter((name) => !name.endsWith('lock'))).toEqual(['formbox.db'])
  })

  test('reads the first part only of an object that is no database', async () => {
    const { s3, stored, restore } = await prepare()
    stored.bytes = Buffer.alloc(20_000_000, 'x')
    delete stored.sum
    const { exitCode, stderr } = await restore()
    expect([exitCode, stderr]).toEqual([1, 'formbox: cannot restore s3://backups/x.db: it is not a database\n'])
    expect(s3.asked.filter(({ method, key }) => method === 'GET' && key === 'x.db')).toHaveLength(1)
  })

  test.skipIf(!canMount)('reads the first part only where the disk has no room for the rest', async () => {
    const { s3, environment } = await prepare()
    const target = smallDisk(16) as string
    const { exitCode, stderr } = await formbox(['restore', 's3://backups/x.db', '--data', target], { environment })
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/x\.db: that needs \d\d MB of free disk space in the data folder, which has 1\d MB\n$/),
    ])
    expect(s3.asked.filter(({ method, key }) => method === 'GET' && key === 'x.db')).toHaveLength(1)
    expect(readdirSync(target).filter((name) => !name.endsWith('lock'))).toEqual([])
  })

  test('goes on after a connection that broke, and keeps the replaced data', async () => {
    const { s3, target, before, restore } = await prepare()
    let left = 2
    s3.fail(({ method }) => (method === 'GET' && left-- > 0 ? 'cut' : undefined))
    expect((await restore()).exitCode).toBe(0)
    expectSound(target)
    const kept = readdirSync(target).find((name) => name.includes('.replaced-')) ?? ''
    expect(readFileSync(join(target, kept)).equals(before)).toBe(true)
  })

  test('that is killed leaves the data as it was, and the next start clears away what it left', async () => {
    const { s3, target, before } = await prepare()
    s3.fail(({ method, key }) =>
      method === 'GET' && key !== '' && s3.asked.filter((each) => each.method === 'GET').length > 2
        ? 'never'
        : undefined,
    )
    const child = Bun.spawn([...program, 'restore', 's3://backups/x.db', '--data', target], {
      env: settingsFor(s3),
      stderr: 'ignore',
    })
    afterThisTest(() => child.kill('SIGKILL'))
    const isPartial = (name: string) => name.includes('.partial-')
    await until(() => readdirSync(target).some(isPartial), 'a partial file is written', slowly)
    child.kill('SIGKILL')
    await child.exited
    expect(readFileSync(dataFile(target)).equals(before)).toBe(true)
    const server = await serve(['--data', target])
    expect(readdirSync(target).filter(isPartial)).toEqual([])
    server.kill('SIGTERM')
    await server.end()
  })

  test('needs keys, a place and a backup there, and says which is missing', async () => {
    const s3 = await startS3()
    const target = join(temporaryFolder(), 'data')
    const refusal = async (url: string, environment: Record<string, string>) => {
      const { exitCode, stderr } = await formbox(['restore', url, '--data', target], { environment })
      return [exitCode, stderr]
    }
    expect(await refusal('s3://backups/latest', {})).toEqual([
      2,
      'formbox: FORMBOX_BACKUP_S3_KEY_ID: must be set to use s3://\n',
    ])
    expect(await refusal('s3://backups/latest', settingsFor(s3))).toEqual([
      1,
      'formbox: cannot restore s3://backups/latest: there is no backup that a server has put there\n',
    ])
    expect(await refusal('s3://backups/a/../x.db', settingsFor(s3))).toEqual([
      2,
      'formbox: FILE: must be s3://BUCKET or s3://BUCKET/PREFIX; got "s3://backups/a/../x.db"\n',
    ])
    expect(existsSync(target)).toBe(false)
  })
})

test('backup replaces another object only with --force, and sends none twice', async () => {
  const s3 = await startS3()
  const data = filled()
  const environment = settingsFor(s3)
  const copy = join(temporaryFolder(), 'copy.db')
  await formbox(['backup', copy, '--data', data])
  const put = (...flags: string[]) => formbox(['backup', 's3://backups/x.db', ...flags], { environment })
  await putBytes(s3, 'x.db', 'precious')
  const refused = await put('--from', copy)
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    'formbox: cannot back up to s3://backups/x.db: it already exists; use --force to overwrite it\n',
  ])
  expect(s3.objects.get('x.db')?.bytes.toString()).toBe('precious')
  expect((await put('--from', copy, '--force')).exitCode).toBe(0)
  const sent = s3.asked.length
  expect((await put('--from', copy)).exitCode).toBe(0)
  expect(s3.asked.slice(sent).map(({ method }) => method)).toEqual(['GET', 'HEAD'])
  renameSync(copy, `${copy}.moved`)
  expect((await put('--from', copy)).stderr).toBe(`formbox: cannot read ${copy}: it does not exist\n`)
})

test.skipIf(process.platform === 'win32')('a large backup shows on a terminal how far it is', async () => {
  const s3 = await startS3()
  const data = filled(20_000_000)
  let shown = ''
  const child = Bun.spawn([...program, 'backup', 's3://backups/x.db', '--data', data], {
    env: settingsFor(s3),
    terminal: { cols: 200, rows: 24, data: (_, chunk) => (shown += new TextDecoder().decode(chunk)) },
  })
  afterThisTest(() => child.kill('SIGKILL'))
  expect(await child.exited).toBe(0)
  child.terminal?.close()
  expect(shown).toMatch(/(\d+ %|checking) of \d+ MB/)
  expect(shown).toMatch(/\d+ % of \d+ MB sent/)
  expect(s3.objects.get('x.db')?.bytes.length).toBeGreaterThan(20_000_000)
  expect(readdirSync(data).filter((file) => !file.endsWith('lock'))).toEqual(['formbox.db'])
})

test.each([
  [['backup', 'x.db', '--from', 'y.db'], '--from: needs a target that begins with s3://'],
  [['backup', 'x.db', '--keep', '2'], '--keep: needs a target that begins with s3://'],
  [['backup', 's3://backups/x.db', '--keep', 'all'], '--keep: must be a whole number; got "all"'],
  [
    ['backup', 's3://Backups/x.db'],
    'FILE: the bucket must have 3 to 63 lower-case letters, digits, dots and hyphens, with a letter or digit at each end; got "Backups"',
  ],
  [
    ['backup', 's3://ab'],
    'FILE: the bucket must have 3 to 63 lower-case letters, digits, dots and hyphens, with a letter or digit at each end; got "ab"',
  ],
])('formbox %j is refused', async (words, message) => {
  const environment = { FORMBOX_BACKUP_S3_KEY_ID: 'a', FORMBOX_BACKUP_S3_SECRET: 'b' }
  expect(await formbox(words, { environment })).toEqual({ exitCode: 2, stdout: '', stderr: `formbox: ${message}\n` })
})
