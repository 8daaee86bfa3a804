import { describe, expect, test } from 'bun:test'
import { invitationWrites } from '../../src/accounts/members/invitation-writes.ts'
import { userWrites } from '../../src/accounts/users/user-writes.ts'
import { sha256 } from '../../src/base/hash.ts'
import { endedShareReader } from '../../src/forms/ended-shares.ts'
import { removalInSlices } from '../../src/submissions/removal.ts'
import { oneSlice } from '../../src/submissions/slices.ts'
import { newEmail, type Server, type User, writeTo } from '../harness.ts'
import { openData } from '../storage/data.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { openStores } from '../storage/stores.ts'
import { world } from '../world.ts'

const prepare = async () => {
  const { server, ada, formId: form } = await world()
  const grace = await server.signUp()
  const other = await ada.createForm()
  const share = (email: string) => ada.call('POST', `/forms/${form}/members`, { email, role: 'reader' })
  await share(grace.email)
  await ada.call('POST', `/forms/${form}/webhooks`, { url: 'http://hook.localhost:1/' })
  await server.submit(form, { a: 1 })
  const idsOf = async (user: typeof ada, path: string): Promise<string[]> =>
    (await user.call('GET', path)).body.forms.map(({ id }: { id: string }) => id)
  const lists = async () => ({
    adas: await idsOf(ada, '/forms'),
    hers: await idsOf(grace, '/forms'),
    withAda: await idsOf(ada, '/shared/forms'),
    withHer: await idsOf(grace, '/shared/forms'),
  })
  return { server, ada, grace, form, other, share, lists }
}

test('a form is handed to a member, in one write, with all that belongs to it', async () => {
  const { server, ada, grace, form, other, share, lists } = await prepare()
  const limited = await ada.withKey({ forms: [form] })
  expect(await lists()).toEqual({ adas: [other, form], hers: [], withAda: [], withHer: [form] })

  for (const email of [newEmail(), ada.email]) {
    const refused = await ada.call('POST', `/forms/${form}/owner`, { email })
    expect([refused.status, refused.body.issues[0].message]).toEqual([400, 'email: must be of a member of the form'])
  }
  const invited = newEmail()
  await share(invited)
  expect((await ada.call('POST', `/forms/${form}/owner`, { email: invited })).status).toBe(400)
  expect((await ada.call('POST', `/forms/${form}/owner`, { email: grace.email })).status).toBe(200)

  expect(await lists()).toEqual({ adas: [other], hers: [form], withAda: [form], withHer: [] })
  expect((await ada.call('POST', `/forms/${form}/owner`, { email: grace.email })).status).toBe(403)
  expect((await limited.call('GET', `/forms/${form}/webhooks`)).body.webhooks).toHaveLength(1)
  expect((await grace.call('GET', `/forms/${form}/deliveries`)).body.deliveries).toHaveLength(1)
  expect((await grace.call('GET', `/forms/${form}/members`)).body).toMatchObject({
    owner: grace.email,
    members: [{ email: invited }, { email: ada.email, role: 'manager' }],
  })
  expect((await ada.call('DELETE', `/forms/${form}`)).status).toBe(403)
  expectSound(server.folder)
  expect((await grace.call('DELETE', `/forms/${form}`)).status).toBe(200)
  expectSound(server.folder)
})

test.each([
  ['may own none', 'may_own_forms = 0'],
  // The form would tell no one any more, and give up what waits.
  ['is disabled', 'disabled_at = 1'],
])('a form is not handed to someone who %s', async (_, change) => {
  const { server, ada, grace, form } = await prepare()
  writeTo(server.folder, (db) => db.$client.run(`UPDATE users SET ${change} WHERE id = ?`, [grace.id]))
  const refused = await ada.call('POST', `/forms/${form}/owner`, { email: grace.email })
  expect([refused.status, refused.body.issues[0].message]).toEqual([
    400,
    'email: must be of a person who may own forms, which the operator of the server decides',
  ])
})

