// The server is killed while more people want an option than it has places, and others give theirs back.
import { describe, expect, test } from 'bun:test'
import { temporaryFolder } from '../../../harness.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'
import { caller, createUser, faultsOf, isLong, listAll, startProcess, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const senders = 256
const places = 70
const rounds = isLong ? 30 : 3
const settings = { FORMBOX_SUBMIT_LIMIT: '0', FORMBOX_RATE_LIMIT: '1000000' }
const fields = [
  { name: 'shift', type: 'choice', options: ['Morning', 'Night'], places: { Morning: places, Night: 0 } },
  { name: 'email', type: 'email', once: 'refuse' },
]

describe('SIGKILL', () => {
  test(
    'while 256 people want the places of an option gives none twice, and loses none for ever',
    async () => {
      const folder = temporaryFolder()
      const key = createUser(folder)
      let server = await startProcess({ folder, settings })
      const call = (method: string, path: string, body?: unknown) => caller(server.url, key)(method, path, body)
      const formId: string = (await call('POST', '/forms', { title: 'Camp' })).body.id
      const path = `/forms/${formId}`
      expect((await call('PATCH', `${path}/settings`, { fields })).status).toBe(200)
      const taken = () =>
        rowsOf<{ taken: number }>(folder, `SELECT taken FROM limits WHERE option = 'Morning'`)[0]?.taken as number

      /** Repeats a request until some server answers it. Sent again, it is answered as the first one was. */
      const untilAnswered = async <T>(ask: () => Promise<T>): Promise<T> => {
        for (;;) {
          const answer = await ask().catch(() => undefined)
          if (answer !== undefined) return answer
          await Bun.sleep(5)
        }
      }
      const send = (email: string) =>
        untilAnswered(async () => {
          const response = await fetch(`${server.url}/s/${formId}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'idempotency-key': email },
            body: JSON.stringify({ shift: 'Morning', email }),
          })
          return { status: response.status, body: (await response.json()) as { id: string } }
        })
      let wave = 0
      /** As many as want a place at once. Returns the identifiers of those who got one. */
      const sendAll = async (): Promise<string[]> => {
        const name = ++wave
        const answers = await Promise.all(Array.from({ length: senders }, (_, n) => send(`${name}-${n}@example.com`)))
        for (const { status } of answers) expect([200, 400]).toContain(status)
        return answers.filter(({ status }) => status === 200).map(({ body }) => body.id)
      }
      const stored = async () => (await listAll(caller(server.url, key), formId)).submissions.map(({ id }) => id)
      const giveBack = (id: string, isSpam: boolean) =>
        untilAnswered(() =>
          isSpam ? call('POST', `${path}/submissions/${id}/spam`) : call('DELETE', `${path}/submissions/${id}`),
        )
      /** Returns how many places were taken then. */
      const killWhen = async (isTime: () => boolean): Promise<number> => {
        await until(isTime, 'it is time to kill', slowly)
        server.kill('SIGKILL')
        await server.ended()
        expectSound(folder)
        const atItsEnd = taken()
        expect(atItsEnd).toBeLessThanOrEqual(places)
        server = await startProcess({ folder, settings })
        return atItsEnd
      }

      let midway = 0
      const known = new Set<string>()
      for (let round = 0; round < rounds; round++) {
        if (round > 0) expect((await call('DELETE', `${path}/submissions/bulk`, { ids: [...known] })).status).toBe(200)
        known.clear()
        const goal = 1 + Math.floor(Math.random() * places)
        const sent = sendAll()
        if ((await killWhen(() => taken() >= goal)) < places) midway++
        for (const id of await sent) known.add(id)
        expect(taken()).toBe(places)
        expect((await stored()).toSorted()).toEqual([...known].toSorted())

        // Others give theirs back, while it is killed again and more want them.
        const leaving = [...known].slice(0, 40)
        const left = Promise.all(leaving.map((id, n) => giveBack(id, n % 2 === 0)))
        const late = sendAll()
        const spam = () => rowsOf<{ n: number }>(folder, 'SELECT spam_count AS n FROM forms')[0]?.n as number
        const goalOfSpam = round * 20 + 1 + Math.floor(Math.random() * 19)
        await killWhen(() => spam() >= goalOfSpam)
        await left
        for (const id of leaving) known.delete(id)
        for (const id of await late) known.add(id)
        expect((await stored()).toSorted()).toEqual([...known].toSorted())
        // Whoever asked before they were given back got none. All that is free can be had.
        for (const id of await sendAll()) known.add(id)
        expect([known.size, taken()]).toEqual([places, places])
      }
      expectSound(folder)
      expect(faultsOf(folder)).toEqual([])
      tell(`${2 * rounds} kills, ${wave * senders} people, ${midway} kills before the last place was given`)
    },
    timeout,
  )
})
