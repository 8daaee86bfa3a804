import { expect, test } from 'bun:test'
import { oneSlice, removalInSlices } from '../../src/submissions/removal.ts'
import { userWrites } from '../../src/users/user-writes.ts'
import { newEmail, serverWithUser, writeTo } from '../harness.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'

const prepare = async () => {
  const { server, ada } = await serverWithUser()
  const grace = await server.signUp()
  const form = await ada.createForm()
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

test('a form is not handed to somebody who may own none', async () => {
  const { server, ada, grace, form } = await prepare()
  writeTo(server.folder, (db) => db.$client.run('UPDATE users SET may_own_forms = 0 WHERE id = ?', [grace.id]))
  const refused = await ada.call('POST', `/forms/${form}/owner`, { email: grace.email })
  expect([refused.status, refused.body.issues[0].message]).toEqual([
    400,
    'email: must be of somebody who may own forms, which the operator of the server decides',
  ])
})

test.each([true, false])('deleting the owner leaves shared forms to another user: %p', async (isHandedOver) => {
  const { server, ada, grace, form, other } = await prepare()
  const heir = await server.signUp()
  writeTo(server.folder, (db) => {
    userWrites(db).deleteUser({ userId: ada.id, now: Date.now(), ...(isHandedOver && { sharedTo: heir.id }) })
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
