// Starts real rqlite clusters on free ports, in temporary folders.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterThisTest, temporaryFolder } from '../clean-ups.ts'
import { freePort } from '../free-port.ts'
import { slowly, until } from '../until.ts'

/** Why no cluster can be started; null if one can. */
export const whyNoRqlite = (): string | null =>
  Bun.which('rqlited') === null ? 'there is no rqlited on the PATH' : null

interface Account {
  readonly username: string
  readonly password: string
  readonly perms: readonly string[]
}

/** It ends after the test. @param accounts none for no passwords */
export const startRqlite = async (count: number, accounts: readonly Account[] = []) => {
  const folder = temporaryFolder()
  const authFile = join(folder, 'accounts.json')
  writeFileSync(authFile, JSON.stringify(accounts))
  const ports = await Promise.all(
    Array.from({ length: count }, async () => ({ http: await freePort(), raft: await freePort() })),
  )
  const addresses = ports.map(({ raft }) => `127.0.0.1:${raft}`).join(',')
  const nodes = ports.map((port, index) =>
    createNode(port.http, [
      ...['-node-id', String(index + 1)],
      ...['-http-addr', `127.0.0.1:${port.http}`],
      ...['-raft-addr', `127.0.0.1:${port.raft}`],
      ...['-bootstrap-expect', String(count)],
      ...['-join', addresses],
      ...(accounts[0] ? ['-auth', authFile, '-join-as', accounts[0].username] : []),
      join(folder, `node${index + 1}`),
    ]),
  )
  for (const node of nodes) node.start()
  afterThisTest(() => Promise.all(nodes.map((node) => node.kill())))
  const [first] = accounts
  const account = first ? `${first.username}:${encodeURIComponent(first.password)}@` : ''
  const urls = ports.map(({ http }) => `http://${account}127.0.0.1:${http}`)

  const ask = async (path: string, statements?: readonly string[], index = 0): Promise<Response> => {
    const { username, password, origin } = new URL(urls[index] as string)
    return await fetch(`${origin}${path}`, {
      ...(statements && { method: 'POST', body: JSON.stringify(statements) }),
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Basic ${btoa(`${username}:${decodeURIComponent(password)}`)}`,
      },
      keepalive: false,
      signal: AbortSignal.timeout(5000),
    })
  }
  const isReady = (index: number): Promise<boolean> =>
    ask('/readyz', undefined, index).then(
      ({ ok }) => ok,
      () => false,
    )
  const settle = async (indexes: readonly number[]): Promise<void> => {
    for (const index of indexes) await until(() => isReady(index), `rqlite node ${index} is ready`, slowly)
  }
  await settle(nodes.keys().toArray())

  return {
    nodes,
    urls,
    ask,
    settle,
    async leader(): Promise<number> {
      const { nodes: all } = (await (await ask('/nodes?ver=2')).json()) as { nodes: { leader: boolean; id: string }[] }
      return Number(all.find(({ leader }) => leader)?.id) - 1
    },
  }
}

const createNode = (port: number, words: readonly string[]) => {
  let child: Bun.Subprocess | null = null
  return {
    port,
    start(): void {
      child = Bun.spawn(['rqlited', ...words], { stdout: 'ignore', stderr: 'ignore' })
    },
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    async kill(): Promise<void> {
      child?.kill('SIGKILL')
      await child?.exited
    },
  }
}
