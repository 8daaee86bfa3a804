import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { minuteMilliseconds } from '../base/durations.ts'
import { cannot } from '../base/operator-errors.ts'
import { type Config, parseConfig } from '../config/config.ts'
import { goOffline } from '../remote/offline.ts'
import { tunnelLine } from '../server/log/log-lines.ts'
import { lockFolder, wasLocked } from '../storage/folder-lock.ts'
import type { Command } from './command.ts'
import { serveUntilStopped, signal } from './serve.ts'

export const demo: Command = {
  words: ['demo'],
  summary: 'try Formbox with sample data, which is deleted at the end; sends nothing',
  flags: [],
  run: async () => {
    let isFilled = false
    const stopped = signal('SIGINT', 'SIGTERM', 'SIGHUP')
    void stopped.then(() => isFilled || process.exit(0))
    const { demoAnswers } = await import('../demo/results.ts')
    goOffline(demoAnswers(Date.now(), Date.now))
    const folder = makeFolder()
    const dataFolder = join(folder, 'data')
    // Held until the process ends, so that no other demo removes the folder.
    const lock = lockFolder(folder)
    // Also if the start fails.
    process.once('exit', () => {
      lock.release()
      rmSync(folder, { recursive: true, force: true })
    })
    removeLeftDemos()
    const { fillDemo } = await import('../demo/fill.ts')
    const { owner, colleague, pagePath } = await fillDemo(toConfig({ dataFolder, port: 1, minFree: '0' }), password)
    isFilled = true
    const toLines = ({ url }: { readonly url: string }): string[] => [
      `Formbox listens on ${url}`,
      `Sign in: ${owner}, password ${password}`,
      `A colleague, with the same password: ${colleague}`,
      `The page of a form: ${url}${pagePath}`,
      ...tunnelLine(url),
      'It sends no email and calls no webhook. Ctrl-C ends it and deletes its data.',
    ]
    return await serveUntilStopped(toConfig({ dataFolder, port: freePort() }), toLines, () => stopped)
  },
}

/** Everyone may know it: only this machine reaches the demo, which holds nothing of anyone. */
const password = 'fresh-bread-at-7'
const prefix = 'formbox-demo-'

const makeFolder = (): string => {
  try {
    return mkdtempSync(join(tmpdir(), prefix))
  } catch (error) {
    throw cannot(`make a folder in ${tmpdir()}`, error)
  }
}

interface Chosen {
  readonly dataFolder: string
  readonly port: number
  /** The sample files are so small that they need no room. */
  readonly minFree?: string
}

/** The environment does not count: its mail server, its cluster and its bucket are none of the demo. */
const toConfig = ({ dataFolder, port, minFree }: Chosen): Config => ({
  ...parseConfig(
    {},
    {
      FORMBOX_HOST: '127.0.0.1',
      FORMBOX_PORT: String(port),
      FORMBOX_URL: `http://127.0.0.1:${port}`,
      FORMBOX_DATA: dataFolder,
      FORMBOX_LOG_LEVEL: 'off',
      FORMBOX_MIN_FREE: minFree,
      // So that forms may notify and reply. No connection to it is ever opened.
      FORMBOX_MAIL_URL: 'smtp://127.0.0.1:9',
      FORMBOX_MAIL_FROM: 'Bakery <bakery@example.com>',
    },
  ),
  isDemo: true,
})

/** Always the same, so that a tunnel to another machine leads to the next demo, too. Not the usual one, where a server may be. */
const usualPort = 8090

/** The usual port, or any if another program has that. Not left to the server: its address is in the links of the pages. */
const freePort = (): number => {
  try {
    return listenAt(usualPort)
  } catch {
    return listenAt(0)
  }
}

const listenAt = (port: number): number => {
  const listener = Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } })
  listener.stop(true)
  return listener.port
}

/** Removes what demos have left that were killed. */
const removeLeftDemos = (): void => {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))
  for (const folder of names.map((name) => join(tmpdir(), name)))
    if (isLeft(folder)) rmSync(folder, { recursive: true, force: true })
}

/** Whether a folder is ours, and no demo holds its lock or is about to take it. */
const isLeft = (folder: string): boolean => {
  try {
    const { uid, mtimeMs } = lstatSync(folder)
    const isOurs = uid === (process.getuid?.() ?? uid)
    if (!isOurs || Date.now() - mtimeMs < minuteMilliseconds || !wasLocked(folder)) return false
    lockFolder(folder).release()
    return true
  } catch {
    return false
  }
}
