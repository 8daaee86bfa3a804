// Data to back up, and ways to check the copies.
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../src/base/id.ts'
import { prepareDataFolder } from '../../src/storage/data-folder.ts'
import { connect, dataFile } from '../../src/storage/open.ts'
import { formbox, oneLine } from '../commands/formbox.ts'
import type { Server } from '../harness.ts'

/** Sends that many submissions, eight at a time, and returns the identifiers of those that were answered. */
export const submit = async (server: { url: string }, form: string, count: number): Promise<string[]> => {
  const ids: string[] = []
  let sent = 0
  const send = async (): Promise<void> => {
    while (sent++ < count) {
      const response = await fetch(`${server.url}/s/${form}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ number: sent, text: 'Grüße 🎉' }),
      })
      if (response.ok) ids.push(((await response.json()) as { id: string }).id)
    }
  }
  await Promise.all(Array.from({ length: 8 }, send))
  return ids
}

/** A data folder without a server whose file has at least that many bytes, all of one form, in rows of so many. */
export const fillFolder = (folder: string, bytes: number, rowBytes = 2048): void => {
  prepareDataFolder(folder)
  const db = connect(folder).$client
  db.run("INSERT INTO users (id, email, password_hash, form_count) VALUES ('u', 'ada@example.com', 'none', 1)")
  db.run("INSERT INTO forms (number, id, user_id, title) VALUES (1, 'f', 'u', 'Contact')")
  const insert = db.prepare('INSERT INTO submissions (form, id, data) VALUES (1, ?, ?)')
  const data = JSON.stringify({ text: 'x'.repeat(rowBytes - 48) })
  const count = Math.ceil(bytes / rowBytes)
  db.transaction(() => {
    for (let i = 0; i < count; i++) insert.run(newId(Date.now()), data)
    db.run(`UPDATE forms SET submission_count = ${count}, latest_id = (SELECT max('f', max(id)) FROM submissions)`)
    db.run(`INSERT INTO tallies SELECT 1, 0, 0, min(id), ${count} FROM submissions`)
    db.run(`INSERT INTO tallies SELECT 1, 0, 1, min(id), ${count} FROM submissions`)
  })()
  insert.finalize()
  db.close()
}

/** Overwrites one page, so that the file opens and a full check finds it. Page 1 holds header and schema. */
export const damagePage = (path: string, page: number): void => {
  const bytes = readFileSync(path)
  bytes.fill(0xa5, (page - 1) * 4096, page * 4096)
  writeFileSync(path, bytes)
}

/** A page in the middle of the submissions. */
export const middlePage = (folder: string): number => Math.floor(statSync(dataFile(folder)).size / 4096 / 2)

/** Resolves when the condition holds, which is looked at whenever something changes in the folder. */
export const changeIn = async (folder: string, holds: () => boolean): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const watcher = watch(folder, () => holds() && resolve())
  try {
    if (!holds()) await promise
  } finally {
    watcher.close()
  }
}

/**
 * What this process did with Drizzle, as a server or to add a user, keeps the data file open until its statements are
 * collected. Afterwards each file is one that no one has open.
 */
export const letGo = (folder: string): void => {
  for (const name of readdirSync(folder).filter((name) => /^formbox\.db(-wal)?$/.test(name))) {
    copyFileSync(join(folder, name), join(folder, 'copy'))
    renameSync(join(folder, 'copy'), join(folder, name))
  }
  rmSync(`${dataFile(folder)}-shm`, { force: true })
}

/** Everything that the API returns about a user's forms. */
export const everything = async (user: Awaited<ReturnType<Server['signUp']>>) => {
  const { forms } = (await user.call('GET', '/forms?perPage=100')).body
  const lists = await Promise.all(
    forms.map(async ({ id }: { id: string }) => (await user.call('GET', `/forms/${id}/submissions?perPage=100`)).body),
  )
  return { forms, lists }
}

/** Runs a command that must fail with exit code 1 and one line, and returns the line. */
export const refusal = async (words: readonly string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await formbox(words)
  if (exitCode !== 1 || stdout !== '' || !oneLine.test(stderr))
    throw new Error(`expected a refusal, got ${JSON.stringify({ exitCode, stdout, stderr })}`)
  return stderr
}
