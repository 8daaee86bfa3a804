import { newKey } from '../accounts/keys/key-rules.ts'
import { openLastUsed } from '../accounts/keys/last-used.ts'
import { newSetupToken } from '../accounts/users/setup-token.ts'
import { newId } from '../base/id.ts'
import { formsApiPath } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { openEventStreams } from '../http/event-streams.ts'
import { createApp } from '../server/app.ts'
import { prepareDataFolder } from '../storage/data-folder.ts'
import { openReader } from '../storage/reader.ts'
import { startWriter } from '../storage/writer/writer.ts'
import type { Writes } from '../upkeep/all-writes.ts'
import { startWriterThread } from '../upkeep/writer-thread.ts'

export type PastService = Awaited<ReturnType<typeof openPastService>>

/** A user with a key. */
export type Person = Awaited<ReturnType<PastService['addPerson']>>

/** Opens the service without listening and without its jobs, with a clock that the caller sets. @param start Unix milliseconds */
export const openPastService = async (config: Config, start: number) => {
  let clock = start
  const now = (): number => clock
  prepareDataFolder(config.dataFolder)
  const reader = openReader(config.dataFolder)
  const writer = startWriter<Writes>({
    folder: config.dataFolder,
    worker: startWriterThread(),
    // What waits for it is rejected.
    onDeath: () => {},
    onSettled: reader.release,
  })
  await writer.started
  const lastUsed = openLastUsed({ writer, now })
  const report = (message: string): void => void process.stderr.write(`formbox: ${message}\n`)
  const streams = openEventStreams({ version: reader.version, report })
  const none = {
    onDeleted: () => {},
    onImport: () => {},
    onFields: () => {},
    onDue: () => {},
    requestLog: undefined,
    setupToken: newSetupToken(),
  }
  const { app, loadAll } = createApp({ config, reader, writer, lastUsed, streams, now, report, ...none })
  await loadAll()

  /** Returns the body of the response, which has to be a success. */
  const request = async (path: string, { headers, ...init }: RequestInit & { headers: Record<string, string> }) => {
    const all = { host: '127.0.0.1', accept: 'application/json', ...headers }
    const response = await app.fetch(new Request(`http://127.0.0.1${path}`, { ...init, headers: all }))
    if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`)
    return (await response.json()) as { readonly id: string }
  }

  const addPerson = async (email: string, passwordHash: string, isOperator = false) => {
    const id = newId(clock)
    await writer.run('createUser', { id, email, passwordHash, isOperator, now: clock })
    const { value, hash, start } = newKey()
    const key = { id: newId(clock), userId: id, name: 'Website', hash, start, isReadOnly: false, expiresAt: null }
    await writer.run('createKey', key)
    const authorization = { authorization: `Bearer ${value}` }
    /** Calls the API. */
    const call = (method: string, path: string, body?: object) =>
      body
        ? request(formsApiPath.route + path, {
            method,
            headers: { ...authorization, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          })
        : request(formsApiPath.route + path, { method, headers: authorization })
    const readAll = (formId: string) => writer.run('markAllRead', { userId: id, formId, upTo: newId(clock) })
    return { call, readAll }
  }

  return {
    writer,
    now,
    setClock: (at: number): void => {
      clock = at
    },
    request,
    addPerson,
    async close(): Promise<void> {
      await lastUsed.flush()
      streams.close()
      await writer.close()
      reader.close()
    },
  }
}
