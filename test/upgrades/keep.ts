// Keeps a small data file of a version, for the test beside: `make keep-data` writes VERSION.db.gz and VERSION.json.gz,
// which says what the API answered about it. Run once for every release, with the executable that is released. It uses
// nothing but the command line and the API, so that it fits every version.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Kept, readEverything } from './kept.ts'

const executable = resolve(process.argv[2] ?? 'dist/formbox')
const folder = mkdtempSync(join(tmpdir(), 'formbox-keep-'))
const data = join(folder, 'data')

const formbox = async (words: readonly string[], input = ''): Promise<string> => {
  const child = Bun.spawn([executable, ...words], { cwd: folder, stdin: Buffer.from(input), stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`formbox ${words.join(' ')} failed`)
  return text.trim()
}

const send = async (
  url: string,
  key: string | null,
  method: string,
  path: string,
  body: unknown,
): Promise<{ id: string }> => {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) }
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
  return (await response.json()) as { id: string }
}

const fill = async (url: string, key: string): Promise<void> => {
  const create = (body: object) => send(url, key, 'POST', '/api/v1/forms', body)
  const submit = (form: string, body: object) => send(url, null, 'POST', `/s/${form}`, body)
  const contact = await create({
    title: 'Contact ✉️',
    description: 'Grüße',
    returnUrl: 'https://example.com/thanks?a=1',
  })
  const order = await create({ title: 'Order' })
  const removed = await create({ title: 'Removed' })
  const visitor = (i: number) => ({ name: `Ada ${i}`, tags: ['a', 'ü'], nested: { number: i / 4 } })
  const first = await submit(contact.id, visitor(0))
  const marked = await submit(contact.id, { message: 'casino bonus' })
  for (let i = 1; i < 40; i++) await submit(contact.id, visitor(i))
  await submit(order.id, { 'weird "name"\n': null, long: 'x'.repeat(20_000) })
  const gone = await submit(order.id, { gone: true })
  await send(url, key, 'DELETE', `/api/v1/forms/${order.id}/submissions/${gone.id}`, {})
  const change = (path: string, body: object) => send(url, key, 'PATCH', `/api/v1/forms/${path}`, body)
  await change(order.id, { title: 'Order, changed' })
  await send(url, key, 'POST', `/api/v1/forms/${contact.id}/duplicate`, {})
  await change(`${contact.id}/settings`, {
    closedText: 'Bis bald',
    allowedOrigins: ['https://example.com'],
    blockedTerms: ['casino'],
    maxLinks: 3,
    columns: ['name'],
    learnSpam: true,
  })
  await send(url, key, 'POST', `/api/v1/forms/${contact.id}/submissions/${marked.id}/spam`, {})
  await send(url, key, 'POST', `/api/v1/forms/${contact.id}/members`, { email: 'bob@example.com', role: 'editor' })
  await change(`${contact.id}/submissions/${first.id}/handling`, { state: 'done' })
  await send(url, key, 'POST', `/api/v1/forms/${contact.id}/submissions/${first.id}/notes`, { text: 'Called back ☎️' })
  // Last of what this form gets, so that no test that opens the data sends anything there.
  const form = new FormData()
  form.append('cv', new File([new Uint8Array(70_000).fill(7)], 'cv ü.bin'))
  await fetch(`${url}/s/${order.id}`, { method: 'POST', body: form })
  await send(url, key, 'POST', `/api/v1/forms/${order.id}/webhooks`, {
    url: 'https://example.com/hook',
    format: 'slack',
  })
  await submit(removed.id, { last: 'words' })
  await send(url, key, 'DELETE', `/api/v1/forms/${removed.id}`, {})
}

try {
  const version = /\d+\.\d+\.\d+\S*/.exec(await formbox(['--version']))?.[0]
  const path = join(import.meta.dir, `${version}`)
  // What was released must not be replaced by what was built later under the same number.
  if (existsSync(`${path}.db.gz`)) throw new Error(`the data of ${version} is kept already, in ${path}.db.gz`)
  const password = 'correct horse battery staple'
  const users = ['ada@example.com', 'bob@example.com']
  for (const user of users) await formbox(['user', 'create', user, '--password-stdin', '--data', data], password)
  const createKey = (name: string, ...flags: string[]) =>
    formbox(['key', 'create', '--user', 'ada@example.com', '--name', name, ...flags, '--data', data])
  const key = await createKey('Full')
  const readOnlyKey = await createKey('Reader', '--read-only')

  const environment = { FORMBOX_PORT: '0', FORMBOX_DATA: data, FORMBOX_RATE_LIMIT: '0', FORMBOX_SUBMIT_LIMIT: '0' }
  const server = Bun.spawn([executable, 'serve'], { cwd: folder, env: environment, stdout: 'pipe', stderr: 'inherit' })
  const { value } = await server.stdout.getReader().read()
  const url = /http:\S+/.exec(new TextDecoder().decode(value))?.[0] ?? ''
  await fill(url, key)
  const answers = await readEverything(url, key)
  server.kill('SIGTERM')
  await server.exited

  const kept: Kept = { version: version ?? '', users, password, key, readOnlyKey, answers }
  await Bun.write(`${path}.json.gz`, Bun.gzipSync(JSON.stringify(kept), { level: 9 }))
  await Bun.write(`${path}.db.gz`, Bun.gzipSync(await Bun.file(join(data, 'formbox.db')).bytes(), { level: 9 }))
  process.stdout.write(`kept the data of ${version}: ${answers.submissions.length} submissions\n`)
} catch (error) {
  process.stderr.write(`keep-data: ${(error as Error).message}\n`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
