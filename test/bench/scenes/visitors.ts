import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Process, startBaseline } from '../process.ts'
import { closeAll, type Measure, type Scene } from '../scene.ts'
import { bearer } from '../seed.ts'
import { answers, fields } from '../ten-fields.ts'
import { load, probe, type Request, send } from '../wrk.ts'
import { createForm, startWriting } from './write.ts'

const checked = 'submit-fields-256'
const unchecked = 'submit-fields/none-256'
const page = 'form-page-64'
const bare = 'form-page/elysia-64'
const beside = 'submit-beside-chunks'
const bareBeside = 'submit-beside-chunks/elysia'

/** A form with ten fields: its page, its submissions, and submissions beside a body that arrives byte by byte. */
export const visitorScene: Scene = {
  cases: [checked, page, beside],
  baselines: [unchecked, bare, bareBeside],
  goals: [
    {
      says: 'POST /s/… at 256 with ten fields that are checked: at least 0.7 of the same without',
      of: checked,
      figure: 'perSecond',
      to: unchecked,
      atLeast: 0.7,
    },
    {
      says: 'GET /f/… of ten fields: at least 0.45 of the bare Elysia route that sends the same headers and bytes',
      of: page,
      figure: 'perSecond',
      to: bare,
      atLeast: 0.45,
    },
    {
      // They are 5.4 MB on the wire, which Bun takes apart.
      says: 'p99 of submissions while someone sends 900 kB in chunks of one byte: at most twice that of a bare Elysia route',
      of: beside,
      figure: 'p99',
      to: bareBeside,
      atMost: 2,
    },
  ],
  async open(world) {
    const { server, folder, key, submitJson } = await startWriting(world)
    const headers = { ...submitJson.headers, ...bearer(key) }
    const { id } = JSON.parse(await send(server, createForm(key)))
    const path = `/api/v1/forms/${id}/settings`
    await send(server, { method: 'PATCH', path, headers, body: JSON.stringify({ fields, page: {} }) })
    const body = JSON.stringify(answers)
    const request = { path: `/f/${id}`, headers: { Accept: 'text/html', 'Accept-Language': 'en' } }
    const drawn = join(folder, 'page.json')
    const { headers: sent } = await fetch(server.url + request.path, request)
    const ofFormbox = [...sent].filter(([name]) => name !== 'date' && name !== 'content-length')
    writeFileSync(drawn, JSON.stringify({ headers: Object.fromEntries(ofFormbox), body: await send(server, request) }))
    const elysia = await startBaseline('elysia-page', drawn)
    const reading = await startBaseline('elysia-body', drawn)
    const requests: Record<string, readonly [Process, Request, number]> = {
      [checked]: [server, { ...submitJson, body, path: `/s/${id}` }, 256],
      [unchecked]: [server, { ...submitJson, body }, 256],
      [page]: [server, request, 64],
      [bare]: [elysia, request, 64],
    }
    const measures: Record<string, Measure> = {}
    for (const [name, [process, request, connections]] of Object.entries(requests))
      measures[name] = (seconds) => load(process, request, connections, seconds)
    const besideChunks = (process: Process): Measure => {
      const bytes = inChunks(submitJson.path)
      return async (seconds) => {
        const end = performance.now() + seconds * 1000
        let isOver = false
        const sending = (async () => {
          while (performance.now() < end) await sendRaw(process, bytes)
          isOver = true
        })()
        const measured = await probe(process, submitJson, () => isOver)
        await sending
        return measured
      }
    }
    measures[beside] = besideChunks(server)
    measures[bareBeside] = besideChunks(reading)
    const close = async () => {
      await closeAll([server, elysia, reading])
      rmSync(folder, { recursive: true, force: true })
    }
    return { measures, close }
  },
}

/** A submission of 900 kB in chunks of one byte. */
const inChunks = (path: string): string =>
  [
    `POST ${path} HTTP/1.1`,
    ...[
      'Host: x',
      'Connection: close',
      'Content-Type: application/x-www-form-urlencoded',
      'Transfer-Encoding: chunked',
    ],
    ...['', '2', 'm=', ...Array.from({ length: 900_000 }, () => '1\r\nx'), '0', '', ''],
  ].join('\r\n')

/** Sends a request as it is. Resolves when the server has answered it, and closed the connection. */
const sendRaw = ({ url }: Process, request: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.write(request))
    let answer = ''
    socket.on('data', (bytes) => {
      answer += bytes
    })
    socket.on('error', reject)
    socket.on('close', () => (answer.startsWith('HTTP/1.1 200 ') ? resolve() : reject(new Error(answer))))
  })
