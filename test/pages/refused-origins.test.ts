// Submissions that a form refuses because of `allowedOrigins` would otherwise be seen only by its visitors.
import { expect, test } from 'bun:test'
import { siteWorld } from '../world.ts'

const prepare = async (allowedOrigins: readonly string[]) => {
  const { ada, formId: id, path, change, post: send } = await siteWorld({ form: { allowedOrigins } })
  const allow = (origins: readonly string[]) => change({ allowedOrigins: origins })
  const post = async (headers: Record<string, string>): Promise<number> => (await send('a=1', headers)).status
  const read = async (rest = '') => (await ada.get(path + rest)).html
  return { ada, id, allow, post, read }
}

test('the pages of a form say which pages it has refused, until they may send', async () => {
  const { ada, id, allow, post, read } = await prepare(['https://example.com'])
  expect([await read(), await read('/settings/visitors')].join()).not.toContain('Refused lately')
  for (const headers of [{ origin: 'https://www.example.com' }, { referer: 'https://www.example.com/contact' }])
    expect(await post(headers)).toBe(403)
  expect(await post({ origin: 'null' })).toBe(403)
  const text =
    'Refused lately: 2 submissions from <bdi>https://www.example.com</bdi>, 1 submission from pages that do not send their address.'
  expect(await read()).toContain(
    `<div class="notice failed"><p>${text}</p><a href="/forms/${id}/settings/visitors#sites">See which pages may send</a></div>`,
  )
  const settings = await ada.get(`/forms/${id}/settings/visitors`)
  expect(settings.text).toContain('Refused lately: 2 submissions from https://www.example.com.')
  const allowing = settings.button('Allow it')
  expect(allowing).toMatchObject({ name: 'allow', value: 'https://www.example.com' })
  const typed = { allow: 'https://www.example.com', allowedOrigins: 'https://example.com' }
  expect((await ada.post(`/forms/${id}/settings/visitors`, typed)).status).toBe(303)
  expect((await ada.api.call('GET', `/forms/${id}/settings`)).body.allowedOrigins).toEqual([
    'https://example.com',
    'https://www.example.com',
  ])
  expect(await read()).toContain('Refused lately: 1 submission from pages that do not send their address.')
  await allow([])
  expect([await read(), await read('/settings/visitors')].join()).not.toContain('Refused lately')
})

test('they say nothing of programs, which name no page, nor of what was taken', async () => {
  const { post, read } = await prepare(['https://example.com'])
  expect([await post({}), await post({ origin: 'https://example.com' })]).toEqual([403, 200])
  expect([await read(), await read('/settings/visitors')].join()).not.toContain('Refused lately')
})
