import { describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '../../../commands/formbox.ts'
import { type Kind, startBehind } from '../../../deploy/proxy.ts'
import { freePort } from '../../../free-port.ts'
import { blocksOf } from '../../../guide-parts.ts'
import { addKey, newEmail, temporaryFolder, writeUser } from '../../../harness.ts'
import { program } from '../../../program.ts'
import { noteSkipped } from '../../../skips.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'

const guide = await Bun.file(new URL('../../../../docs/moving.md', import.meta.url)).text()
/** Blocks of a list stand below its items. */
const unindented = guide.replaceAll(/^ {3}/gm, '')
const blockOf = (heading: string, language: string, position: number): string => {
  const block = blocksOf(unindented, heading, language)[position]
  if (block === undefined) throw new Error(`${heading} has no block ${position}`)
  return block
}

const isMissing = (kind: Kind): boolean => Bun.which(kind) === null
for (const kind of ['caddy', 'nginx'] as const)
  if (isMissing(kind)) noteSkipped(`The guide for moving a server is not tried with ${kind}: there is none here.`)

/** It closes the body of a request that it could not pass on, so that trying again fails. */
const isOldCaddy = !isMissing('caddy') && /^v?2\.[0-6]\./.test(Bun.spawnSync(['caddy', 'version']).stdout.toString())
if (isOldCaddy) noteSkipped('The guide for moving a server is not tried whole with this Caddy: it is older than 2.7.')
const cannotMove = (kind: Kind): boolean => isMissing(kind) || (kind === 'caddy' && isOldCaddy)

/** Does to the file of deploy/ what the guide says. */
const knowsBoth = {
  caddy: (config: string) =>
    config.replace(/\treverse_proxy [\s\S]*?\n\t\}/, () => blockOf('The whole server', 'caddyfile', 0)),
  nginx: (config: string) =>
    config.replace(/^ {4}server 127\.0\.0\.1:8080;$/m, () => blockOf('The whole server', 'nginx', 0)),
}

/** Two machines, of which only the old one runs, behind a proxy with a block of the guide. */
const startOld = async (kind: Kind, edit: (config: string) => string) => {
  const newPort = await freePort()
  const server = await startBehind(kind, {}, undefined, (config) => {
    const changed = edit(config)
    expect(changed).not.toBe(config)
    return changed.replaceAll('10.0.0.2:8080', `127.0.0.1:${newPort}`)
  })
  const email = newEmail()
  const direct = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { redirect: 'manual', ...init })
  const ada = addKey({ folder: server.folder, fetch: direct }, writeUser(server.folder, email), email)
  const formId = await ada.createForm({ title: 'Party' })
  const settings = { address: 'summer-party', fields: [{ name: 'n', label: 'Number', type: 'text' }], page: {} }
  expect(await ada.call('PATCH', `/forms/${formId}/settings`, settings)).toMatchObject({ status: 200 })

  const newFolder = temporaryFolder()
  const data = join(newFolder, 'data')
  const bin = temporaryFolder()
  const script = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  script('formbox', `exec ${program.map((word) => `'${word}'`).join(' ')} "$@"`)
  // The other machine: its commands have its data.
  script('ssh', `shift; export FORMBOX_DATA='${data}'; exec "$@"`)

  return {
    server,
    email,
    ada,
    formId,
    data,
    startNew: () =>
      serve(['--port', String(newPort)], {
        folder: newFolder,
        environment: { FORMBOX_URL: server.url, FORMBOX_TRUST_PROXY: '127.0.0.1', FORMBOX_DATA: data },
      }),
    /** Runs a block of the guide on one of the machines. */
    async run(text: string, machine: 'old' | 'new' = 'old'): Promise<string> {
      const child = Bun.spawn(['sh', '-ec', text.replaceAll('ada@example.com', email)], {
        cwd: newFolder,
        env: { PATH: `${bin}:${process.env.PATH}`, FORMBOX_DATA: machine === 'old' ? server.folder : data },
        stderr: 'pipe',
      })
      const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
      expect({ exitCode: await child.exited, errors: errors.replace(/^restored.*\n/m, '') }).toMatchObject({
        exitCode: 0,
      })
      return output
    },
  }
}

type Old = Awaited<ReturnType<typeof startOld>>