test.each([true, false])('deleting the owner leaves shared forms to another user: %p', async (isHandedOver) => {
  const { server, ada, grace, form, other } = await prepare()
  const heir = await server.signUp()
  writeTo(server.folder, (db) => {
    userWrites(db).deleteUser({
      userId: ada.id,
      now: Date.now(),
      ...(isHandedOver ? { sharedTo: heir.id } : { deleteShared: true }),
    })
    while (removalInSlices(db)(oneSlice) > 0);
  })
  expectSound(server.folder)
  const status = isHandedOver ? 200 : 404
  expect((await grace.call('GET', `/forms/${form}`)).status).toBe(status)
  expect((await heir.call('GET', `/forms/${form}/settings`)).status).toBe(status)
  expect((await heir.call('GET', `/forms/${other}`)).status).toBe(404)
  expect(rowsOf(server.folder, 'SELECT form_count FROM users WHERE id = ?', heir.id)).toEqual([
    { form_count: Number(isHandedOver) },
  ])
})

describe('an invitation whose form was handed over meanwhile', () => {
  const invitationTo = async (ada: User, form: string, email: string) =>
    (await ada.call('POST', `/forms/${form}/members`, { email, role: 'reader' })).body.inviteUrl.split('/').at(-1)

  test('leaves the one who was invited as the owner, or as the manager that they became', async () => {
    const { server, ada, grace, form } = await prepare()
    const email = newEmail()
    const hash = sha256(await invitationTo(ada, form, email), 'hex')
    const { id: userId, call } = await server.signUp(email)
    writeTo(server.folder, (db) => userWrites(db).deleteUser({ userId: ada.id, now: Date.now(), sharedTo: userId }))
    expect((await call('POST', `/forms/${form}/owner`, { email: grace.email })).status).toBe(200)

    writeTo(server.folder, (db) => {
      const { acceptInvitation } = invitationWrites(db)
      expect(() => acceptInvitation({ hash, userId, now: Date.now() })).toThrow('Invitation not found')
    })

    const { members } = (await grace.call('GET', `/forms/${form}/members`)).body
    expect(members).toMatchObject([{ email, role: 'manager', state: 'member' }])
    expect(members).toHaveLength(1)
    expectSound(server.folder)
  })

  test('is accepted by the member of a form that has another owner now', async () => {
    const { server, ada, grace, form } = await prepare()
    const email = newEmail()
    const hash = sha256(await invitationTo(ada, form, email), 'hex')
    expect((await ada.call('POST', `/forms/${form}/owner`, { email: grace.email })).status).toBe(200)
    const { id: userId, call } = await server.signUp(email)
    const accept = () => writeTo(server.folder, (db) => invitationWrites(db).acceptInvitation({ hash, userId, now: 1 }))
    accept()
    expect(accept).toThrow('Invitation not found')
    expect((await call('GET', `/forms/${form}`)).status).toBe(200)
    expectSound(server.folder)
  })
})

describe('deleting a user', () => {
  test('whose form someone began to see a moment ago changes nothing, until it says what becomes of it', async () => {
    const { server, ada, grace, form } = await prepare()
    const remove = (more: object) =>
      writeTo(server.folder, (db) => userWrites(db).deleteUser({ userId: ada.id, now: Date.now(), ...more }))
    expect(remove({})).toBe(1)
    expect((await grace.call('GET', `/forms/${form}`)).status).toBe(200)
    const heir = await server.signUp()
    writeTo(server.folder, (db) => userWrites(db).deleteUser({ userId: heir.id, now: Date.now() }))
    expect(() => remove({ sharedTo: heir.id })).toThrow('User not found')
    expect(() => remove({ sharedTo: ada.id })).toThrow('User not found')
    expect((await ada.call('GET', `/forms/${form}`)).status).toBe(200)
    expect(remove({ deleteShared: true })).toBe(0)
    expect((await grace.call('GET', `/forms/${form}`)).status).toBe(404)
    expectSound(server.folder)
  })

  test('is in the trail of the forms that go to another user', async () => {
    const { server, ada, grace, form } = await prepare()
    const now = Date.now()
    writeTo(server.folder, (db) => userWrites(db).deleteUser({ userId: ada.id, now, sharedTo: grace.id }))
    const { trail } = (await grace.call('GET', `/forms/${form}/trail`)).body
    expect(trail[0]).toMatchObject({ what: 'owner', by: null, detail: grace.email })
  })
})

