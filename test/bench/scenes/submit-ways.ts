import { rmSync } from 'node:fs'
import type { Process } from '../process.ts'
import { closeAll, type Measure, type Scene } from '../scene.ts'
import { bearer } from '../seed.ts'
import { load, send } from '../wrk.ts'
import { createForm, startWriting, type Writing } from './write.ts'

const plain = 'submit-ways/plain-256'

/** What a form, or its server, may have that each submission passes. */
interface Way {
  readonly says: string
  readonly atLeast: number
  /** Members of the fields. */
  readonly shift?: object
  readonly email?: object
  readonly address?: string
  readonly isBelow?: true
}

const path = '/formbox'

const many = { Morning: 1_000_000, Evening: 1_000_000 }

const ways: Readonly<Record<string, Way>> = {
  'submit-places-256': { says: 'whose option has places', atLeast: 0.7, shift: { places: many } },
  'submit-once-256': { says: 'of an address that comes once', atLeast: 0.35, email: { once: 'hold' } },
  'submit-address-256': { says: 'to an address of its own', atLeast: 0.9, address: 'workshop' },
  'submit-below-256': { says: 'to a server below a path', atLeast: 0.9, isBelow: true },
}

/** Each beside the same form without, on the same server but for the one below a path. */
export const submitWaysScene: Scene = {
  cases: Object.keys(ways),
  baselines: [plain],
  goals: Object.entries(ways).map(([of, { says, atLeast }]) => ({
    says: `POST /s/… at 256 ${says}: at least ${atLeast} of a plain form`,
    of,
    figure: 'perSecond',
    to: plain,
    atLeast,
  })),
  async open(world) {
    const atRoot = await startWriting(world)
    const below = await startWriting(world, { settings: { FORMBOX_URL: `http://127.0.0.1${path}` } })
    const measures: Record<string, Measure> = {}
    for (const [name, way] of [[plain, undefined], ...Object.entries(ways)] as const) {
      const writing = way?.isBelow ? below : atRoot
      const action = `${way?.isBelow ? path : ''}${await actionOf(writing, way)}`
      measures[name] = (seconds) => sendForms(writing.server, action, seconds)
    }
    const close = async () => {
      await closeAll([atRoot.server, below.server])
      for (const { folder } of [atRoot, below]) rmSync(folder, { recursive: true, force: true })
    }
    return { measures, close }
  },
}

/** A new form. Returns the path to which its submissions go. */
const actionOf = async ({ server, key }: Writing, { shift, email, address }: Partial<Way> = {}): Promise<string> => {
  const { id } = JSON.parse(await send(server, createForm(key)))
  const fields = [
    { name: 'name' },
    { name: 'email', type: 'email', ...email },
    { name: 'shift', type: 'choice', options: Object.keys(many), ...shift },
  ]
  const headers = { ...bearer(key), 'Content-Type': 'application/json' }
  const body = JSON.stringify({ fields, ...(address && { address }) })
  await send(server, { method: 'PATCH', path: `/api/v1/forms/${id}/settings`, headers, body })
  return `/s/${address ?? id}`
}

/** Each from another person: wrk writes a number of its own for `{n}`. */
const sendForms = (server: Process, path: string, seconds: number) => {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const body = 'name=Ada+Lovelace&email=ada-{n}%40example.com&shift=Morning'
  return load(server, { method: 'POST', path, headers, body }, 256, seconds)
}