/** A visitor who sends something every 20 ms, whatever became of the last one, until the test says so. */
const startSending = ({ server }: Old, name: string) => {
  const sent: Promise<{ status: number; start: number; end: number }>[] = []
  const send = async (n: number) => {
    const start = performance.now()
    const body = new URLSearchParams({ n: String(n) })
    const headers = { accept: 'application/json' }
    const { status } = await server.fetch(`/s/${name}`, { method: 'POST', body, headers })
    return { status, start, end: performance.now() }
  }
  const timer = setInterval(() => sent.push(send(sent.length)), 20)
  return {
    sent: () => sent.length,
    async end() {
      clearInterval(timer)
      const answers = await Promise.all(sent)
      const refused = answers.filter(({ status }) => status !== 200)
      return {
        statuses: answers.map(({ status }) => status),
        longest: Math.max(...answers.map(({ start, end }) => end - start)),
        /** From the first refusal to the last, in milliseconds. */
        pause: refused.length === 0 ? 0 : Math.max(...refused.map(({ end }) => end)) - (refused[0]?.start ?? 0),
      }
    },
  }
}

const some = async (sending: ReturnType<typeof startSending>, more = 25) => {
  const until = sending.sent() + more
  while (sending.sent() < until) await Bun.sleep(20)
}

const numbersIn = (folder: string): number[] =>
  rowsOf<{ n: string }>(folder, "SELECT json_extract(data, '$.n') AS n FROM submissions ORDER BY id")
    .map(({ n }) => Number(n))
    .sort((one, other) => one - other)

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

describe('the guide for moving to another server', () => {
  for (const kind of ['caddy', 'nginx'] as const)
    test.skipIf(cannotMove(kind))(`moves all of it behind ${kind} while a visitor sends: nothing is lost`, async () => {
      const old = await startOld(kind, knowsBoth[kind])
      const sending = startSending(old, 'summer-party')
      await some(sending)
      const start = performance.now()
      old.server.formbox.kill('SIGTERM')
      await old.server.formbox.end()
      await old.run(blockOf('The whole server', 'sh', 1))
      await old.startNew()
      const moved = Math.round(performance.now() - start)
      await some(sending)
      const { statuses, longest, pause } = await sending.end()
      const refused = kind === 'nginx' ? [200, 502] : [200]
      expect(statuses.filter((status) => !refused.includes(status))).toEqual([])
      expect(statuses.at(-1)).toBe(200)
      expect(numbersIn(old.data)).toEqual(upTo(statuses.length).filter((n) => statuses[n] === 200))
      expectSound(old.data)
      const page = await old.server.fetch('/f/summer-party')
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('action="/s/summer-party"')])
      // The same key, and the same identifier.
      const headers = { authorization: `Bearer ${old.ada.key}` }
      expect((await old.server.fetch(`/api/v1/forms/${old.formId}`, { headers })).status).toBe(200)
      console.log(
        `  ${kind}: moved in ${moved} ms; ${statuses.filter((status) => status === 502).length} of ${statuses.length} got 502, within ${Math.round(pause)} ms; the longest wait was ${Math.round(longest)} ms`,
      )
    })

  test.skipIf(isMissing('caddy'))(
    'moves a form with its address while a visitor sends: nothing is lost, and no one waits',
    async () => {
      const block = blockOf('Single forms', 'caddyfile', 0)
      // The proxy is told when the test begins, so that the visitor sends to the identifier first.
      const old = await startOld('caddy', (config) =>
        config.replace('\treverse_proxy', () => `${block}\n\treverse_proxy`),
      )
      const before = startSending(old, old.formId)
      await some(before)
      const [describing, applying, exporting, importing] = [0, 1, 2, 3].map((n) =>
        blockOf('Single forms', 'sh', n),
      ) as [string, string, string, string]
      await old.run(describing)
      await old.startNew()
      writeUser(old.data, old.email)
      await old.run(applying, 'new')
      const after = startSending(old, 'summer-party')
      const first = await before.end()
      await some(after)
      await old.run(exporting)
      await old.run(importing, 'new')
      const second = await after.end()
      expect([...first.statuses, ...second.statuses].filter((status) => status !== 200)).toEqual([])
      const all = [...upTo(first.statuses.length), ...upTo(second.statuses.length)].sort((one, other) => one - other)
      expect(numbersIn(old.data)).toEqual(all)
      expectSound(old.data)
      expect((await old.server.fetch('/f/summer-party')).status).toBe(200)
    },
  )
})
