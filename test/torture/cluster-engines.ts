// The engines that keep the log of a cluster, with what can happen to them while machines use them.
import { type Pair, startPair } from '../cluster/pair.ts'
import { whyNoPostgres } from '../cluster/postgres.ts'
import { type Mode, startProxy } from '../cluster/proxy.ts'
import { startRqlite, whyNoRqlite } from '../cluster/rqlite.ts'
import { slowly, until } from '../until.ts'

/** How one machine reaches the engine. */
export interface Way {
  /** For `FORMBOX_CLUSTER`. */
  readonly url: string
  set(mode: Mode): void
  /** Ends all connections. */
  cut(): void
}

export interface EngineFault {
  /** Whether a machine is killed at the same time. */
  readonly withMachine?: boolean
  /** What happens while the machines go on. Resolves when the engine works again, if with one server less. */
  strike(): Promise<void>
  /** Until it can lose a server again. */
  mend(): Promise<void>
}

export interface Engine {
  openWay(): Promise<Way>
  readonly faults: Readonly<Record<string, EngineFault>>
}

interface EngineKind {
  readonly name: string
  /** Null if it can be started here. */
  readonly whyNot: string | null
  start(): Promise<Engine>
}

export const aWhile = () => Bun.sleep(200 + Math.random() * 1500)
const nothing = async (): Promise<void> => {}

const startPostgresPair = async (): Promise<Engine> => {
  const pair = await startPair()
  const proxies: Awaited<ReturnType<typeof startProxy>>[] = []
  const failOver = async (): Promise<void> => {
    await pair.primary().kill()
    await pair.failOver()
    for (const proxy of proxies) proxy.leadTo(pair.primary().port)
  }
  return {
    async openWay() {
      const { port } = pair.primary()
      const proxy = await startProxy(port)
      proxies.push(proxy)
      return { ...proxy, url: pair.primary().urlOf().replace(`:${port}/`, `:${proxy.port}/`) }
    },
    faults: {
      'fail over': { strike: failOver, mend: pair.addStandby },
      'kill the primary and a machine': { withMachine: true, strike: failOver, mend: pair.addStandby },
      'kill the primary and start it again': { strike: () => restartPrimary(pair), mend: nothing },
      'freeze the standby': {
        async strike() {
          pair.standby().freeze()
          await aWhile()
          pair.standby().thaw()
        },
        mend: nothing,
      },
    },
  }
}

const restartPrimary = async (pair: Pair): Promise<void> => {
  await pair.primary().kill()
  await aWhile()
  await pair.primary().start()
  await until(pair.isSynchronous, 'the standby is synchronous', slowly)
}

const startThreeRqlites = async (): Promise<Engine> => {
  const { nodes, urls, leader, settle } = await startRqlite(3)
  let lost: number[] = []
  const leaderOnceElected = async (): Promise<number> => {
    let found = Number.NaN
    await until(
      async () => {
        found = await leader().catch(() => Number.NaN)
        return found >= 0
      },
      'rqlite has a leader',
      slowly,
    )
    return found
  }
  const kill = async (count: number, from: number): Promise<void> => {
    lost = Array.from({ length: count }, (_, index) => (from + index) % nodes.length)
    await Promise.all(lost.map((index) => nodes[index]?.kill()))
  }
  const startAgain = async (): Promise<void> => {
    for (const index of lost) nodes[index]?.start()
    await settle(nodes.keys().toArray())
  }
  const freeze = async (index: number): Promise<void> => {
    nodes[index]?.freeze()
    await aWhile()
    await aWhile()
    nodes[index]?.thaw()
  }
  return {
    async openWay() {
      const proxies = await Promise.all(nodes.map(({ port }) => startProxy(port)))
      return {
        url: urls.map((url, index) => url.replace(`:${nodes[index]?.port}`, `:${proxies[index]?.port}`)).join(','),
        set(mode) {
          for (const proxy of proxies) proxy.set(mode)
        },
        cut() {
          for (const proxy of proxies) proxy.cut()
        },
      }
    },
    faults: {
      'kill the leader': { strike: async () => kill(1, await leaderOnceElected()), mend: startAgain },
      'kill the leader and a machine': {
        withMachine: true,
        strike: async () => kill(1, await leaderOnceElected()),
        mend: startAgain,
      },
      'freeze the leader': { strike: async () => freeze(await leaderOnceElected()), mend: nothing },
      'kill a follower': { strike: async () => kill(1, (await leaderOnceElected()) + 1), mend: startAgain },
      'kill two of three': {
        async strike() {
          await kill(2, await leaderOnceElected())
          await aWhile()
          await startAgain()
        },
        mend: nothing,
      },
      'freeze a follower': { strike: async () => freeze(((await leaderOnceElected()) + 1) % 3), mend: nothing },
    },
  }
}

export const engineKinds: readonly EngineKind[] = [
  { name: 'a PostgreSQL with a standby', whyNot: whyNoPostgres(), start: startPostgresPair },
  { name: 'an rqlite of three nodes', whyNot: whyNoRqlite(), start: startThreeRqlites },
]
