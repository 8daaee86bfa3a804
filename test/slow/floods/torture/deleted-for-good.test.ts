import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../../../src/base/id.ts'
import { backupName, backupTime } from '../../../../src/storage/backup-names.ts'
import { connect, emptyWal } from '../../../../src/storage/open.ts'
import { addWebhook, allowed, startReceiver } from '../../../deliveries/receiver.ts'
import {
  afterThisTest,
  type Server,
  startServer,
  temporaryFolder,
  type User,
  writeKey,
  writeTo,
} from '../../../harness.ts'
import { openData } from '../../../storage/data.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'
import { caller, createUser, startProcess } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

setDefaultTimeout(60_000)

const day = 86_400_000

/** The files below the data folder, by their paths in it, in which the text occurs. */
const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .filter((name) => readFileSync(join(folder, name)).includes(text))

/** Does what the job `emptyWalRegularly` does, in time for a test. */
const emptyWalOf = async (folder: string): Promise<void> => {
  const db = connect(folder)
  afterThisTest(() => db.$client.close())
  await until(() => emptyWal(db), 'the WAL is empty', slowly)
}

let marks = 0
/** A text that occurs nowhere else. */
const mark = (): string => `visitor-${crypto.randomUUID()}-${marks++}`

interface Sent {
  readonly server: Server
  readonly ada: User
  readonly formId: string
  readonly id: string
}

/** What is sent, around the text to look for. */
const sizes: Record<string, (text: string) => object> = {
  short: (text) => ({ message: text, _subject: `About ${text}` }),
  'as long as a page': (text) => ({ message: 'x'.repeat(3500) + text, name: text }),
  'in pieces': (text) => ({ message: `${'x'.repeat(200_000)}${text}${'y'.repeat(100_000)}`, end: text }),
}

const noPieces = (folder: string) =>
  until(() => rowsOf(folder, 'SELECT 1 FROM abandoned_pieces').length === 0, 'its pieces are gone', slowly)

/** A whole text of the submission by which a person is found. */
const personOf = async (ada: User, formId: string, id: string): Promise<{ value: string }> => {
  const { data } = (await ada.call('GET', `/forms/${formId}/submissions/${id}`)).body
  return { value: data.end ?? data.name ?? data.message }
}

const ways: Record<string, (sent: Sent) => Promise<unknown>> = {
  'deleted alone': ({ ada, formId, id }) => ada.call('DELETE', `/forms/${formId}/submissions/${id}`),
  'deleted in bulk': ({ ada, formId, id }) => ada.call('DELETE', `/forms/${formId}/submissions/bulk`, { ids: [id] }),
  'marked as spam and deleted': async ({ ada, formId, id }) => {
    await ada.call('POST', `/forms/${formId}/submissions/${id}/spam`)
    await ada.call('DELETE', `/forms/${formId}/spam/${id}`)
  },
  'marked, accepted again and deleted': async ({ ada, formId, id }) => {
    await ada.call('POST', `/forms/${formId}/submissions/${id}/spam`)
    await ada.call('POST', `/forms/${formId}/spam/${id}/accept`)
    await ada.call('DELETE', `/forms/${formId}/submissions/${id}`)
  },
  'erased for a person': async ({ ada, formId, id }) => {
    const { value } = await personOf(ada, formId, id)
    const { status, body } = await ada.call('POST', '/personal-data/erase', { value, count: 1 })
    expect([status, body.receipt.submissions]).toEqual([200, [expect.objectContaining({ submissionId: id })]])
  },
  'marked as spam and erased for a person': async ({ ada, formId, id }) => {
    const { value } = await personOf(ada, formId, id)
    await ada.call('POST', `/forms/${formId}/submissions/${id}/spam`)
    await ada.call('POST', '/personal-data/erase', { value, count: 1 })
  },
  'deleted with its form': async ({ server, ada, formId }) => {
    await ada.call('DELETE', `/forms/${formId}`)
    await until(
      () => rowsOf(server.folder, 'SELECT 1 FROM forms WHERE id = ?', formId).length === 0,
      'the form is gone',
      slowly,
    )
  },
}

