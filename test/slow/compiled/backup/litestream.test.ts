// Follows the guide in docs/backup.md with a real Litestream, if there is one on the PATH.
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkFile } from '../../../backup/sound-file.ts'
import { addUser, formbox, type Serving, serve } from '../../../commands/formbox.ts'
import { bytesOfFile } from '../../../contract/collected.ts'
import { blocksOf, sectionOf } from '../../../guide-parts.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'
import { slowly, until } from '../../../until.ts'

const litestream = Bun.which('litestream')
if (litestream === null) noteSkipped('The guide to Litestream is not followed: litestream is not on the PATH.')

const page = readFileSync(join(import.meta.dir, '../../../../docs/backup.md'), 'utf8')
const heading = 'Every second, with Litestream'
const [configuration = ''] = blocksOf(page, heading, 'yaml')
const [start = ''] = blocksOf(page, heading, 'sh')
/** The commands of the numbered steps. */
const steps = [...sectionOf(page, heading).matchAll(/^\d\. `([^`]+)`$/gm)].map(([, command]) => command as string)
const step = (beginning: string): string => steps.find((each) => each.startsWith(beginning)) ?? 'missing'

/** A folder as in the guide, with the copy in another folder instead of on an S3 server. */
const prepare = () => {
  const folder = temporaryFolder()
  const copy = temporaryFolder()
  const inFolder = configuration.replace(/type: s3[\s\S]*/, `type: file\n      path: ${copy}\n`)
  writeFileSync(join(folder, 'litestream.yml'), inFolder)
  return { folder, copy, data: join(folder, 'formbox-data') }
}

const environment = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' }

/** Runs a command of the guide to its end. */
const follow = async (folder: string, command: string) => {
  const [program, ...words] = command.split(' ')
  if (program === 'formbox') return await formbox(words, { folder })
  const child = Bun.spawn([litestream ?? '', ...words], {
    cwd: folder,
    env: environment,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, stdout, stderr }
}

const expectFollowed = async (folder: string, command: string): Promise<void> => {
  const { exitCode, stderr } = await follow(folder, command)
  expect(exitCode, `${command}: ${stderr}`).toBe(0)
}

/** Starts Litestream as in the guide. */
const replicate = (folder: string) => {
  const [, ...words] = start.split(' ')
  const child = Bun.spawn([litestream ?? '', ...words], {
    cwd: folder,
    env: environment,
    stdout: 'ignore',
    stderr: 'ignore',
  })
  afterThisTest(() => {
    child.kill('SIGKILL')
    return child.exited
  })
  return child
}

/** Resolves when Litestream has copied what is written from now on. */
const copied = async (copy: string, write: () => Promise<unknown>): Promise<void> => {
  const before = new Set(filesIn(copy))
  await write()
  await until(() => filesIn(copy).some((name) => !before.has(name)), 'Litestream has copied what was written', slowly)
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ltx'))

const startServer = (folder: string): Promise<Serving> =>
  serve([], { folder, environment: { FORMBOX_DATA: 'formbox-data' } })

const newForm = async (server: Serving, key: string): Promise<string> => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ title: 'Contact' })
  const response = await fetch(`${server.url}/api/v1/forms`, { method: 'POST', headers, body })
  return ((await response.json()) as { id: string }).id
}

const photo = new File(['Grüße '.repeat(20_000)], 'photo.jpg')

/** Every tenth has a file of 160 kB. */
const submit = async (server: Serving, form: string, isWithFile = Math.random() < 0.1): Promise<string> => {
  const body = new FormData()
  body.append('text', 'Grüße')
  if (isWithFile) body.append('photo', photo)
  const response = await fetch(`${server.url}/s/${form}`, { method: 'POST', body })
  return ((await response.json()) as { id: string }).id
}

const idsIn = (folder: string): string[] =>
  rowsOf<{ id: string }>(folder, 'SELECT id FROM submissions ORDER BY id').map(({ id }) => id)

/** More than Litestream needs on a busy machine, and less than would hide that it had stopped. */
const mostLostMilliseconds = 10_000

describe.skipIf(litestream === null)('the guide to Litestream', () => {
  test('has the steps that are followed here', () => {
    expect(steps.map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual([
      'litestream restore',
      'formbox restore',
      'litestream reset',
    ])
    expect(configuration).toContain('path: formbox-data/formbox.db')
  })

  test('restores all but the last seconds after both were killed under load', async () => {
    const { folder, copy, data } = prepare()
    const server = await startServer(folder)
    const key = await keyIn(folder)
    const form = await newForm(server, key)
    const replicating = replicate(folder)
    const answered = new Map<string, number>()
    let isOver = false
    const send = async (): Promise<void> => {
      while (!isOver) answered.set(await submit(server, form), performance.now())
    }
    const sending = Promise.allSettled(Array.from({ length: 8 }, send))
    // The first copy is of the whole file, those after it are of changes.
    for (let copies = 0; copies < 4; copies++) await copied(copy, async () => {})
    const killedAt = performance.now()
    server.kill('SIGKILL')
    replicating.kill('SIGKILL')
    isOver = true
    await Promise.all([sending, server.end(), replicating.exited])

    await expectFollowed(folder, step('litestream restore'))
    const other = { ...prepare(), data: join(folder, 'other') }
    expect(await formbox(['restore', 'restored.db', '--data', other.data], { folder })).toMatchObject({ exitCode: 0 })
    expectSound(other.data)
    const restored = new Set(idsIn(other.data))
    const lost = [...answered].filter(([id]) => !restored.has(id))
    expect(restored.size).toBeGreaterThan(0)
    expect(lost.filter(([, at]) => killedAt - at > mostLostMilliseconds)).toEqual([])
    expect(rowsOf(other.data, 'SELECT submission_count AS count FROM forms')).toEqual([{ count: restored.size }])

    // On the machine itself nothing is lost, and both go on.
    const again = await startServer(folder)
    replicate(folder)
    await copied(copy, async () => answered.set(await submit(again, form), performance.now()))
    const here = new Set(idsIn(data))
    expect([...answered.keys()].filter((id) => !here.has(id))).toEqual([])
  })

  test('restores a backup only when Litestream is stopped, and copies on afterwards', async () => {
    const { folder, copy, data } = prepare()
    const server = await startServer(folder)
    const key = await keyIn(folder)
    const form = await newForm(server, key)
    const replicating = replicate(folder)
    await copied(copy, async () => {
      for (let i = 0; i < 100; i++) await submit(server, form, i % 10 === 0)
    })
    expect((await formbox(['backup', 'restored.db', '--data', 'formbox-data'], { folder })).exitCode).toBe(0)
    for (let i = 0; i < 10; i++) await submit(server, form)
    server.kill('SIGTERM')
    await server.end()

    const refused = await follow(folder, `${step('formbox restore')}`)
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain('has it open; stop it first, even if it is Litestream')
    if (process.platform === 'linux') expect(refused.stderr).toContain(`process ${replicating.pid} (litestream)`)
    expect(idsIn(data)).toHaveLength(110)

    replicating.kill('SIGTERM')
    await replicating.exited
    await expectFollowed(folder, step('formbox restore'))
    await expectFollowed(folder, step('litestream reset'))
    expect(idsIn(data)).toHaveLength(100)
    const again = await startServer(folder)
    replicate(folder)
    await copied(copy, () => submit(again, form))
    for (let i = 0; i < 49; i++) await submit(again, form)

    const back = join(folder, 'back.db')
    const restoreCopy = async (): Promise<boolean> => {
      rmSync(back, { force: true })
      await expectFollowed(folder, step('litestream restore').replace('restored.db', 'back.db'))
      return checkFile(back).submissions === 150
    }
    await until(restoreCopy, 'the copy can be restored', slowly)
    const other = join(folder, 'other')
    expect((await formbox(['restore', back, '--data', other])).exitCode).toBe(0)
    expectSound(other)
    const files = rowsOf<{ id: string }>(other, 'SELECT id FROM files WHERE submission IS NOT NULL')
    expect(files.length).toBeGreaterThanOrEqual(10)
    for (const { id } of files) expect(bytesOfFile(other, id)).toEqual(Buffer.from(await photo.arrayBuffer()))
    expect(idsIn(other)).toHaveLength(150)
    expect(idsIn(other)).toEqual(idsIn(data))
  })
})

const keyIn = async (folder: string): Promise<string> => {
  const words = ['key', 'create', '--user', 'ada@example.com', '--name', 'Test']
  addUser(join(folder, 'formbox-data'), 'ada@example.com')
  const { stdout } = await formbox([...words, '--data', 'formbox-data'], { folder })
  return stdout.trim()
}
