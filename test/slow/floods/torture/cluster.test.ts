import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { caughtUp, expectEqual } from '../../../cluster/data-files.ts'
import { addUser, type Cluster, call, type Machine, startCluster, submit } from '../../../cluster/machines.ts'
import { noteSkipped } from '../../../skips.ts'
import { dataFile, expectSound } from '../../../storage/sound.ts'
import { aWhile, type Engine, type EngineFault, engineKinds, type Way } from '../../../torture/cluster-engines.ts'
import { isLong, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const rounds = isLong ? 30 : 4
const clients = 6
const names = ['one', 'two', 'three'] as const

interface Place {
  readonly name: string
  readonly way: Way
  readonly cluster: Cluster
  machine: Machine | undefined
}

/** Machines with their way to the log, which can be cut, and the submissions that they take all the time. */
const openPlaces = (engine: Engine): Promise<Place[]> =>
  Promise.all(
    names.map(async (name) => {
      const way = await engine.openWay()
      return { name, way, cluster: await startCluster(way.url), machine: undefined }
    }),
  )

const start = async (place: Place): Promise<Machine> => {
  const folder = place.machine?.folder
  place.machine = await place.cluster.start(place.name, { ...(folder !== undefined && { folder }) })
  return place.machine
}

/** Fewer than people want while the machines die. */
const seats = 10 * rounds
const party = [
  { name: 'seat', type: 'choice', options: ['inside', 'outside'], places: { inside: seats } },
  { name: 'email', type: 'email', once: 'refuse' },
]

/**
 * Sends submissions to all machines, each with a number of its own, until it is stopped; and after each, asks for a seat at a
 * party. Every address is used twice.
 */
const startLoad = (places: readonly Place[], { formId, partyId }: { formId: string; partyId: string }) => {
  const answered = new Map<string, number>()
  const seated = new Set<string>()
  let sent = 0
  let refused = 0
  const unexpected: string[] = []
  let isStopped = false
  let lastAt = performance.now()
  let longestGap = 0
  /** A machine that was killed counts as one that refuses. */
  const answerTo = async (machine: Machine, id: string, data: object) => {
    try {
      const response = await submit(machine, id, data)
      return { status: response.status, body: await response.json() }
    } catch {
      return { status: 503, body: {} }
    }
  }
  const client = async (place: Place): Promise<void> => {
    while (!isStopped) {
      const number = ++sent
      const { status, body } = await answerTo(place.machine as Machine, formId, { number: String(number) })
      const wish = { seat: number % 3 ? 'inside' : 'outside', email: `${number >> 1}@example.com` }
      const guest = await answerTo(place.machine as Machine, partyId, wish)
      if (guest.status === 200) seated.add(guest.body.id)
      else if (![400, 503].includes(guest.status)) unexpected.push(`${guest.status} ${JSON.stringify(guest.body)}`)
      if (status === 200) {
        answered.set(body.id, number)
        longestGap = Math.max(longestGap, performance.now() - lastAt)
        lastAt = performance.now()
        continue
      }
      if (status !== 503) unexpected.push(`${status} ${JSON.stringify(body)}`)
      refused++
      await Bun.sleep(20)
    }
  }
  const running = places.flatMap((place) => Array.from({ length: clients }, () => client(place)))
  return {
    answered,
    seated,
    counts: () => ({ sent, refused }),
    takeGap(): number {
      const gap = Math.max(longestGap, performance.now() - lastAt)
      longestGap = 0
      lastAt = performance.now()
      return gap
    },
    reached: (more: number) => {
      const goal = answered.size + more
      return until(() => answered.size >= goal, `${goal} are answered`, slowly)
    },
    async stop(): Promise<void> {
      isStopped = true
      await Promise.all(running)
      expect(unexpected).toEqual([])
    },
  }
}

type Fault = (places: readonly Place[]) => Promise<void>

const pick = (places: readonly Place[]): Place => places[Math.floor(Math.random() * places.length)] as Place

const killMachine = async (place: Place): Promise<void> => {
  place.machine?.kill('SIGKILL')
  await place.machine?.ended()
}

const faultsOfMachines: Readonly<Record<string, Fault>> = {
  async 'kill a machine'(places) {
    const place = pick(places)
    await killMachine(place)
    await aWhile()
    await start(place)
  },
  async 'cut a machine off'(places) {
    const { way } = pick(places)
    for (const mode of ['drop', 'swallow', 'delay'] as const) {
      way.set(mode)
      await aWhile()
    }
    way.set('pass')
    way.cut()
  },
  async 'stop a machine for a while'(places) {
    const { machine } = pick(places)
    machine?.kill('SIGSTOP')
    // Longer than anything waits for, and than a machine that does not report counts as running.
    await (isLong ? Bun.sleep(15_000) : aWhile())
    machine?.kill('SIGCONT')
  },
  async 'restart a machine'(places) {
    const place = pick(places)
    place.machine?.kill('SIGTERM')
    await place.machine?.ended()
    await start(place)
  },
  async 'kill two machines'(places) {
    const two = places.toSorted(() => Math.random() - 0.5).slice(1)
    await Promise.all(two.map(killMachine))
    await aWhile()
    await Promise.all(two.map(start))
  },
}

const ofEngine =
  ({ withMachine = false, strike, mend }: EngineFault): Fault =>
  async (places) => {
    const place = pick(places)
    await Promise.all([strike(), ...(withMachine ? [killMachine(place)] : [])])
    await aWhile()
    if (withMachine) await start(place)
    await mend()
  }

/** Those of machines and of the engine in turn, so that the short form has both. */
const faultsOf = ({ faults }: Engine): [string, Fault][] => {
  const machines = Object.entries(faultsOfMachines)
  const engines = Object.entries(faults).map(([name, fault]): [string, Fault] => [name, ofEngine(fault)])
  const length = Math.max(machines.length, engines.length)
  return Array.from({ length }, (_, index) =>
    [machines[index], engines[index]].filter((fault) => fault !== undefined),
  ).flat()
}

/** What a machine has of a form, by identifier. */
const stored = (machine: Machine, formId: string): Map<string, Readonly<Record<string, string>>> => {
  const db = new Database(dataFile(machine.folder), { readonly: true })
  try {
    const rows = db
      .query<{ id: string; data: string }, [string]>(
        'SELECT submissions.id, data FROM submissions JOIN forms ON number = form WHERE forms.id = ?',
      )
      .all(formId)
    return new Map(rows.map(({ id, data }) => [id, JSON.parse(data)]))
  } finally {
    db.close()
  }
}

for (const { whyNot, name } of engineKinds)
  if (whyNot !== null) noteSkipped(`Skipping the kills of a cluster on ${name}: ${whyNot}.`)

describe.each(engineKinds.filter(({ whyNot }) => whyNot === null))(
  'three machines on $name',
  ({ start: startEngine }) => {
    test(
      'lose no answered submission whichever of them dies, store none twice, give no place twice, and end up equal',
      async () => {
        const engine = await startEngine()
        const places = await openPlaces(engine)
        const machines = await Promise.all(places.map(start))
        const key = await addUser(machines[0] as Machine)
        const { body: form } = await call(machines[0] as Machine, key, 'POST', '/forms', { title: 'Contact' })
        const { body: limited } = await call(machines[0] as Machine, key, 'POST', '/forms', { title: 'Party' })
        const at = `/forms/${limited.id}/settings`
        expect((await call(machines[0] as Machine, key, 'PATCH', at, { fields: party })).status).toBe(200)
        for (const machine of machines) await caughtUp(machine, machines[0] as Machine)

        const load = startLoad(places, { formId: form.id, partyId: limited.id })
        const gaps: string[] = []
        const all = faultsOf(engine)
        for (let round = 0; round < rounds; round++) {
          const [name, fault] = all[round % all.length] as [string, Fault]
          await load.reached(50)
          load.takeGap()
          await fault(places)
          await load.reached(50)
          gaps.push(`${name} ${(load.takeGap() / 1000).toFixed(1)} s`)
          await Promise.all(places.map(({ machine }) => (machine as Machine).ready()))
        }
        await load.stop()

        const last = places.map(({ machine }) => machine as Machine)
        // However many were given when a machine died: none is lost for ever.
        const late = Array.from({ length: seats + 3 }, (_, n) =>
          submit(last[n % 3] as Machine, limited.id, { seat: 'inside', email: `late-${n}@example.com` }),
        )
        for (const { status } of await Promise.all(late)) expect([200, 400]).toContain(status)
        await expectEqual(last)
        for (const machine of last) {
          const rows = stored(machine, form.id)
          const lost = [...load.answered].filter(([id, number]) => rows.get(id)?.number !== String(number))
          expect(lost, `answered and not on ${machine.name}`).toEqual([])
          const numbers = [...rows.values()].map(({ number }) => number)
          expect(new Set(numbers).size, `stored twice on ${machine.name}`).toBe(rows.size)
          const guests = stored(machine, limited.id)
          expect([...load.seated].filter((id) => !guests.has(id))).toEqual([])
          expect([...guests.values()].filter(({ seat }) => seat === 'inside')).toHaveLength(seats)
          expect(new Set([...guests.values()].map(({ email }) => email)).size).toBe(guests.size)
        }
        tell(
          `${rounds} faults, ${load.answered.size} answered, ${load.counts().refused} refused; gaps: ${gaps.join(', ')}`,
        )
        for (const machine of last) {
          await machine.stop()
          expectSound(machine.folder)
        }
      },
      timeout * 3,
    )
  },
)
