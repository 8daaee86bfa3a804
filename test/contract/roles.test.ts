// What each role may do over the API: every operation, which says what role it needs, with every kind of caller.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { userWrites } from '../../src/accounts/users/user-writes.ts'
import { newEmail, type User, writeTo } from '../harness.ts'
import { isUnknown, type Request, requests, routes, start, type Target } from './api-routes.ts'

// Each test makes a form of its own for each of some sixty routes.
setDefaultTimeout(120_000)

const roles = ['reader', 'editor', 'manager', 'owner'] as const
type Role = (typeof roles)[number]

const may = (role: Role | undefined, { role: least }: Pick<Request, 'role'>): boolean =>
  least === 'user' || (role !== undefined && roles.indexOf(role) >= roles.indexOf(least))

/** Whether a key for named forms may call it at all: it needs to name a form, or to keep to those of the key. */
const isForNamed = ({ route, forms }: Request): boolean =>
  forms === 'several' || (forms !== 'new' && route.includes(':'))

type World = Awaited<ReturnType<typeof start>>

/** Shares the form with a new user, who has a key. */
const share = async ({ server, ada }: World, { form }: Target, role: Role, limitedTo?: readonly string[]) => {
  const grace = await server.signUp(undefined, { forms: limitedTo ?? null })
  const shared = await ada.call('POST', `/forms/${form}/members`, { email: grace.email, role })
  expect(shared.status).toBe(200)
  return { grace, memberId: shared.body.id as string }
}

const nameOf = ({ method, path }: Request): string => `${method} ${path}`

/** Sends every request, each to a form of its own if it succeeds, and expects what the role allows and nothing else. */
const walk = async (
  world: World,
  role: Role | undefined,
  keyFor: (target: Target) => Promise<string>,
  isAllowed = (request: Request): boolean => may(role, request),
) => {
  const untouched = await world.addTarget()
  const refusedKey = await keyFor(untouched)
  const before = await world.contents(untouched)
  for (const request of requests(routes)) {
    const allowed = isAllowed(request)
    const changes = allowed && request.method !== 'GET' && request.method !== 'HEAD'
    const target = changes ? await world.addTarget(request) : untouched
    const key = changes ? await keyFor(target) : refusedKey
    // Editors remove notes of their own.
    const own = changes && request.path.includes(':noteId') ? await world.withNote(target, key) : target
    const { status, body } = await world.send(request, own, key)
    const expected = !allowed ? 403 : isUnknown(request.route) ? 404 : 200
    expect([nameOf(request), status]).toEqual([nameOf(request), expected])
    if (!allowed && request.method !== 'HEAD') expect(body.message).toBe('Insufficient access')
  }
  expect({ ...(await world.contents(untouched)), forms: null }).toEqual({ ...before, forms: null })
}

describe('a form that is shared', () => {
  test.each(['reader', 'editor', 'manager'] as const)('is as open to a %s as each operation says', async (role) => {
    const world = await start()
    await walk(world, role, async (target) => (await share(world, target, role)).grace.key)
  })

  test('is fully open to its owner', async () => {
    const world = await start()
    await walk(world, 'owner', async () => world.ada.key)
  })

  test('is closed to a member who was removed a moment ago', async () => {
    const world = await start()
    await walk(world, undefined, async (target) => {
      const { grace, memberId } = await share(world, target, 'manager')
      expect((await grace.call('GET', `/forms/${target.form}`)).status).toBe(200)
      const removed = await world.ada.call('DELETE', `/forms/${target.form}/members/${memberId}`)
      expect(removed.status).toBe(200)
      return grace.key
    })
  })

  test('is closed to a member who was disabled', async () => {
    const world = await start()
    const target = await world.addTarget()
    const { grace } = await share(world, target, 'manager')
    writeTo(world.server.folder, (db) => userWrites(db).disableUser({ userId: grace.id, now: Date.now() }))
    const before = await world.contents(target)
    for (const request of requests(routes)) {
      const { status } = await world.send(request, target, grace.key)
      expect([nameOf(request), status]).toEqual([nameOf(request), 401])
    }
    expect(await world.contents(target)).toEqual(before)
  })

  test('is open to a read-only key of a manager only to read', async () => {
    const world = await start()
    const isRead = ({ isRead: reads, method }: Request) => reads === true || method === 'GET' || method === 'HEAD'
    await walk(
      world,
      'manager',
      async (target) => (await (await share(world, target, 'manager')).grace.withKey({ isReadOnly: true })).key,
      isRead,
    )
  })

  test('is as open as the role says to a member’s key that is limited to it', async () => {
    const world = await start()
    await walk(
      world,
      'editor',
      async (target) => (await share(world, target, 'editor', [target.form])).grace.key,
      (request) => may('editor', request) && isForNamed(request),
    )
  })
})

describe('a key that is limited to other forms', () => {
  test('is refused for every form that it does not name, though it is the owner’s', async () => {
    const world = await start()
    const other = await world.ada.createForm()
    await walk(
      world,
      undefined,
      async () => (await world.ada.withKey({ forms: [other] })).key,
      (request) => may(undefined, request) && isForNamed(request),
    )
  })

  test('invites no one to its own, but shares them with a user', async () => {
    const { server, ada } = await start()
    const form = await ada.createForm()
    const limited = await ada.withKey({ forms: [form] })
    const shareWith = (email: string) => limited.call('POST', `/forms/${form}/members`, { email, role: 'reader' })
    const { status, body } = await shareWith(newEmail())
    expect([status, body.message]).toEqual([403, 'Insufficient access'])
    expect((await ada.call('GET', `/forms/${form}/members`)).body.members).toEqual([])
    expect((await shareWith((await server.signUp()).email)).body.state).toBe('member')
  })

  test('lists its forms and no others, also those of others, and finds people in them alone', async () => {
    const world = await start()
    const { server, ada } = world
    const [own, shared] = [await world.addTarget(), await world.addTarget()]
    const { grace } = await share(world, shared, 'reader')
    const [first, second] = [await grace.createForm({ title: 'First' }), await grace.createForm({ title: 'Second' })]
    await server.submit(first, { email: 'eve@example.com' })
    await server.submit(second, { email: 'eve@example.com' })
    await server.submit(shared.form, { email: 'eve@example.com' })
    await server.submit(own.form, { email: 'eve@example.com' })
    const seenBy = async (user: User) => ({
      own: (await user.call('GET', '/forms')).body.forms.map(({ id }: { id: string }) => id),
      shared: (await user.call('GET', '/shared/forms')).body.forms.map(({ id }: { id: string }) => id),
      people: (await user.call('POST', '/personal-data/search', { value: 'eve@example.com' })).body.matches
        .map(({ formId }: { formId: string }) => formId)
        .toSorted(),
    })

    expect(await seenBy(grace)).toEqual({
      own: [second, first],
      shared: [shared.form],
      people: [first, second, shared.form].toSorted(),
    })
    expect(await seenBy(await grace.withKey({ forms: [first, shared.form, own.form] }))).toEqual({
      own: [first],
      shared: [shared.form],
      people: [first, shared.form].toSorted(),
    })
    expect(await seenBy(await grace.withKey({ forms: [] }))).toEqual({ own: [], shared: [], people: [] })
    expect((await ada.call('GET', '/shared/forms')).body.pagination.total).toBe(0)
  })
})
