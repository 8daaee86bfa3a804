import { describe, expect, test } from 'bun:test'
import { type Answer, serverWithUser, type User } from '../harness.ts'
import { someOf } from '../runs.ts'
import { world } from '../world.ts'

describe('GET /forms/:formId/submissions', () => {
  test('lists what was collected, each with its four fields, and each can be read by itself', async () => {
    const { server, ada, formId } = await world()
    const before = Date.now()
    const first = await server.submit(formId, { name: 'Ada' })
    const second = await server.submit(formId, { name: ['Grace', 'Hopper'], nested: { a: [1, null, { b: 'ü😀' }] } })

    const { status, body } = await ada.call('GET', `/forms/${formId}/submissions`)

    expect(status).toBe(200)
    expect(body).toEqual({
      submissions: [
        {
          id: second,
          formId,
          data: { name: ['Grace', 'Hopper'], nested: { a: [1, null, { b: 'ü😀' }] } },
          createdAt: expect.any(String),
        },
        { id: first, formId, data: { name: 'Ada' }, createdAt: expect.any(String) },
      ],
      pagination: { page: 1, perPage: 20, total: 2, totalPages: 1 },
    })
    for (const submission of body.submissions) {
      expect(Date.parse(submission.createdAt)).toBeWithin(before, Date.now() + 1)
      const one = await ada.call('GET', `/forms/${formId}/submissions/${submission.id}`)
      expect([one.status, one.body]).toEqual([200, submission])
    }
  })
})

describe('DELETE /forms/:formId/submissions/:submissionId', () => {
  test('removes this one and no other; a second time it is not found', async () => {
    const { server, ada, formId } = await world()
    const ids = [await server.submit(formId, { n: 0 }), await server.submit(formId, { n: 1 })]

    const { status, body } = await ada.call('DELETE', `/forms/${formId}/submissions/${ids[0]}`)

    expect([status, body]).toEqual([200, { success: true }])
    for (const method of ['GET', 'DELETE']) {
      const again = await ada.call(method, `/forms/${formId}/submissions/${ids[0]}`)
      expect([again.status, again.body.message]).toEqual([404, 'Submission not found'])
    }
    const list = (await ada.call('GET', `/forms/${formId}/submissions`)).body
    expect(list.submissions).toEqual([expect.objectContaining({ id: ids[1] })])
    expect(list.pagination.total).toBe(1)
    expect((await ada.call('GET', `/forms/${formId}`)).body.submissionCount).toBe(1)
  })
})

describe('decision 21: a submission that exists under another form is 404', () => {
  const bulk = (formId: string) => `/forms/${formId}/submissions/bulk`
  const one = (formId: string, id: string) => `/forms/${formId}/submissions/${id}`
  const operations: [name: string, call: (user: User, formId: string, id: string) => Promise<Answer>][] = [
    ['GET', (user, formId, id) => user.call('GET', one(formId, id))],
    ['DELETE', (user, formId, id) => user.call('DELETE', one(formId, id))],
    ['bulk DELETE with a body', (user, formId, id) => user.call('DELETE', bulk(formId), { ids: [id] })],
    ['bulk DELETE with a query', (user, formId, id) => user.call('DELETE', `${bulk(formId)}?ids=${id}`)],
  ]
  test.each(operations)('for %s', async (_name, call) => {
    const { server, ada } = await serverWithUser()
    const bob = await server.signUp()
    const [formId, empty] = [await ada.createForm(), await ada.createForm()]
    const [ofBob, own] = [await bob.createForm(), await server.submit(formId, { a: 1 })]
    const foreign = await server.submit(ofBob, { a: 1 })

    for (const id of [own, foreign]) {
      const answer = await call(ada, empty, id)
      expect([answer.status, answer.body.message]).toEqual([404, 'Submission not found'])
    }
    for (const [user, form, id] of [
      [ada, formId, own],
      [bob, ofBob, foreign],
    ] as const)
      expect((await user.call('GET', `/forms/${form}/submissions/${id}`)).status).toBe(200)
    expect((await ada.call('GET', `/forms/${formId}`)).body.submissionCount).toBe(1)
  })
})