describe('who saw a form that others shared', () => {
  const removeRows = (server: Server) =>
    writeTo(server.folder, (db) => {
      while (removalInSlices(db)(oneSlice) > 0);
    })
  const endedOf = async (user: User) => (await user.call('GET', '/shared/forms')).body.ended

  test('is told that it is gone, with its owner or alone, or not shared any more', async () => {
    const { server, ada, grace, form, other } = await prepare()
    const third = await ada.createForm({ title: 'Third' })
    const eve = await server.signUp()
    for (const [id, email] of [
      [other, grace.email],
      [third, grace.email],
      [third, eve.email],
    ] as const)
      await ada.call('POST', `/forms/${id}/members`, { email, role: 'editor' })
    await ada.call('PATCH', `/forms/${form}`, { title: 'First' })
    expect(await endedOf(grace)).toEqual([])

    const { members } = (await ada.call('GET', `/forms/${form}/members`)).body
    await ada.call('DELETE', `/forms/${form}/members/${members[0].id}`)
    await ada.call('DELETE', `/forms/${other}`)
    writeTo(server.folder, (db) => userWrites(db).deleteUser({ userId: ada.id, now: Date.now(), deleteShared: true }))
    removeRows(server)

    const at = expect.stringMatching(/^20\S+Z$/)
    expect(await endedOf(grace)).toEqual([
      { id: third, title: 'Third', at, reason: 'deleted' },
      { id: other, title: 'Contact', at, reason: 'deleted' },
      { id: form, title: 'First', at, reason: 'unshared' },
    ])
    expect(await endedOf(eve)).toEqual([{ id: third, title: 'Third', at, reason: 'deleted' }])
    expect(await endedOf(await grace.withKey({ forms: [form] }))).toHaveLength(1)
    expectSound(server.folder)
  })

  test('is not told of a form that they left, that is shared again, or that is theirs', async () => {
    const { server, ada, grace, form } = await prepare()
    const idOf = async () => (await ada.call('GET', `/forms/${form}/members`)).body.members[0].id
    await ada.call('DELETE', `/forms/${form}/members/${await idOf()}`)
    expect(await endedOf(grace)).toHaveLength(1)
    await ada.call('POST', `/forms/${form}/members`, { email: grace.email, role: 'reader' })
    expect(await endedOf(grace)).toEqual([])
    await grace.call('DELETE', `/forms/${form}/members/${await idOf()}`)
    expect(await endedOf(grace)).toEqual([])
    await ada.call('POST', `/forms/${form}/members`, { email: grace.email, role: 'reader' })
    const heir = await server.signUp()
    await ada.call('POST', `/forms/${form}/members`, { email: heir.email, role: 'reader' })
    await ada.call(
      'DELETE',
      `/forms/${form}/members/${(await ada.call('GET', `/forms/${form}/members`)).body.members[1].id}`,
    )
    expect(await endedOf(heir)).toHaveLength(1)
    writeTo(server.folder, (db) => userWrites(db).deleteUser({ userId: ada.id, now: Date.now(), sharedTo: heir.id }))
    expect([await endedOf(heir), await endedOf(grace)]).toEqual([[], []])
    await heir.call('DELETE', `/forms/${form}`)
    removeRows(server)
    expect([(await endedOf(heir)).length, (await endedOf(grace)).length]).toEqual([0, 1])
  })

  test('is told of the last ten, for 30 days', () => {
    const { db, folder, userId, run, createUser, createForm } = openData()
    const graceId = createUser()
    const email = `${graceId}@example.com`
    const member = { email, role: 'reader', inviteHash: 'x', inviteEndsAt: 1, mailTo: null }
    for (let i = 0; i < 30; i++) {
      const formId = createForm(userId, `F${i}`)
      run('addMember', { userId, formId, now: i, id: `m${i}`, ...member })
      if (i % 2) run('removeMember', { userId, formId, now: i, id: `m${i}` })
      else run('deleteForms', { userId, now: i, ids: [formId] })
      while (run('removeDeletedSlice', oneSlice));
    }
    const titles = () =>
      rowsOf<{ title: string }>(folder, 'SELECT title FROM ended_shares ORDER BY at').map((row) => row.title)
    expect(titles()).toEqual(Array.from({ length: 10 }, (_, i) => `F${i + 20}`))
    expect(endedShareReader(db)(graceId, 24)).toHaveLength(5)
    expect(run('removeExpired', { name: 'endedShares', before: 28, maxRows: 5 })).toBe(5)
    expect(run('removeExpired', { name: 'endedShares', before: 28, maxRows: 5 })).toBe(3)
    expect(titles()).toEqual(['F28', 'F29'])
    run('deleteUser', { userId: graceId, now: 0 })
    expect(titles()).toEqual([])
  })

  test('is told of it, however many forms strangers share with them and take back or delete', () => {
    const { folder, userId, run, createUser, createForm } = openData()
    const [graceId, malloryId] = [createUser(), createUser()]
    const member = { email: `${graceId}@example.com`, role: 'reader', inviteHash: 'x', inviteEndsAt: 1, mailTo: null }
    const take = (owner: string, title: string, isDeleted: boolean) => {
      const formId = createForm(owner, title)
      const id = `m${title}`
      run('addMember', { userId: owner, formId, now: 1, id, ...member })
      if (isDeleted) run('deleteForms', { userId: owner, now: 1, ids: [formId] })
      else run('removeMember', { userId: owner, formId, now: 1, id })
      while (isDeleted && run('removeDeletedSlice', oneSlice));
    }
    const titles = () =>
      rowsOf<{ title: string }>(folder, 'SELECT title FROM ended_shares ORDER BY number').map(({ title }) => title)
    for (const title of ['A', 'B', 'C']) take(userId, title, title === 'B')
    for (let i = 0; i < 15; i++) take(malloryId, `M${i}`, i % 2 === 0)
    expect(titles()).toEqual(['A', 'B', 'C', ...Array.from({ length: 7 }, (_, i) => `M${i + 8}`)])
    // The owner of some is not kept out by those of one stranger.
    for (let i = 0; i < 5; i++) take(userId, `D${i}`, false)
    expect(titles().filter((title) => !title.startsWith('M'))).toEqual(['D0', 'D1', 'D2', 'D3', 'D4'])
  })
})

