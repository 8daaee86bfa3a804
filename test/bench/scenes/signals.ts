import { rmSync } from 'node:fs'
import { badContact, goodContact, listOf, randomFrom } from '../../submissions/spam-sets.ts'
import type { Process } from '../process.ts'
import type { Measure, Scene } from '../scene.ts'
import { bearer } from '../seed.ts'
import { load, type Request, send } from '../wrk.ts'
import { ada, signIn } from './pages.ts'
import { createForm, startWriting } from './write.ts'

const origin = 'https://www.example.com'

/** All that concern what is sent, but for the proof of work: a client would have to solve one for each request. */
const settings = {
  honeypot: 'website',
  blockedTerms: Array.from({ length: 200 }, (_, i) => `blocked term ${i}`),
  maxLinks: 3,
  allowedOrigins: [...Array.from({ length: 19 }, (_, i) => `https://*.site-${i}.example.com`), origin],
  submitLimit: 1_000_000,
  spamDays: 7,
  retentionDays: 30,
}

const none = 'submit-settings/none-256'

/** Submissions to a form with settings, and of a robot, next to a form without settings on the same server. */
export const signalScene: Scene = {
  cases: ['submit-settings-256', 'submit-robot-256', 'submit-learning-256'],
  baselines: [none],
  goals: [
    {
      says: 'POST /s/… at 256 with all settings: at least 0.7 of none',
      of: 'submit-settings-256',
      figure: 'perSecond',
      to: none,
      atLeast: 0.7,
    },
    {
      says: 'POST /s/… at 256 of a robot: at most 1.2 times as long as of a person',
      of: 'submit-robot-256',
      figure: 'p50',
      to: none,
      atMost: 1.2,
    },
    {
      says: 'POST /s/… at 256 to a form that learns: at most 2 times as long as to another',
      of: 'submit-learning-256',
      figure: 'p50',
      to: none,
      atMost: 2,
    },
  ],
  async open(world) {
    const { server, folder, key, submitJson } = await startWriting(world)
    const { id } = JSON.parse(await send(server, createForm(key)))
    const headers = { ...submitJson.headers, ...bearer(key) }
    const path = `/api/v1/forms/${id}/settings`
    await send(server, { method: 'PATCH', path, headers, body: JSON.stringify(settings) })
    const learning = await startLearning(server, folder, key)
    const requests: Record<string, Request> = {
      'submit-settings-256': { ...submitJson, path: `/s/${id}`, headers: { ...submitJson.headers, Origin: origin } },
      'submit-robot-256': { ...submitJson, body: `{"_gotcha":"x",${submitJson.body?.slice(1)}` },
      'submit-learning-256': { ...submitJson, path: `/s/${learning}` },
      [none]: submitJson,
    }
    const measures = Object.fromEntries(
      Object.entries(requests).map(([name, request]): [string, Measure] => [
        name,
        (seconds) => load(server, request, 256, seconds),
      ]),
    )
    const close = async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    }
    return { measures, close }
  },
}

/** Creates a form that compares what it gets with 200 of its inbox and 50 that were marked. Returns its identifier. */
const startLearning = async (server: Process, folder: string, key: string): Promise<string> => {
  const { id } = JSON.parse(await send(server, createForm(key)))
  const headers = { 'Content-Type': 'application/json', ...bearer(key) }
  const path = `/api/v1/forms/${id}`
  const random = randomFrom(1)
  const submit = async (data: object): Promise<string> =>
    JSON.parse(await send(server, { method: 'POST', path: `/s/${id}`, headers, body: JSON.stringify(data) })).id
  let last = ''
  for (const data of listOf(200, goodContact, random)) last = await submit(data)
  const cookie = await signIn(server, { folder }, ada)
  await fetch(`${server.url}/forms/${id}/submissions/read`, {
    method: 'POST',
    headers: { origin: server.url, cookie },
    body: new URLSearchParams({ upTo: last }),
  })
  await teach(server, key, id)
  const { isActing } = JSON.parse(await send(server, { path: `${path}/spam/learned`, headers }))
  if (!isActing) throw new Error('The form has not learned anything')
  return id
}

/** Marks 50 submissions as spam that a form receives, and lets it learn from them. */
export const teach = async (server: Process, key: string, form: string, answers: object = {}): Promise<void> => {
  const headers = { 'Content-Type': 'application/json', ...bearer(key) }
  const path = `/api/v1/forms/${form}`
  for (const data of listOf(50, badContact, randomFrom(2))) {
    const body = JSON.stringify({ ...data, ...answers, message: data.message })
    const { id } = JSON.parse(await send(server, { method: 'POST', path: `/s/${form}`, headers, body }))
    await send(server, { method: 'POST', path: `${path}/submissions/${id}/spam`, headers })
  }
  // Only now: otherwise some of these would have been held back.
  await send(server, { method: 'PATCH', path: `${path}/settings`, headers, body: '{"learnSpam":true}' })
}
