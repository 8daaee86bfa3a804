import { rmSync } from 'node:fs'
import type { Measure, Scene } from '../scene.ts'
import { bearer } from '../seed.ts'
import { load, type Request, send } from '../wrk.ts'
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
  cases: ['submit-settings-256', 'submit-robot-256'],
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
  ],
  async open(world) {
    const { server, folder, key, submitJson } = await startWriting(world)
    const { id } = JSON.parse(await send(server, createForm(key)))
    const headers = { ...submitJson.headers, ...bearer(key) }
    const path = `/api/v1/forms/${id}/settings`
    await send(server, { method: 'PATCH', path, headers, body: JSON.stringify(settings) })
    const requests: Record<string, Request> = {
      'submit-settings-256': { ...submitJson, path: `/s/${id}`, headers: { ...submitJson.headers, Origin: origin } },
      'submit-robot-256': { ...submitJson, body: `{"_gotcha":"x",${submitJson.body?.slice(1)}` },
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
