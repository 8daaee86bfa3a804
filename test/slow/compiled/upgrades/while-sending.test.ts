// docs/upgrade.md from one version to the next and back, by its own commands, while visitors send.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { newerProgram } from '../../../cluster/newer.ts'
import { addUser, ownAddress } from '../../../commands/formbox.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { program, spawnProgram, testSettings } from '../../../program.ts'
import { slowly, until } from '../../../until.ts'

setDefaultTimeout(180_000)

const guide = await Bun.file(join(import.meta.dir, '../../../../docs/upgrade.md')).text()
const blocks = [...guide.matchAll(/^ *```sh\n([\s\S]*?)\n *```$/gm)].map(([, script]) => script as string)
const [backup = '', restore = '', bringLater = ''] = blocks

/** A folder with the executables `formbox` and `formbox-new`, and the data of an account with a form. */
const openRehearsal = async () => {
  const folder = temporaryFolder()
  const versions = { formbox: program, 'formbox-new': newerProgram() }
  for (const [name, words] of Object.entries(versions)) {
    await Bun.write(join(folder, name), `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`)
    chmodSync(join(folder, name), 0o755)
  }
  const host = ownAddress()
  let port = '0'
  const start = async (name: keyof typeof versions) => {
    const environment = { ...testSettings, FORMBOX_HOST: host, FORMBOX_PORT: port, FORMBOX_DATA: 'formbox-data' }
    const server = spawnProgram(['serve'], { environment, folder, wrap: () => [`./${name}`, 'serve'] })
    afterThisTest(server.destroy)
    const url = await server.listening
    port = new URL(url).port
    const stop = async () => {
      server.kill('SIGTERM')
      expect((await server.ended()).exitCode, server.errors()).toBe(0)
    }
    return { url, stop }
  }
  const type = async (script: string) => {
    const shell = Bun.spawn(['sh', '-ec', script.replaceAll(/(?<=^| )formbox /gm, './formbox ')], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '' },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [printed, complaints] = await Promise.all([
      new Response(shell.stdout).text(),
      new Response(shell.stderr).text(),
    ])
    expect([await shell.exited, complaints]).toEqual([0, ''])
    return printed
  }
  return { folder, start, type }
}

/** Sends one submission after the other, each until it is answered, as docs/collecting.md says. */
const sendAllTheTime = (address: string) => {
  const acknowledged = new Map<string, string>()
  let failures = 0
  let isOver = false
  const sendOne = async (name: string): Promise<string | undefined> => {
    const key = Date.now() + crypto.randomUUID()
    while (!isOver)
      try {
        const headers = { 'content-type': 'application/json', 'idempotency-key': key }
        const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify({ name }) })
        if (response.ok) return ((await response.json()) as { id: string }).id
        throw new Error(`status ${response.status}`)
      } catch {
        failures++
        await Bun.sleep(20)
      }
    return undefined
  }
  const visit = async (visitor: string) => {
    for (let n = 0; !isOver; n++) {
      const name = `${visitor} ${n}`
      const id = await sendOne(name)
      if (id !== undefined) acknowledged.set(name, id)
    }
  }
  const visits = Promise.all(['Ada', 'Ben', 'Cleo'].map(visit))
  return {
    acknowledged,
    failures: () => failures,
    someMore() {
      const count = acknowledged.size
      return until(() => acknowledged.size > count + 20, 'twenty more are answered', slowly)
    },
    async stop() {
      isOver = true
      await visits
    },
  }
}

test('an upgrade loses nothing that was acknowledged while visitors send, nor does the way back', async () => {
  const { folder, start, type } = await openRehearsal()
  const data = join(folder, 'formbox-data')
  addUser(data, 'ada@example.com')
  const authorization = `Bearer ${(await type('formbox key create --user ada@example.com --name Test')).trim()}`
  const old = await start('formbox')
  const api = `${old.url}/api/v1/forms`
  const made = await fetch(api, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{"title":"Contact"}',
  })
  const { id: form } = (await made.json()) as { id: string }
  const visitors = sendAllTheTime(`${old.url}/s/${form}`)
  afterThisTest(() => visitors.stop())
  const stored = async () => {
    const lines = await (await fetch(`${api}/${form}/export?format=ndjson`, { headers: { authorization } })).text()
    const rows = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; data: { name: string } })
    return rows.map(({ id, data }) => [data.name, id] as const).sort()
  }

  await visitors.someMore()
  expect(await type(backup)).toBe('')
  await visitors.someMore()
  await old.stop()
  const next = await start('formbox-new')
  await visitors.someMore()
  await visitors.stop()

  // One that was stored and not answered was sent again, and is there once.
  const all = [...visitors.acknowledged].sort()
  expect(visitors.failures()).toBeGreaterThan(0)
  expect(await stored()).toEqual(all)
  const copies = readdirSync(data).filter((name) => name.startsWith('formbox.db.before-'))
  expect(copies).toEqual([expect.stringMatching(/_next$/)])

  await next.stop()
  await type(restore)
  const again = await start('formbox')
  expect((await stored()).length).toBeLessThan(all.length)
  const [replaced = ''] = readdirSync(data).filter((name) => name.startsWith('formbox.db.replaced-'))
  const script = bringLater.replaceAll('FORM_ID', form).replace('formbox.db.replaced-TIME', replaced)
  expect(await type(script)).toContain('of the file already')
  expect(await stored()).toEqual(all)
  await again.stop()
})