test('the list of shared forms has pages, and leaves out what is being removed', () => {
  const { userId, run, createUser, createForm, reader, formLists } = openStores()
  const graceId = createUser()
  const email = `${graceId}@example.com`
  const ids = Array.from({ length: 30 }, (_, i) => {
    const formId = createForm(userId, `F${i}`)
    const member = { id: `m${i}`, email, role: 'reader', inviteHash: 'x', inviteEndsAt: 1, mailTo: null }
    run('addMember', { userId, formId, now: 0, ...member })
    return formId
  })
  const pages = () => {
    reader.release()
    const [first, second] = [1, 2].map((page) => formLists.listShared(graceId, { page, perPage: 20 }, null))
    return {
      totals: [first?.total, second?.total],
      ids: [...(first?.forms ?? []), ...(second?.forms ?? [])].map((form) => form.id),
    }
  }
  expect(pages()).toEqual({ totals: [30, 30], ids: ids.toReversed() })
  run('deleteForms', { userId, now: 5, ids: ids.slice(3, 8) })
  const left = ids.toSpliced(3, 5).toReversed()
  expect(pages()).toEqual({ totals: [25, 25], ids: left })
  while (run('removeDeletedSlice', oneSlice));
  expect(pages()).toEqual({ totals: [25, 25], ids: left })
})