describe.each(Object.keys(sizes))('a submission, %s,', (size) => {
  test.each(Object.keys(ways))('%s, is in no file any more', async (way) => {
    const receiver = startReceiver(({ body }) => new Response(body))
    const server = await startServer({ settings: allowed })
    const ada = await server.signUp()
    const formId = await ada.createForm()
    const other = await ada.createForm()
    const { submit } = openData(server.folder)
    // Among others, before and after.
    submit(
      formId,
      Array.from({ length: 300 }, (_, i) => Date.now() - 1000 * i),
    )
    addWebhook(server.folder, ada, formId, receiver.url)
    const text = mark()
    const data = (sizes[size] as (text: string) => object)(text)
    const id = await server.submit(formId, data)
    await server.submit(other, { message: 'stays' })
    await until(
      () => rowsOf(server.folder, "SELECT 1 FROM deliveries WHERE state = 'delivered'").length === 1,
      'the submission is delivered',
      slowly,
    )
    expect(filesWith(server.folder, text)).not.toEqual([])
    await emptyWalOf(server.folder)
    expect(filesWith(server.folder, text)).toEqual(['formbox.db'])

    await ways[way]?.({ server, ada, formId, id })
    await noPieces(server.folder)
    await emptyWalOf(server.folder)

    expect(filesWith(server.folder, text)).toEqual([])
    expectSound(server.folder)
    await server.stop()
    expect(filesWith(server.folder, text)).toEqual([])
  })
})

test('spam that is deleted is in no file any more', async () => {
  const server = await startServer()
  const ada = await server.signUp()
  const formId = await ada.createForm()
  const texts = Object.values(sizes).map((toData) => [mark(), toData] as const)
  for (const [text, toData] of texts) await server.submit(formId, { ...toData(text), _gotcha: 'x' })
  const { spam } = (await ada.call('GET', `/forms/${formId}/spam`)).body
  expect(spam).toHaveLength(3)
  await ada.call('DELETE', `/forms/${formId}/spam/bulk`, { ids: spam.map(({ id }: { id: string }) => id) })
  await noPieces(server.folder)
  await emptyWalOf(server.folder)
  for (const [text] of texts) expect(filesWith(server.folder, text)).toEqual([])
})

test('submissions and spam that were too old are in no file any more, and no name of a field of a deleted form', async () => {
  const folder = temporaryFolder()
  const { userId, formId, createForm, run } = openData(folder)
  const [text, field] = [mark(), mark()]
  const gone = createForm(userId)
  run('updateFormSettings', { userId, id: formId, now: 0, changes: { retentionDays: 30 } })
  for (const [position, toData] of Object.values(sizes).entries()) {
    const data = JSON.stringify(toData(text))
    const at = Date.now() - (40 + position) * day
    run('createSubmission', { formId, id: newId(at), data, fieldNames: ['message'] })
    run('createSubmission', { fieldNames: [], formId, id: newId(at), data, reason: 'honeypot' })
  }
  const names = [field, ...Array.from({ length: 300 }, (_, i) => `a rather long name of a field ${i}`)]
  run('createSubmission', { formId: gone, id: newId(Date.now()), data: '{}', fieldNames: names })
  await emptyWalOf(folder)
  expect([filesWith(folder, text), filesWith(folder, field)]).toEqual([['formbox.db'], ['formbox.db']])

  run('deleteForms', { userId, now: Date.now(), ids: [gone] })
  const server = await startServer({ folder })
  await until(() => rowsOf(folder, 'SELECT 1 FROM submissions').length === 0, 'no submission is left', slowly)
  await until(() => rowsOf(folder, 'SELECT 1 FROM forms WHERE id = ?', gone).length === 0, 'the form is gone', slowly)
  await noPieces(folder)
  await emptyWalOf(folder)
  expect([filesWith(folder, text), filesWith(folder, field)]).toEqual([[], []])
  await server.stop()
})

