import { expect, test } from 'bun:test'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { join } from 'node:path'
import { formbox } from '../../../commands/formbox.ts'
import { bytesOfFile } from '../../../contract/collected.ts'
import { someBytes, submitFiles } from '../../../export/archived.ts'
import { temporaryFolder } from '../../../harness.ts'
import { program } from '../../../program.ts'
import { openData } from '../../../storage/data.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'
import {
  type Call,
  caller,
  createUser,
  isLong,
  listAll,
  startProcess,
  tell,
  timeout,
} from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const rounds = isLong ? 40 : 4

/** The name of a file is the hash of its content. */
const upload = async (url: string, formId: string, bytes: number): Promise<string | undefined> => {
  const body = new FormData()
  body.append('name', 'Ada')
  for (const content of [randomBytes(bytes), randomBytes(70_000)])
    body.append('cv', new File([content as Uint8Array<ArrayBuffer>], sha256(content)))
  const response = await fetch(`${url}/s/${formId}`, { method: 'POST', body })
  return ((await response.json()) as { id?: string }).id
}

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** Sends uploads, and deletes some, moves some to the spam and back, until the server is gone. */
const useUp = async (call: Call, url: string, formId: string, answered: Set<string>, touched: Set<string>) => {
  for (;;) {
    const id = await upload(url, formId, randomInt(2_000_000))
    if (!id) continue
    answered.add(id)
    const what = randomInt(4)
    if (what > 1) continue
    touched.add(id)
    if (what === 0) await call('DELETE', `/forms/${formId}/submissions/${id}`)
    else {
      await call('POST', `/forms/${formId}/submissions/${id}/spam`)
      await call('POST', `/forms/${formId}/spam/${id}/accept`)
    }
  }
}

const dayMilliseconds = 86_400_000
const archived = 900

/** An archive of submissions with a file each, so old that a form which keeps them for 30 days deletes them at once. */
const oldArchive = async (): Promise<string> => {
  const from = openData()
  const time = Date.now() - 40 * dayMilliseconds
  for (let i = 0; i < archived; i++)
    submitFiles(from, { cv: [{ name: 'cv.bin', bytes: someBytes(randomInt(40_000)) }] }, time + i)
  const archive = join(temporaryFolder(), 'old.zip')
  await formbox(['export', from.formId, '--data', from.folder, '--output', archive])
  return archive
}

test(
  'SIGKILL while files arrive, move, are deleted, grow old and are imported leaves none by halves, and no piece of nobody',
  async () => {
    const folder = temporaryFolder()
    const key = createUser(folder)
    const archive = await oldArchive()
    const answered = new Set<string>()
    const touched = new Set<string>()
    let formId = ''
    let keptBriefly = ''
    const oldOnes = () =>
      rowsOf(folder, `SELECT id FROM submissions WHERE form = (SELECT number FROM forms WHERE id = '${keptBriefly}')`)
    let imports = 0
    let halfRemoved = 0
    for (let round = 0; round < rounds; round++) {
      const server = await startProcess({ folder })
      const call = caller(server.url, key)
      formId ||= (await call('POST', '/forms', { title: 'Contact' })).body.id
      if (keptBriefly === '') {
        keptBriefly = (await call('POST', '/forms', { title: 'Kept briefly' })).body.id
        await call('PATCH', `/forms/${keptBriefly}/settings`, { retentionDays: 30 })
      }
      const importing = Bun.spawn([...program, 'import', keptBriefly, archive, '--data', folder], {
        env: {},
        stdout: 'ignore',
        stderr: 'ignore',
      })
      const before = answered.size
      const senders = Array.from({ length: 4 }, () =>
        useUp(call, server.url, formId, answered, touched).catch(() => {}),
      )
      // What grew old in the last round is being deleted from the start on, so every other server dies young.
      if (round % 2 === 0) {
        await until(() => answered.size > before, 'an upload was answered', slowly)
        await Bun.sleep(randomInt(isLong ? 3000 : 1000))
      } else await Bun.sleep(randomInt(30))
      server.kill('SIGKILL')
      await server.ended()
      if (randomInt(2) === 0) importing.kill('SIGKILL')
      if ((await importing.exited) === 0) imports++
      await Promise.all(senders)
      expectSound(folder)
      if (![0, archived].includes(oldOnes().length)) halfRemoved++
    }
    const staged = rowsOf(folder, 'SELECT number FROM files WHERE submission IS NULL').length

    const server = await startProcess({ folder })
    const call = caller(server.url, key)
    const isClean = () =>
      rowsOf(
        folder,
        `SELECT number FROM files WHERE submission IS NULL
         UNION ALL SELECT number FROM file_pieces WHERE number / 4096 NOT IN (SELECT number FROM files)`,
      ).length === 0
    await until(isClean, 'no piece is of nobody', { seconds: 60 })
    await until(() => oldOnes().length === 0, 'what grew old is deleted', { seconds: 60 })
    await until(isClean, 'no piece is of what grew old', { seconds: 60 })
    const { submissions } = await listAll(call, formId)
    const listed = new Set(submissions.map(({ id }) => id))
    expect([...answered].filter((id) => !listed.has(id) && !touched.has(id))).toEqual([])
    for (const { data } of submissions) {
      const files = data.cv as { filename: string; file: string; size: number }[]
      expect(files).toHaveLength(2)
      for (const { filename, file, size } of files) {
        const content = bytesOfFile(folder, file)
        expect([content.length, sha256(content)]).toEqual([size, filename])
      }
    }
    expectSound(folder)
    tell(
      `${rounds} kills, ${answered.size} uploads answered, ${staged} files of nobody after the last kill, ` +
        `${imports} imports survived, deletion for age was cut ${halfRemoved} times`,
    )
  },
  timeout,
)
