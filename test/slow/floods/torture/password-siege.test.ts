// Many clients who try passwords at once. Each check is Argon2 in earnest, so this takes a whole processor for a while.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { afterThisTest, type Server, startServer } from '../../../harness.ts'
import { slowly, until } from '../../../until.ts'
import { createUser, visit } from '../../../visitor.ts'

setDefaultTimeout(60_000)

const start = () => startServer({ settings: { FORMBOX_TRUST_PROXY: '127.0.0.1' } })

let lastAddress = 0
const somewhere = () => ({ 'x-forwarded-for': `192.0.2.${(lastAddress++ % 254) + 1}` })

/** Signs in from an address that was not seen before, with this cookie or none. */
const signInWith = async (server: Server, cookie: string | null) =>
  (await visit(server, { ...somewhere(), cookie: cookie ?? '' }).signIn()).status

/** The device cookie of a browser in which the user signs in now. */
const newDevice = async (server: Server): Promise<string> => {
  const browser = visit(server, somewhere())
  expect((await browser.signIn()).status).toBe(303)
  return browser.cookie('device') ?? ''
}

describe('while 70 clients try passwords', () => {
  /** Each with another account and, for each try, an address. Resolves when so many of their passwords were checked. */
  const besiege = async (server: Server, toAddress: (attempt: number) => string, checks: number) => {
    let attempts = 0
    let checked = 0
    let isOver = false
    const attack = async (): Promise<void> => {
      while (!isOver) {
        const attempt = attempts++
        const attacker = visit(server, { 'x-forwarded-for': toAddress(attempt) })
        const { status } = await attacker.signIn(`user${attempt}@example.com`, 'wrong')
        if (status === 401) checked++
      }
    }
    const over = Promise.all(Array.from({ length: 70 }, attack))
    afterThisTest(() => {
      isOver = true
      return over
    })
    await until(() => checked >= checks, `${checks} passwords are checked`, slowly)
  }

  const anyAddress = (attempt: number) => `198.${attempt >> 16}.${(attempt >> 8) & 255}.${attempt & 255}`

  test('from addresses that change each time, the owner signs in on a known device', async () => {
    const server = await start()
    await createUser(server)
    const device = await newDevice(server)
    await besiege(server, anyAddress, 4)
    for (let i = 0; i < 5; i++) expect(await signInWith(server, device)).toBe(303)
  })

  test('from twenty addresses by turns, the owner signs in from one that has not failed', async () => {
    const server = await start()
    await createUser(server)
    await besiege(server, (attempt) => anyAddress(attempt % 20), 22)
    for (let i = 0; i < 5; i++) expect(await signInWith(server, null)).toBe(303)
  })

  test('from a network of IPv6 with other addresses each time, the owner signs in from elsewhere', async () => {
    const server = await start()
    await createUser(server)
    await besiege(server, (attempt) => `2001:db8:1:${(attempt & 65_535).toString(16)}::1`, 4)
    for (let i = 0; i < 5; i++) expect(await signInWith(server, null)).toBe(303)
  })
})
