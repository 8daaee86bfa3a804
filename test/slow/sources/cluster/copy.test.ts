// What a machine gives to another one of its cluster, and to no one else.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { openLog } from '../../../../src/storage/cluster/open-log.ts'
import { addUser, type Machine, startCluster } from '../../../cluster/machines.ts'
import { startPostgres, whyNoPostgres } from '../../../cluster/postgres.ts'
import { startProxy } from '../../../cluster/proxy.ts'
import { noteSkipped } from '../../../skips.ts'
import { slowly, until } from '../../../until.ts'

setDefaultTimeout(180_000)

const reason = whyNoPostgres()
if (reason) noteSkipped(`Skipping the tests of copies for machines of a cluster: ${reason}.`)

const start = async () => {
  const cluster = await startCluster()
  const machine = await cluster.start('one')
  const log = openLog([cluster.url])
  const token = await log.token()
  await log.close()
  return { machine, token }
}

const ask = ({ url }: Machine, token: string, init: RequestInit = {}) =>
  fetch(`${url}/cluster/copy`, { headers: { authorization: `Bearer ${token}` }, keepalive: false, ...init })

const left = ({ folder }: Machine) => readdirSync(folder).filter((name) => name.includes('cluster-copy'))

/** The process that makes a copy, if there is one. Until it is that program, it keeps the server waiting. */
const copyingFor = (id: number): number | undefined => {
  try {
    return readdirSync(`/proc/${id}/task`)
      .flatMap((thread) => readFileSync(`/proc/${id}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean))
      .map(Number)
      .find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('cluster-copy'))
  } catch {
    // A process has ended meanwhile.
    return undefined
  }
}

/** One letter, as in proc(5): `T` if it is stopped. Without one, it has ended. */
const stateOf = (id: number): string | undefined => {
  try {
    const state = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.[0]
    return state === 'Z' ? undefined : state
  } catch {
    return undefined
  }
}

const hasEnded = (id: number): boolean => stateOf(id) === undefined

/** Whether the process was stopped before it ended. */
const isFrozen = async (id: number): Promise<boolean> => {
  try {
    process.kill(id, 'SIGSTOP')
  } catch {
    return false
  }
  await until(() => stateOf(id) === 'T' || hasEnded(id), 'the process is stopped or has ended')
  return !hasEnded(id)
}

describe.skipIf(reason !== null)('a copy for another machine', () => {
  test('is given to who has the token, one at a time, and leaves nothing behind', async () => {
    const { machine, token } = await start()
    await addUser(machine)
    for (const wrong of ['x', `${token}x`, '']) expect((await ask(machine, wrong)).status).toBe(401)
    expect((await fetch(`${machine.url}/cluster/copy`)).status).toBe(401)
    expect((await ask(machine, token, { method: 'HEAD' })).status).toBe(200)
    await until(
      async () => {
        const response = await ask(machine, token)
        const body = await response.text()
        if (response.status === 200) expect(body).toStartWith('SQLite format 3')
        else expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60'])
        return response.status === 200
      },
      'a copy is given',
      slowly,
    )
    await until(() => left(machine).length === 0, 'nothing is left of the copy')
    expect(machine.errors()).toBe('')
  })

  test('is no longer made for who has left, or by a machine that stops', async () => {
    const { machine, token } = await start()
    /** Asks for a copy, and returns the process that makes it, which gets no further. It may be too fast at first. */
    const askAndFreeze = async (signal: AbortSignal | null = null): Promise<number> => {
      while (true) {
        let isOver = false
        const read = ask(machine, token, { signal }).then((response) => response.arrayBuffer())
        void read.catch(() => {}).finally(() => (isOver = true))
        let child: number | undefined
        await until(() => {
          child = copyingFor(machine.pid)
          return child !== undefined || isOver
        }, 'a process makes the copy, or it is made')
        if (child !== undefined && (await isFrozen(child))) return child
        await until(() => isOver, 'the copy is given')
      }
    }
    const leaving = new AbortController()
    const first = await askAndFreeze(leaving.signal)
    expect((await ask(machine, token)).status).toBe(503)
    leaving.abort()
    await until(() => hasEnded(first), 'the first process has ended')
    await until(
      async () => {
        const response = await ask(machine, token)
        // Until it was read, no one else is given one.
        await response.arrayBuffer()
        return response.status === 200
      },
      'a copy is given again',
      slowly,
    )
    const second = await askAndFreeze()
    machine.kill('SIGTERM')
    await machine.ended()
    await until(() => hasEnded(second), 'the second process has ended')
    expect(left(machine)).toEqual([])
  })

  test('asks the engine nothing for strangers who give no token, and not more often than each five seconds', async () => {
    const postgres = await startPostgres()
    const proxy = await startProxy(postgres.port)
    const cluster = await startCluster(postgres.urlOf().replace(`:${postgres.port}/`, `:${proxy.port}/`))
    const machine = await cluster.start('one')
    await postgres.kill()
    expect((await fetch(`${machine.url}/cluster/copy`)).status).toBe(401)
    const [count, since] = [200, performance.now()]
    const before = proxy.connections()
    for (let n = 0; n < count; n++) expect((await ask(machine, `x${n}`)).status).toBe(503)
    // The machine itself asks for rows meanwhile, some times a second.
    const seconds = (performance.now() - since) / 1000
    expect(proxy.connections() - before).toBeLessThan(count / 2 + 20 * seconds)
    await until(
      async () =>
        (await fetch(`${machine.url}/api/v1/me`, { headers: { authorization: 'Bearer api_x' } })).status === 503,
      'it is behind',
    )
    const malformed = await fetch(`${machine.url}/cluster/copy`, { headers: { authorization: 'Basic x' } })
    expect(malformed.status).toBe(401)
  })
})
