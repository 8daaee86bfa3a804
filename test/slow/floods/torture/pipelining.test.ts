// Requests that are sent before the one in front of them is answered (RFC 9112 section 9.3.2). Bun answers them in order
// while each is answered at once, and closes the connection on which one comes behind a write that is under way. A
// client may not send a POST that way; whoever does must neither lose an answered submission nor store one twice.
import { expect, test } from 'bun:test'
import { temporaryFolder } from '../../../harness.ts'
import { caller, createUser, faultsOf, isLong, listAll, startProcess, tell, timeout } from '../../../torture/process.ts'
import { exchange } from '../../../torture/raw.ts'

test(
  'requests behind a write that is under way lose nothing that was answered, and store nothing twice',
  async () => {
    const folder = temporaryFolder()
    const key = createUser(folder)
    const server = await startProcess({ folder })
    const call = caller(server.url, key)
    const formId: string = (await call('POST', '/forms', { title: 'Contact' })).body.id
    const post = (value: string) =>
      `POST /s/${formId} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
      `Content-Length: ${value.length + 2}\r\n\r\nv=${value}`
    const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

    const answered = new Map<string, string>()
    const sentOn: string[][] = []
    const connection = async (number: number): Promise<void> => {
      const requests = Array.from({ length: 1 + (number % 6) }, (_, i) => {
        const value = Math.random() < 0.3 ? null : `${number}-${i}`
        return { value, bytes: value === null ? get : post(value) }
      })
      sentOn.push(requests.flatMap(({ value }) => value ?? []))
      const bytes = requests.map((request) => request.bytes).join('')
      const { answers, isHanging } = await exchange(server.url, bytes, { quietMilliseconds: 300 })
      expect(isHanging).toBe(false)
      // Answers come in the order of the requests, as far as they come.
      answers.forEach(({ status, text }, position) => {
        expect(status).toBe(200)
        const id = /"id":"([^"]+)"/.exec(text)?.[1]
        const { value } = requests[position] ?? {}
        expect(id !== undefined).toBe(value !== null)
        if (id && value) answered.set(id, value)
      })
    }
    const count = isLong ? 2000 : 100
    for (let start = 0; start < count; start += 50)
      await Promise.all(Array.from({ length: 50 }, (_, i) => connection(start + i)))

    const { submissions, total } = await listAll(call, formId)
    const stored = new Map(submissions.map(({ id, data }) => [id, data.v as string]))
    expect([...answered].filter(([id, value]) => stored.get(id) !== value)).toEqual([])
    expect(new Set(stored.values()).size).toBe(total)
    // What was not answered may be there, as whenever a connection breaks: the one that was under way, and none behind it.
    const unanswered = new Set([...stored].filter(([id]) => !answered.has(id)).map(([, value]) => value))
    expect(Math.max(...sentOn.map((values) => values.filter((value) => unanswered.has(value)).length))).toBeLessThan(2)
    expect(answered.size).toBeGreaterThan(0)
    expect((await call('GET', `/forms/${formId}`)).body.submissionCount).toBe(total)
    expect(faultsOf(folder)).toEqual([])
    expect(server.errors()).toBe('')
    tell(
      `${count} connections with requests behind one another: ${answered.size} answered, ${unanswered.size} stored without an answer`,
    )
  },
  timeout,
)

test(
  'thousands of requests at once on one connection are not answered in one turn, in which all others would wait',
  async () => {
    const server = await startProcess({ folder: temporaryFolder() })
    const get = 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n'
    const statuses = async (count: number) => {
      const { answers, isHanging } = await exchange(server.url, get.repeat(count))
      expect(isHanging).toBe(false)
      expect(answers.every(({ status }) => status === 404)).toBe(true)
      return answers
    }
    const few = await statuses(300)
    expect(few).toHaveLength(300)
    expect(few.filter(({ text }) => /^connection: close/im.test(text))).toEqual([])
    // The system may hand over the first of them before the rest.
    expect((await statuses(20_000)).length).toBeWithin(1, 2000)
    expect(await statuses(1)).toHaveLength(1)
  },
  timeout,
)
