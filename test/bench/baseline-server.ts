// What the product is compared with: `bun` and `elysia` answer every request with the bytes of a file, `elysia-busy`
// after it has kept its thread busy for so many microseconds, `elysia-page` with headers too, `elysia-body` after it has
// read a JSON or urlencoded body, `elysia-sqlite` with a row of a database; `one-commit` puts each body on the disk in a transaction of its own.
import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { Elysia } from 'elysia'

const [kind = '', operand = '', microseconds = '0'] = process.argv.slice(2)
const listening = { hostname: '127.0.0.1', port: 0 }
const json = { 'content-type': 'application/json' }

const constant = (): string => readFileSync(operand, 'utf8')

const bareBun = () => {
  const body = constant()
  return Bun.serve({ ...listening, fetch: () => new Response(body, { headers: json }) })
}

const bareElysia = () => {
  const body = constant()
  return elysiaRoutes(() => body)
}

const busyElysia = () => {
  const body = constant()
  const milliseconds = Number(microseconds) / 1000
  return elysiaRoutes(() => {
    for (const end = performance.now() + milliseconds; performance.now() < end; );
    return body
  })
}

const elysiaRoutes = (answer: () => string) =>
  new Elysia()
    .get('/api/v1/forms', answer)
    .get('/api/v1/forms/:formId', answer)
    .get('/api/v1/forms/:formId/submissions', answer)
    .get('/api/v1/forms/:formId/submissions/:submissionId', answer)
    .listen(listening).server

/** Answers with the headers and the body that are in a file. */
const elysiaPage = () => {
  const { headers, body } = JSON.parse(constant())
  const answer = ({ set }: { readonly set: { readonly headers: object } }) => {
    Object.assign(set.headers, headers)
    return body
  }
  return new Elysia().get('/f/:formId', answer).listen(listening).server
}

const elysiaWithBody = () => {
  const answer = constant()
  const afterReading = ({ body }: { body: unknown }) => (typeof body === 'object' ? answer : '')
  return new Elysia().post('/s/:formId', afterReading).post('/api/v1/forms', afterReading).listen(listening).server
}

const elysiaWithDatabase = () => {
  const db = new Database(operand)
  db.run('PRAGMA journal_mode = WAL')
  const read = db.query<{ answer: string }, []>("SELECT 'ok' AS answer")
  return new Elysia().get('/', () => read.get()?.answer ?? '').listen(listening).server
}

const oneCommit = () => {
  const db = new Database(operand)
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = FULL')
  db.run('CREATE TABLE submissions (form INTEGER, id TEXT, data TEXT, PRIMARY KEY (form, id)) STRICT, WITHOUT ROWID')
  const insert = db.prepare('INSERT INTO submissions VALUES (1, ?, ?)')
  return Bun.serve({
    ...listening,
    async fetch(request) {
      const data = await request.json()
      const id = Bun.randomUUIDv7()
      insert.run(id, JSON.stringify(data))
      return new Response(`{"id":"${id}"}`, { headers: json })
    },
  })
}

const kinds: Record<string, () => { url: URL } | null> = {
  bun: bareBun,
  elysia: bareElysia,
  'elysia-busy': busyElysia,
  'elysia-body': elysiaWithBody,
  'elysia-page': elysiaPage,
  'elysia-sqlite': elysiaWithDatabase,
  'one-commit': oneCommit,
}
process.stdout.write(`${kinds[kind]?.()?.url.origin}\n`)
process.on('SIGTERM', () => process.exit(0))
