// What docs/cluster.md has an operator do, on addresses of the loopback network in place of those of the guide.

import { expect } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksOf } from '../guide-parts.ts'
import { afterThisTest, temporaryFolder } from '../harness.ts'
import { program, spawnProgram } from '../program.ts'
import { slowly, until } from '../until.ts'
import { asUser, ownByServer, ownFolder, PATH, runTool } from './postgres.ts'

const page = readFileSync(join(import.meta.dir, '../../docs/cluster.md'), 'utf8')
  .replaceAll(/^###+ /gm, '## ')
  .replaceAll(/^ {3}/gm, '')
const own = `127.${1 + Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}.`

/** Where the guide says 10.0.0.11, for example. No one else uses these addresses, so the ports are those of the guide. */
export const onLoopback = (text: string): string =>
  // Connections come from 127.0.0.1, whatever the address they go to.
  text.replaceAll('10.0.0.0/24', '127.0.0.0/8').replaceAll('10.0.0.9', '127.0.0.1').replaceAll('10.0.0.', own)

/** The blocks of code of a section, for these addresses. At least one. */
export const blocks = (heading: string, language = 'sh'): [string, ...string[]] => {
  const found = blocksOf(page, heading, language).map(onLoopback)
  if (found[0] === undefined) throw new Error(`there is no block of ${language} in ${heading}`)
  return found as [string, ...string[]]
}

/** `NAME=value` lines. */
const settingsIn = (block: string): Record<string, string> =>
  Object.fromEntries(block.split('\n').map((line) => line.split(/=(.*)/s) as [string, string]))

/** Runs commands of the guide in a shell, and returns their output. */
const follow = async (
  commands: string,
  { folder, environment = {} }: { folder: string; environment?: Readonly<Record<string, string>> },
): Promise<{ exitCode: number; output: string; errors: string }> => {
  const child = Bun.spawn(asServerIf(commands, ['sh', '-ec', commands]), {
    cwd: folder,
    env: { PATH: `${ownPrograms()}:${PATH}`, ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, output, errors }
}

const followed = async (...call: Parameters<typeof follow>): Promise<string> => {
  const { exitCode, output, errors } = await follow(...call)
  expect(exitCode, `${call[0]}: ${errors}`).toBe(0)
  return output
}

const asServerIf = (commands: string, line: string[]): string[] =>
  /^(psql|pg_basebackup)/.test(commands) ? asUser(line) : line

/** A folder with the command `formbox`. */
const ownPrograms = (): string => {
  const folder = temporaryFolder()
  const path = join(folder, 'formbox')
  writeFileSync(path, `#!/bin/sh\nexec ${program.map((word) => `'${word}'`).join(' ')} "$@"\n`)
  chmodSync(path, 0o755)
  return folder
}

/** A PostgreSQL server as a package installs it: the user postgres needs no password on its machine. */
export const installPostgres = async (number: 11 | 12) => {
  const folder = ownFolder()
  const data = join(folder, 'main')
  const address = onLoopback(`10.0.0.${number}`)
  let child: Bun.Subprocess | undefined
  const stop = async (): Promise<void> => {
    child?.kill('SIGKILL')
    await child?.exited
  }
  afterThisTest(stop)
  await runTool(['initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-N', '-E', 'UTF8'])
  const environment = { PGHOST: folder, PGUSER: 'postgres', PGDATABASE: 'postgres' }
  const fixed = { listen_addresses: address, unix_socket_directories: folder }

  return {
    folder,
    data,
    environment,
    stop,
    async start(): Promise<void> {
      const [rules] = blocks('PostgreSQL of your own', 'text')
      const access = join(data, 'pg_hba.conf')
      writeFileSync(access, `local all postgres trust\n${rules}\n`)
      ownByServer(access)
      const flags = Object.entries(fixed).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      await until(
        async () => {
          child = Bun.spawn(asUser(['postgres', '-D', data, ...flags]), { env: { PATH }, cwd: '/', stderr: 'ignore' })
          const isUp = until(
            async () => (await follow('psql --command "SELECT 1"', { folder, environment })).exitCode === 0,
            'PostgreSQL answers',
            slowly,
          )
          return await Promise.race([isUp.then(() => true), child.exited.then(() => false)])
        },
        'PostgreSQL has started',
        slowly,
      )
    },
    run: (commands: string) =>
      followed(commands.replaceAll('/var/lib/postgresql/15/main', data), { folder, environment }),
    empty: () => rmSync(data, { recursive: true }),
  }
}

/** One of the machines, with the settings of the guide. */
export const installFormbox = (number: number, name: string, cluster: string) => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'formbox-data'))
  const [block] = blocks('The machines')
  const settings = {
    ...settingsIn(block.replaceAll(`${own}1:`, `${own}${number}:`).replaceAll(`${own}1\n`, `${own}${number}\n`)),
    ...settingsIn(cluster),
    FORMBOX_NODE: name,
  }
  const environment: Record<string, string> = { FORMBOX_LOG_LEVEL: 'off', FORMBOX_DATA: 'formbox-data', ...settings }

  const start = async (changes: Record<string, string> = {}) => {
    const child = spawnProgram([], { environment: { ...environment, ...changes }, folder })
    afterThisTest(child.destroy)
    const url = await child.listening
    await until(async () => (await fetch(`${url}/readyz`)).ok, 'the machine is ready', slowly)
    return {
      ...child,
      url,
      async stop(): Promise<void> {
        child.kill('SIGTERM')
        await child.exited
      },
    }
  }
  return {
    name,
    /** The data folder. */
    folder: join(folder, 'formbox-data'),
    workingFolder: folder,
    environment,
    start,
    run: (commands: string, changes: Record<string, string> = {}) =>
      followed(commands, { folder, environment: { ...environment, ...changes } }),
    follow: (commands: string) => follow(commands, { folder, environment }),
  }
}
