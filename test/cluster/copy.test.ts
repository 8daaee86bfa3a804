// What a machine gives to another one of its cluster, and to nobody else.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { openLog } from '../../src/cluster/open-log.ts'
import { until } from '../until.ts'
import { addUser, type Machine, startCluster } from './machines.ts'
import { whyNoPostgres } from './postgres.ts'

setDefaultTimeout(60_000)

const reason = whyNoPostgres()
if (reason) process.stderr.write(`Skipping the tests of copies for machines of a cluster: ${reason}.\n`)

const start = async () => {
  const cluster = await startCluster()
  const machine = await cluster.start('one')
  const log = openLog([cluster.url])
  const token = await log.token()
  await log.close()
  return { cluster, machine, token }
}

const ask = ({ url }: Machine, token: string, init: RequestInit = {}) =>
  fetch(`${url}/cluster/copy`, { headers: { authorization: `Bearer ${token}` }, keepalive: false, ...init })

const left = ({ folder }: Machine) => readdirSync(folder).filter((name) => name.includes('cluster-copy'))

describe.skipIf(reason !== null)('a copy for another machine', () => {
  test('is given to who has the token, one at a time, and leaves nothing behind', async () => {
    const { machine, token } = await start()
    await addUser(machine)
    for (const wrong of ['x', `${token}x`, '']) expect((await ask(machine, wrong)).status).toBe(401)
    expect((await fetch(`${machine.url}/cluster/copy`)).status).toBe(401)
    expect((await ask(machine, token, { method: 'HEAD' })).status).toBe(200)
    await until(async () => {
      const response = await ask(machine, token)
      const body = await response.text()
      if (response.status === 200) expect(body).toStartWith('SQLite format 3')
      else expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60'])
      return response.status === 200
    })
    await until(() => left(machine).length === 0)
    expect(machine.errors()).toBe('')
  })

  test('is no longer made for who has left, or by a machine that stops', async () => {
    const { machine, token } = await start()
    const leave = async () => {
      const leaving = new AbortController()
      const asked = ask(machine, token, { signal: leaving.signal }).catch(() => {})
      await until(() => left(machine).length > 0)
      leaving.abort()
      await asked
    }
    await leave()
    await until(async () => (await ask(machine, token)).status === 200)
    await until(() => left(machine).length === 0)
    void ask(machine, token).catch(() => {})
    await until(() => left(machine).length > 0)
    machine.kill('SIGTERM')
    await machine.ended()
    await until(() => left(machine).length === 0)
  })

  test('asks the engine nothing for strangers who give no token, and not more often than each five seconds', async () => {
    const { cluster, machine } = await start()
    await cluster.postgres?.kill()
    expect((await fetch(`${machine.url}/cluster/copy`)).status).toBe(401)
    const answers = await Promise.all(['x', 'y', 'z'].map((token) => ask(machine, token)))
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
    const startedAt = performance.now()
    expect((await ask(machine, 'x')).status).toBe(503)
    expect(performance.now() - startedAt).toBeLessThan(1000)
    const malformed = await fetch(`${machine.url}/cluster/copy`, { headers: { authorization: 'Basic x' } })
    expect(malformed.status).toBe(401)
  })
})