test('what is deleted is in no backup after so many rounds', async () => {
  const folder = temporaryFolder()
  const backups = join(folder, 'backups')
  const settings = { FORMBOX_BACKUP_EVERY: '24h', FORMBOX_BACKUP_KEEP: '2' }
  const text = mark()
  const { userId, formId, run } = openData(folder)
  const id = newId(Date.now())
  run('createSubmission', { formId, id, data: JSON.stringify({ text }), fieldNames: ['text'] })
  const own = () => readdirSync(backups).filter((name) => backupTime(name) !== undefined)

  /** As if a day had passed: all backups become a day older, and the server makes another one. */
  const nextRound = async (kept: number): Promise<void> => {
    const before = own()
    for (const name of before.toSorted())
      renameSync(join(backups, name), join(backups, backupName((backupTime(name) as number) - day)))
    const server = await startServer({ folder, settings })
    await until(
      () => own().some((name) => Date.now() - (backupTime(name) as number) < day / 2) && own().length === kept,
      'the older backups are gone',
      slowly,
    )
    await server.stop()
  }
  writeTo(folder, () => {})
  const first = await startServer({ folder, settings })
  await until(() => readdirSync(folder).includes('backups') && own().length === 1, 'one backup is left', slowly)
  await first.stop()
  expect(filesWith(folder, text)).toHaveLength(2)

  run('deleteSubmissions', { userId, formId, list: 'inbox', ids: [id] })
  await emptyWalOf(folder)
  expect(filesWith(folder, text)).toEqual([join('backups', own()[0] as string)])
  await nextRound(2)
  expect(filesWith(folder, text)).toHaveLength(1)
  await nextRound(2)
  expect(filesWith(folder, text)).toEqual([])
})

test('what was deleted before a crash is gone soon after the next start, while no one sends anything', async () => {
  const server = await startProcess()
  const { folder } = server
  const call = caller(server.url, createUser(folder))
  const { id: formId } = (await call('POST', '/forms', { title: 'Contact' })).body
  const text = mark()
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ text })
  const sent = await fetch(`${server.url}/s/${formId}`, { method: 'POST', headers, body })
  const { id } = (await sent.json()) as { id: string }
  expect((await call('DELETE', `/forms/${formId}/submissions/${id}`)).status).toBe(200)
  server.kill('SIGKILL')
  await server.ended()
  expect(filesWith(folder, text)).toContain('formbox.db-wal')

  const again = await startProcess({ folder })
  await until(() => filesWith(folder, text).length === 0, 'no file has the text', slowly)
  again.kill('SIGTERM')
  expect(await again.exited).toBe(0)
})

test('what is left of a person after a crash is found again, and then in no file any more', async () => {
  const folder = temporaryFolder()
  const { userId, formId, execute, createForm } = openData(folder)
  const other = createForm(userId)
  const text = mark()
  const submissionsOf = (form: string, name: string) =>
    Array.from({ length: 1000 }, () => {
      const data = JSON.stringify({ name, message: name })
      return ['createSubmission', { formId: form, id: newId(Date.now()), data, fieldNames: ['name'] }] as const
    })
  for (let i = 0; i < 4; i++) execute([...submissionsOf(formId, text), ...submissionsOf(other, text)])
  execute(submissionsOf(formId, 'somebody else'))
  const count = () => rowsOf<{ count: number }>(folder, 'SELECT count(*) AS count FROM submissions')[0]?.count ?? 0

  const server = await startProcess({ folder })
  const key = writeKey(folder, userId).key
  const body = { value: text, count: 8000 }
  const answered = caller(server.url, key)('POST', '/personal-data/erase', body).catch(() => 'none')
  await until(() => count() < 9000, 'some are erased', slowly)
  server.kill('SIGKILL')
  await server.ended()
  expect(await answered).toBe('none')
  const left = count() - 1000
  expect(left).toBeWithin(1, 8000)

  const again = await startProcess({ folder })
  const call = caller(again.url, key)
  const refused = await call('POST', '/personal-data/erase', body)
  expect([refused.status, refused.body.issues[0].message]).toEqual([
    400,
    `count: must be the number of submissions that a search finds now, which is ${left}`,
  ])
  const { status, body: rest } = await call('POST', '/personal-data/erase', { value: text, count: left })
  expect([status, rest.erased]).toEqual([200, left])
  await emptyWalOf(folder)
  expect(filesWith(folder, text)).toEqual([])
  expect(count()).toBe(1000)
  expectSound(folder)
  again.kill('SIGTERM')
  expect(await again.exited).toBe(0)
})
