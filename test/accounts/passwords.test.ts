import { describe, expect, test } from 'bun:test'
import { credentialChecker } from '../../src/accounts/users/check-credentials.ts'
import { openFailedAttempts } from '../../src/accounts/users/failed-attempts.ts'
import {
  checkPassword,
  hashPassword,
  nobodysHash,
  type Turn,
  verifyPassword,
} from '../../src/accounts/users/passwords.ts'
import { userReads } from '../../src/accounts/users/user-reads.ts'
import { AppError } from '../../src/base/errors.ts'
import { openReader } from '../../src/storage/reader.ts'
import { folderWithData } from '../empty-data.ts'
import { expectQuick } from '../expect-below.ts'
import { afterThisTest } from '../harness.ts'
import { atFullCost } from '../password-cost.ts'
import { refusalOf } from '../refusal.ts'

/** Quick to check: the hash contains its cost. */
const hashOf = (typed: string) => Bun.password.hash(typed, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })

const server = { config: { onlyProvider: null }, now: () => 0 }

describe('a password', () => {
  test.each([
    ['11 characters', 'x'.repeat(11), false],
    ['12 characters', 'x'.repeat(12), true],
    ['11 emoji', '🦊'.repeat(11), false],
    ['256 emoji', '🦊'.repeat(256), true],
    ['257 characters', 'x'.repeat(257), false],
  ])('of %s is taken or not', (_name, password, isTaken) => {
    if (isTaken) expect(checkPassword(password)).toBe(password)
    else expect(refusalOf(() => checkPassword(password))).toStartWith('password: must be 12 to 256 characters; got ')
  })

  /** As long as a password may be. */
  const longWith = (end: string) => 'ᾂ'.repeat(254) + end
  const long = longWith('a🦊')
  const decomposed = long.normalize('NFD')

  test('is hashed with argon2id, each time with another salt', async () => {
    const [hash, again] = await atFullCost(() => Promise.all([hashPassword(decomposed), hashPassword(long)]))
    expect(hash).toStartWith('$argon2id$v=19$m=65536,t=2,p=1$')
    const saltOf = (text: string) => text.split('$')[4]
    expect(saltOf(again)).not.toBe(saltOf(hash))
    expect(await verifyPassword(long, hash)).toBe(true)
    expect(await verifyPassword(longWith('a🐈'), hash)).toBe(false)
    // An unknown address is checked against a hash of the same cost.
    expect(nobodysHash.split('$').slice(0, 4)).toEqual(hash.split('$').slice(0, 4))
    expect(nobodysHash).toHaveLength(hash.length)
    expect(await verifyPassword('', nobodysHash)).toBe(false)
  })

  test('counts to its last character and in its case, and however the keyboard composes it', async () => {
    const hash = await hashOf(long)
    expect(await verifyPassword(decomposed, hash)).toBe(true)
    for (const end of ['a🐈', 'A🦊']) expect(await verifyPassword(longWith(end), hash)).toBe(false)
  })

  test('that is typed to keep the server busy is not read to its end', async () => {
    const hash = await hashOf('x')
    // As many as fit into the body of a sign-in. `normalize` takes more than a second for each.
    for (const typed of ['\u0301\u0316'.repeat(16_000), '\u0f73'.repeat(21_000), '\u{16d67}'.repeat(16_000)])
      await expectQuick(150, () => verifyPassword(typed, hash))
  })

  test('is refused for now when 50 others wait, which all get their answer; that counts as no failed attempt', async () => {
    const folder = folderWithData()
    const reader = openReader(folder)
    afterThisTest(reader.close)
    const check = credentialChecker({
      ...server,
      userReads: userReads(reader.db),
      failedAttempts: openFailedAttempts(server.now),
    })
    const hash = await hashOf('x')
    const others = Promise.allSettled(Array.from({ length: 60 }, () => verifyPassword('x', hash)))
    const tenTries = () =>
      Promise.allSettled(
        Array.from({ length: 10 }, () => check('ada@example.com', 'x', { address: 'here', device: null })),
      )
    // Counted, the first ten would have the others answered in another way.
    const refused = [...(await tenTries()), ...(await tenTries())]
    expect(refused.filter(({ status }) => status === 'rejected')).toHaveLength(20)
    const all = await others
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(52)
    for (const outcome of all)
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toBeInstanceOf(AppError)
        expect(outcome.reason.code).toBe('unavailable')
      }
    expect(await verifyPassword('x', undefined)).toBe(false)
  })

  test('counts as no failed attempt if the user cannot be read', async () => {
    const folder = folderWithData()
    const reader = openReader(folder)
    const failedAttempts = openFailedAttempts(() => 0)
    const check = credentialChecker({ ...server, userReads: userReads(reader.db), failedAttempts })
    reader.close()
    const origin = { address: 'here', device: null }
    for (let i = 0; i < 20; i++) await expect(check('ada@example.com', 'x', origin)).rejects.toThrow('closed')
    expect(failedAttempts.begin({ address: 'here' })).toMatchObject({ isAllowed: true, failures: 0 })
  })

  test('is checked by rank, and of one network and others by turns; the last one is refused if too many wait', async () => {
    const hash = await hashOf('x')
    const order: string[] = []
    const check = (name: string, turn?: Turn, own = hash) =>
      verifyPassword('x', own, turn).then(
        () => order.push(name),
        ({ code }) => order.push(`${name} ${code}`),
      )
    // The first two do not wait. One takes longer than all others together, which therefore end in the order of their turns.
    const all = [check('first', undefined, nobodysHash), check('first')]
    for (let i = 0; i < 48; i++) all.push(check(`attacker ${i}`, { rank: 1, network: 'a' }))
    all.push(check('elsewhere', { rank: 1, network: 'b' }), check('failed', { rank: 20, network: 'c' }))
    all.push(check('late', { rank: 49, network: 'd' }), check('known', { rank: 0 }))
    await Promise.all(all)
    const refused = ['late unavailable', 'attacker 47 unavailable']
    expect(order.slice(0, 2)).toEqual(refused)
    const checked = order.slice(2).filter((name) => name !== 'first')
    const place = (name: string) => checked.indexOf(name)
    expect([place('known'), place('elsewhere'), place('failed')]).toEqual([0, 2, 22])
    expect(checked).toHaveLength(50)
  })
})
