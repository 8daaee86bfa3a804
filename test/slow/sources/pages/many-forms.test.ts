import { expect, test } from 'bun:test'
import { startServer } from '../../../harness.ts'
import { owner } from '../../../visitor.ts'

test('the list of forms shows a thousand forms in 60 groups on one page, about as quickly as thirty in full', async () => {
  const server = await startServer()
  const fill = async (groups: number, formCount: number) => {
    const ada = await owner(server)
    const forms = Array.from({ length: formCount }, (_, i) => ({ title: `Form ${i}` }))
    const { body } = await ada.api.call('POST', '/forms/bulk', { forms })
    const ids: string[] = body.ids
    const group = (id: string, i: number) =>
      ada.api.call('PATCH', `/forms/${id}/settings`, { group: `Group ${i % groups}` })
    await Promise.all(ids.map(group))
    for (const id of ids.slice(0, 40)) await server.submit(id, { name: 'Grace', text: 'A word' })
    return ada
  }
  const [few, many] = [await fill(4, 30), await fill(60, 1000)]
  const page = await many.get('/forms')
  expect(page.headings.filter((name) => name.startsWith('Group '))).toHaveLength(60)
  expect(page.links.filter((path) => /^\/forms\/\w{28}$/.test(path))).toHaveLength(1000)
  expect(page.html.length).toBeLessThan(128 * 1024)
  const took = async (who: typeof few) => {
    const startedAt = performance.now()
    for (let i = 0; i < 5; i++) await who.get('/forms')
    return performance.now() - startedAt
  }
  const times: number[] = []
  // Within as long as ten pages of thirty: in fact, of three.
  for (let i = 0; i < 5; i++) times.push((await took(many)) / (await took(few)))
  expect(Math.min(...times)).toBeLessThan(10)
})
