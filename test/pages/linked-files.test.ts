// The signed addresses of files, which webhooks hand out.
import { describe, expect, test } from 'bun:test'
import { userWrites } from '../../src/accounts/users/user-writes.ts'
import { fileLink } from '../../src/sending/webhooks/file-link.ts'
import { secretWrites } from '../../src/storage/secrets/secret-writes.ts'
import { forThisFile, type Server, startServer, writeTo } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { submitFiles } from '../stored-files.ts'

const key = Buffer.alloc(32, 7)
const content = Buffer.from('%PDF-1.7 content')

const clock = { now: 0 }
let starting: Promise<Server> | undefined

/** Starts a server that signs with the key above, for all tests. */
const startSigning = async (): Promise<Server> => {
  const server = await startServer({ now: () => clock.now })
  writeTo(server.folder, (db) => secretWrites(db).createSecret({ name: 'signing', value: key.toString('base64') }))
  return server
}

/** That server, and a form with a file. */
const setUp = async (now = Date.now()) => {
  clock.now = now
  starting ??= forThisFile(startSigning)
  const server = await starting
  const ada = await server.signUp()
  const formId = await ada.createForm()
  const store = (bytes: Uint8Array = content) => {
    const { id, files } = submitFiles(server, formId, [{ name: 'cv.pdf', type: 'application/pdf', bytes }])
    return { id, fileId: files[0] as string }
  }
  const linkTo = (fileId: string, of = formId, at = Date.now()) => fileLink('', key, { formId: of, fileId }, at)
  const statusOf = async (path: string, init?: RequestInit) => (await server.fetch(path, init)).status
  return { server, ada, formId, store, linkTo, statusOf }
}

describe('GET /files/{fileId}', () => {
  test('is the file, for GET, HEAD and parts, and never shown', async () => {
    const { server, store, linkTo } = await setUp()
    const path = linkTo(store().fileId)
    const answer = await server.fetch(path)
    expect(answer.status).toBe(200)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(content)
    const headers = {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="cv.pdf"',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'content-length': String(content.length),
    }
    expect(Object.fromEntries(answer.headers)).toMatchObject(headers)
    const head = await server.fetch(path, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(Object.fromEntries(head.headers)).toMatchObject(headers)
    const part = await server.fetch(path, { headers: { range: 'bytes=1-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'PDF'])
  })

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('is no address for %s', async (method) => {
    const { store, linkTo, statusOf } = await setUp()
    const path = linkTo(store().fileId)
    expect(await statusOf(path, { method })).toBe(404)
    expect(await statusOf(path)).toBe(200)
  })

  test('is 403 for every address that this server did not make, whether there is a file or not', async () => {
    const { ada, formId, store, linkTo, statusOf } = await setUp()
    const [mine, other] = [store().fileId, store().fileId]
    const path = linkTo(mine)
    const otherForm = await ada.createForm()
    const [, expires = ''] = /expires=(\d+)/.exec(path) ?? []
    const signature = path.slice(path.indexOf('signature=') + 'signature='.length)
    const tampered = [
      `/files/${mine}`,
      `/files/${mine}?expires=${expires}`,
      `/files/${mine}?signature=${signature}`,
      `/files/${mine}?expires=${expires}&signature=`,
      path.replace(mine, other),
      path.replace(mine, mine.toUpperCase()),
      path.replace(mine, 'x'),
      path.replace(expires, `${Number(expires) + 1}`),
      path.replace(expires, `0${expires}`),
      path.replace(expires, `${expires}.0`),
      path.replace(formId, otherForm),
      path.replace(`${formId}.`, ''),
      path.slice(0, -1),
      `${path}A`,
      `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`,
      fileLink('', Buffer.alloc(32), { formId, fileId: mine }, Date.now()),
    ]
    for (const address of tampered) expect([address, await statusOf(address)]).toEqual([address, 403])
    expect(await statusOf(path)).toBe(200)
    // The same identifier in another form, of which there is no file.
    expect(await statusOf(linkTo(mine, otherForm))).toBe(404)
  })

  test.skipIf(isCompiled)('is 403 from 24 hours on', async () => {
    const { server, store, linkTo } = await setUp(Date.UTC(2026, 10, 22, 12))
    const path = linkTo(store().fileId, undefined, clock.now)
    clock.now += 24 * 3_600_000 - 1
    expect((await server.fetch(path)).status).toBe(200)
    clock.now += 1
    const expired = await server.fetch(path)
    expect(expired.status).toBe(403)
    expect(await expired.json()).toMatchObject({ code: 'FORBIDDEN', message: 'This address has expired' })
    const page = await server.fetch(path, { headers: { accept: 'text/html' } })
    expect([page.status, await page.text()]).toEqual([403, expect.stringContaining('This address has expired.')])
  })

  test('is 404 once the submission was deleted, became spam, or lost its form or its user', async () => {
    const { server, ada, formId, store, linkTo, statusOf } = await setUp()
    const [deleted, spam, rest] = [store(), store(), store()]
    expect((await ada.call('DELETE', `/forms/${formId}/submissions/${deleted.id}`)).status).toBe(200)
    expect(await statusOf(linkTo(deleted.fileId))).toBe(404)
    expect((await ada.call('POST', `/forms/${formId}/submissions/${spam.id}/spam`)).status).toBe(200)
    expect(await statusOf(linkTo(spam.fileId))).toBe(404)
    expect(await statusOf(linkTo(rest.fileId))).toBe(200)
    writeTo(server.folder, (db) => userWrites(db).disableUser({ userId: ada.id, now: Date.now() }))
    expect(await statusOf(linkTo(rest.fileId))).toBe(404)
    writeTo(server.folder, (db) => userWrites(db).enableUser({ userId: ada.id }))
    expect(await statusOf(linkTo(rest.fileId))).toBe(200)
    expect((await ada.call('DELETE', `/forms/${formId}`)).status).toBe(200)
    expect(await statusOf(linkTo(rest.fileId))).toBe(404)
  })

  test('is all of a long file', async () => {
    const { server, store, linkTo } = await setUp()
    const bytes = Buffer.alloc(8 * 1024 * 1024, 'long ')
    const answer = await server.fetch(linkTo(store(bytes).fileId))
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
  })
})
