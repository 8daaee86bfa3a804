// What waits until its address is confirmed is in nothing that anyone reads, but in the list of what waits.
import { expect, test } from 'bun:test'
import { userRoutes } from '../site-routes.ts'
import { rowsOf } from '../storage/sound.ts'
import { siteWorld } from '../world.ts'
import { noMailServer, routes } from './api-routes.ts'

const confirm = { field: 'email', subject: 'Please confirm', text: '{link}' }
const fields = [
  { name: 'email', type: 'email', required: true },
  { name: 'shift', type: 'choice', options: ['Day', 'Night'] },
]
const secret = 'xyzzyplugh'

/** What shows it, because that is asked for: by its identifier, or by the person it is of. */
const shown = ['/forms/:formId/spam/:submissionId', '/personal-data']
/** The mail that asks to confirm it, which is tried meanwhile; and that exports were made. */
const changed = ['/forms/:formId/deliveries', '/forms/:formId/webhooks', '/forms/:formId/trail']

test('no list, count, export, search, sum, sheet, page or metric has it, and no one is told', async () => {
  const { server, ada, formId, path, change, send } = await siteWorld({
    environment: { ...noMailServer, FORMBOX_METRICS_ALLOW: '127.0.0.0/8' },
  })
  await change({ fields, confirm, quietDays: 3 })
  // Exports have columns for confirmations once there was one.
  const earlier = (await send({ email: 'eve@example.com', shift: 'Day' })).body.id
  expect((await ada.api.call('POST', `${path}/spam/${earlier}/accept`)).status).toBe(200)
  await change({
    learnSpam: true,
    notify: ['one@example.com', { address: 'two@example.com', digest: 'day' }],
    reply: { field: 'email', subject: 'Thank you', text: 'Welcome' },
  })
  expect((await ada.api.call('POST', `${path}/webhooks`, { url: 'https://hooks.example.com/' })).status).toBe(200)
  const sheet: string = (await ada.api.call('POST', `${path}/sheets`, {})).body.url
  const filled = (route: string, submission: string) =>
    route.replace(':formId', formId).replace(':submissionId', submission).replaceAll(/:\w+/g, '0'.repeat(28))
  const reads = routes.filter(({ route }) => route.startsWith('GET ')).map(({ route }) => route.slice(4))
  const pages = userRoutes.filter(({ method, path: of }) => method === 'GET' && !of.endsWith('/events'))
  const numbers = async () => {
    const text = await (await server.fetch('/metrics')).text()
    const lines = text.split('\n').filter((line) => line.startsWith('formbox_submissions'))
    expect(lines).not.toEqual([])
    return lines
  }
  const readAll = async (submission: string) => {
    const found = new Map<string, string>()
    for (const route of reads)
      for (const query of ['', `?q=${secret}`, '?state=open', '?unread=true', '?format=csv', '?format=json']) {
        if (query !== '' && !/inbox|search|export|answers/.test(route)) continue
        const { status, body } = await ada.api.call('GET', `${filled(route, submission)}${query}`)
        found.set(route + query, JSON.stringify([status, body]).replaceAll(/"lastUsedAt":[^,}]*/g, ''))
      }
    found.set('sheet', await (await server.fetch(new URL(sheet).pathname)).text())
    found.set('metrics', (await numbers()).join())
    return found
  }
  const nothing = '0'.repeat(28)
  const before = await readAll(nothing)

  const { id } = (await send({ email: 'ada@example.com', shift: 'Day', text: secret, _subject: secret })).body
  expect(rowsOf(server.folder, 'SELECT reason FROM submissions WHERE id = ?', id)).toEqual([{ reason: 'unconfirmed' }])
  const after = await readAll(nothing)
  const isShown = (name: string) => shown.some((one) => name.startsWith(one))
  expect(reads.length).toBeGreaterThan(20)
  for (const [name, text] of before)
    if (!isShown(name) && !changed.some((one) => name.startsWith(one)))
      expect([name, after.get(name)]).toEqual([name, text])
  for (const [name, text] of await readAll(id))
    if (!isShown(name)) expect([name, text.includes(secret)]).toEqual([name, false])
  for (const { path: of } of pages) {
    const { html } = await ada.get(filled(of, id))
    if (!isShown(of)) expect([of, html.includes(secret)]).toEqual([of, false])
  }
  const sent = (await ada.api.call('GET', `${path}/deliveries`)).body.deliveries
  const about = sent.filter(({ submissionId }: { submissionId: string }) => submissionId === id)
  expect(about.map(({ kind }: { kind: string }) => kind)).toEqual(['confirm'])
  // Nothing that follows from the inbox counts it, and nothing is learned of it.
  for (const table of ['digested_submissions', 'lessons', 'opened_submissions', 'handling', 'notes'])
    expect([table, rowsOf(server.folder, `SELECT * FROM ${table} WHERE submission = ?`, id)]).toEqual([table, []])
  expect(rowsOf(server.folder, 'SELECT came FROM silences JOIN forms ON number = form WHERE id = ?', formId)).toEqual([
    { came: 1 },
  ])

  // Let in, it is in them.
  await ada.api.call('POST', `${path}/spam/${id}/accept`)
  const found = [...(await readAll(nothing))].filter(([name, text]) => !isShown(name) && text !== before.get(name))
  expect(found.length).toBeGreaterThan(8)
})