describe('decision 14: keys', () => {
  test('are the names of the fields in the order in which they were first seen', async () => {
    const { server, ada, formId: id } = await world({ sent: [{ name: 'Ada', email: 'a@example.com' }] })
    // An object of JavaScript would put the numbers first.
    await server.fetch(`/s/${id}`, { method: 'POST', body: new URLSearchParams('b=1&10=2&name=x&2=3&b=4') })
    await server.submit(id, JSON.parse('{"__proto__":1,"constructor":2,"<b>":3,"":4,"email":5}'))

    const keys = ['name', 'email', 'b', '10', '2', '__proto__', 'constructor', '<b>', '']
    expect((await ada.call('GET', `/forms/${id}`)).body.keys).toEqual(keys)
    expect((await ada.call('GET', '/forms')).body.forms[0].keys).toEqual(keys)
  })

  test('are at most 500; further names are stored in the submission and left out', async () => {
    const { server, ada, formId: id } = await world()
    const names = Array.from({ length: 700 }, (_, i) => `field ${i}`)
    const data = (from: number, to: number) => Object.fromEntries(names.slice(from, to).map((name) => [name, name]))
    await server.submit(id, data(0, 499))
    const second = await server.submit(id, data(498, 700))
    await server.submit(id, { late: 1 })

    expect((await ada.call('GET', `/forms/${id}`)).body.keys).toEqual(names.slice(0, 500))
    const stored = (await ada.call('GET', `/forms/${id}/submissions/${second}`)).body
    expect(stored.data).toEqual(data(498, 700))
  })

  test('do not shrink when submissions are deleted', async () => {
    const { server, ada, formId: id } = await world()
    const first = await server.submit(id, { a: 1 })
    const second = await server.submit(id, { b: 1 })
    await ada.call('DELETE', `/forms/${id}/submissions/${first}`)
    await ada.call('DELETE', `/forms/${id}/submissions/bulk`, { ids: [second] })
    await server.submit(id, { c: 1, a: 2 })

    const form = (await ada.call('GET', `/forms/${id}`)).body
    expect(form).toMatchObject({ keys: ['a', 'b', 'c'], submissionCount: 1 })
  })
})

describe('decision 15: submissionCount', () => {
  test('is right after each submission and deletion, for each form apart', async () => {
    const { server, ada } = await serverWithUser()
    const [one, two] = [await ada.createForm({ title: 'one' }), await ada.createForm({ title: 'two' })]
    const counts = async () =>
      (await ada.call('GET', '/forms')).body.forms.map((form: { submissionCount: number }) => form.submissionCount)

    const ids = await Promise.all(Array.from({ length: 20 }, () => server.submit(one, { a: 1 })))
    const other = await server.submit(two, { a: 1 })
    expect(await counts()).toEqual([1, 20])
    await ada.call('DELETE', `/forms/${two}/submissions/${other}`)
    await ada.call('DELETE', `/forms/${one}/submissions/bulk`, { ids: ids.slice(0, 7) })
    expect(await counts()).toEqual([0, 13])
    await ada.call('DELETE', `/forms/${one}`)
    expect(await counts()).toEqual([0])
  })
})

describe('submissionCount and totals', () => {
  test('equal what counting gives, after random submissions and deletions', async () => {
    const { server, ada } = await serverWithUser()
    const forms = [await ada.createForm(), await ada.createForm()]
    const kept = new Map(forms.map((form) => [form, [] as string[]]))
    const random = seeded(20261121)

    for (const step of someOf([...Array(120).keys()])) {
      const form = forms[random(2)] as string
      const ids = kept.get(form) as string[]
      const action = random(10)
      if (action < 5)
        ids.push(...(await Promise.all(Array.from({ length: 1 + random(5) }, () => server.submit(form, { step })))))
      else if (action < 8 && ids.length > 0) {
        const [id] = ids.splice(random(ids.length), 1)
        expect((await ada.call('DELETE', `/forms/${form}/submissions/${id}`)).status).toBe(200)
      } else if (ids.length > 0) {
        const doomed = ids.splice(random(ids.length), 1 + random(4))
        const named = [...doomed, ...doomed.slice(0, 1)]
        expect((await ada.call('DELETE', `/forms/${form}/submissions/bulk`, { ids: named })).status).toBe(200)
      }
      await expectExact(ada, form, ids, 1 + random(7))
    }
    const all = [...kept.values()].flat()
    expect(all.length).toBeGreaterThan(20)
    for (const form of forms) await expectExact(ada, form, kept.get(form) as string[], 100)
  })

  /** The form, the list and each of its pages agree with the identifiers that must be left. */
  const expectExact = async (user: User, form: string, ids: string[], perPage: number): Promise<void> => {
    expect((await user.call('GET', `/forms/${form}`)).body.submissionCount).toBe(ids.length)
    const totalPages = Math.ceil(ids.length / perPage)
    const seen: string[] = []
    for (let page = 1; page <= totalPages + 1; page++) {
      const { body } = await user.call('GET', `/forms/${form}/submissions?page=${page}&perPage=${perPage}`)
      expect(body.pagination).toEqual({ page, perPage, total: ids.length, totalPages })
      seen.push(...body.submissions.map((submission: { id: string }) => submission.id))
    }
    expect(seen.toSorted()).toEqual(ids.toSorted())
  }
})

