import { expect, test } from 'bun:test'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { bytesOfFile } from '../contract/collected.ts'
import { temporaryFolder } from '../harness.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { slowly, until } from '../until.ts'
import { type Call, caller, createUser, isLong, listAll, startProcess, tell, timeout } from './process.ts'

const rounds = isLong ? 40 : 3

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

test(
  'SIGKILL while files arrive, move and are deleted leaves none by halves, and no piece without a submission',
  async () => {
    const folder = temporaryFolder()
    const key = createUser(folder)
    const answered = new Set<string>()
    const touched = new Set<string>()
    let formId = ''
    for (let round = 0; round < rounds; round++) {
      const server = await startProcess({ folder })
      const call = caller(server.url, key)
      formId ||= (await call('POST', '/forms', { title: 'Contact' })).body.id
      const before = answered.size
      const senders = Array.from({ length: 4 }, () =>
        useUp(call, server.url, formId, answered, touched).catch(() => {}),
      )
      await until(() => answered.size > before, 'an upload was answered', slowly)
      await Bun.sleep(randomInt(isLong ? 3000 : 1000))
      server.kill('SIGKILL')
      await server.ended()
      await Promise.all(senders)
      expectSound(folder)
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
    tell(`${rounds} kills, ${answered.size} uploads answered, ${staged} files of nobody after the last kill`)
  },
  timeout,
)
