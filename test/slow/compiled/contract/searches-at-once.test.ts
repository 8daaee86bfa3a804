import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { keyWrites } from '../../../../src/accounts/keys/key-writes.ts'
import { expectBelow, millisecondsOf } from '../../../expect-below.ts'
import { afterThisTest, forThisFile, type Server, startServer, type User, writeTo } from '../../../harness.ts'
import { makeSearchSlow } from '../../../submissions/slow-search.ts'
import { until } from '../../../until.ts'
import { world } from '../../../world.ts'

type Query = Record<string, string>

const search = (user: User, formId: string, query: Query) =>
  user.call('GET', `/forms/${formId}/submissions/search?${new URLSearchParams(query)}`)

describe('a form with many submissions', () => {
  const startWithMany = async () => {
    const { server, ada, formId } = await world({
      server: await startServer({ settings: { FORMBOX_RATE_LIMIT: '100000' } }),
    })
    makeSearchSlow(server.folder, formId)
    return { server, ada, formId }
  }
  let starting: ReturnType<typeof startWithMany> | undefined

  const prepareMany = async () => {
    starting ??= forThisFile(startWithMany)
    const { server, ada, formId } = await starting
    return { server, formId, ada: await ada.withKey() }
  }

  const path = (formId: string) => `/api/v1/forms/${formId}/submissions/search?q=norway`

  /** Begins a search on a connection of its own, which the caller can close. */
  const begin = ({ url }: Server, { key }: User, formId: string) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    afterThisTest(() => socket.destroy())
    socket.write(`GET ${path(formId)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`)
    return socket
  }

  const isRefused = async (user: User, formId: string): Promise<boolean> =>
    (await search(user, formId, { q: 'nothing', endDate: '2020-01-01' })).status === 429

  test('one search of a user runs at a time, and it ends when its client goes away', async () => {
    const { server, ada, formId } = await prepareMany()
    await expectBelow(1 / 2, async () => {
      const socket = begin(server, ada, formId)
      await until(() => isRefused(ada, formId), 'another search is refused')
      const refused = await search(ada, formId, { q: 'x' })
      if (refused.status === 429) {
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(refused.body.issues).toEqual([
          { message: 'one search of a user can run at a time, and four of all users' },
        ])
      }
      const left = await millisecondsOf(async () => {
        socket.destroy()
        await until(async () => !(await isRefused(ada, formId)), 'another search is let in')
      })
      return left / (await millisecondsOf(() => search(ada, formId, { q: 'norway' })))
    })
  })

  test('a key that is revoked ends its search', async () => {
    const { server, ada, formId } = await prepareMany()
    const other = await ada.withKey()
    const socket = begin(server, ada, formId)
    await until(() => isRefused(other, formId), 'another search is refused')
    writeTo(server.folder, (db) => keyWrites(db).revokeKey({ id: ada.keyId }))
    let answer = ''
    for await (const data of socket) answer += data
    expect(answer).toStartWith('HTTP/1.1 401 Unauthorized')
  })
})