describe('submissions that arrive while another form is deleted', () => {
  test('are all there, and none is answered with success for the form that is gone', async () => {
    const { server, ada } = await serverWithUser()
    const [kept, doomed] = [await ada.createForm(), await ada.createForm()]
    const post = async (formId: string, n: number) =>
      (await server.fetch(`/s/${formId}`, { method: 'POST', body: new URLSearchParams({ n: String(n) }) })).status

    const [ofKept, ofDoomed, deleted] = await Promise.all([
      Promise.all(Array.from({ length: 60 }, (_, n) => post(kept, n))),
      Promise.all(Array.from({ length: 60 }, (_, n) => post(doomed, n))),
      ada.call('DELETE', `/forms/${doomed}`),
    ])

    expect(deleted.status).toBe(200)
    expect(new Set(ofKept)).toEqual(new Set([200]))
    for (const status of ofDoomed) expect(status).toBeOneOf([200, 404])
    expect(await post(doomed, 60)).toBe(404)
    expect((await ada.call('GET', `/forms/${kept}`)).body.submissionCount).toBe(60)
    const { submissions } = (await ada.call('GET', `/forms/${kept}/submissions?perPage=100`)).body
    const numbers = submissions.map((submission: { data: { n: string } }) => Number(submission.data.n))
    expect(numbers.toSorted((a: number, b: number) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => n))
  })
})

describe('two users at once', () => {
  test('never see, change or count what is the other one’s', async () => {
    const { server, ada } = await serverWithUser()
    const bob = await server.signUp()
    const forms = { ada: [] as string[], bob: [] as string[] }

    const work = async (name: 'ada' | 'bob', user: User, other: 'ada' | 'bob') => {
      for (let round = 0; round < 15; round++) {
        const title = `${name} ${round}`
        const id = await user.createForm({ title })
        forms[name].push(id)
        const submission = await server.submit(id, { owner: name, round })
        const list = (await user.call('GET', '/forms?perPage=100')).body
        expect(list.pagination.total).toBe(forms[name].length)
        for (const form of list.forms) expect(form.title).toStartWith(name)
        const submissions = (await user.call('GET', `/forms/${id}/submissions`)).body.submissions
        expect(submissions).toEqual([expect.objectContaining({ id: submission, data: { owner: name, round } })])
        const foreign = forms[other].at(-1)
        if (foreign === undefined) continue
        const refused = [
          await user.call('GET', `/forms/${foreign}`),
          await user.call('GET', `/forms/${foreign}/submissions`),
          await user.call('PATCH', `/forms/${foreign}`, { title: `${name} was here` }),
          await user.call('DELETE', '/forms/bulk', { ids: [id, foreign] }),
          await user.call('POST', `/forms/${foreign}/duplicate`),
        ]
        for (const { status, body } of refused) {
          expect([status, body.message]).toEqual([403, 'Insufficient access'])
          expect(JSON.stringify(body)).not.toContain(`${other} `)
        }
      }
    }
    await Promise.all([work('ada', ada, 'bob'), work('bob', bob, 'ada')])

    for (const [name, user] of [
      ['ada', ada],
      ['bob', bob],
    ] as const) {
      const list = (await user.call('GET', '/forms?perPage=100')).body
      expect(list.forms.map((form: { id: string }) => form.id)).toEqual(forms[name].toReversed())
      for (const form of list.forms) expect(form).toMatchObject({ submissionCount: 1, updatedAt: null })
    }
  })
})

/** The same numbers in every run: a failure can be repeated. */
const seeded = (seed: number) => (below: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
  return Math.floor((seed / 2 ** 32) * below)
}
