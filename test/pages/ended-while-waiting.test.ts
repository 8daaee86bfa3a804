import { expect, test } from 'bun:test'
import type { Session } from '../../src/accounts/sessions/store.ts'
import { Exchange } from '../../src/http/exchange.ts'
import type { BrowserSessions } from '../../src/site/browser-sessions.ts'
import { pageAccess } from '../../src/site/page-access.ts'

test('a page that took long is not shown to someone whose session has ended meanwhile', async () => {
  let isLive = true
  const session = { userId: 'user', email: 'ada@example.com' } as Session
  const sessions = { find: () => session, isLive: () => isLive, extend: async () => [] } as never as BrowserSessions
  const { userPage } = pageAccess({
    sessions,
    signInPage: () => new Response(),
    config: { publicUrl: null },
  } as never)
  const page = userPage({ route: '/forms' }, async () => new Response('what was sent'))
  const endedPage = userPage({ route: '/forms' }, async () => {
    isLive = false
    return new Response('what was sent')
  })
  const open = ({ handle }: typeof page) => {
    const exchange = new Exchange(new Request('http://localhost/forms?page=2'), null, {})
    return handle({ exchange, path: '/forms', params: {}, query: {} } as never) as Promise<Response>
  }
  expect(await (await open(page)).text()).toBe('what was sent')
  const ended = await open(endedPage)
  expect([ended.status, ended.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fforms%3Fpage%3D2'])
  expect(await ended.text()).toBe('')
})
