import { expect, test } from 'bun:test'
import { siteWorld } from '../world.ts'

test('the page of a form’s spreadsheets makes an address, shows it once, and deletes it', async () => {
  const { server, ada, formId } = await siteWorld({ form: { title: 'Guests' }, sent: [{ name: 'Grace' }] })
  const path = `/forms/${formId}/sheets`
  expect((await ada.get(`/forms/${formId}/settings/people`)).html).toContain('Live spreadsheets')

  const made = await ada.post(path, { description: 'For the team' })
  expect(made.status).toBe(303)
  const shown = (await ada.get(made.location ?? '')).html
  const [, address = ''] = /IMPORTDATA\(&quot;([^&]+)&quot;\)/.exec(shown) ?? []
  expect(address).toStartWith(server.url)
  expect(shown).toContain('For the team')
  expect(await (await fetch(address)).text()).toContain(',Grace,')
  // Reloading does not show it again.
  expect((await ada.get(made.location ?? '')).html).not.toContain('IMPORTDATA')

  const { sheets } = (await ada.api.call('GET', `/forms/${formId}/sheets`)).body
  const deleted = await ada.post(`${path}/${sheets[0].id}/delete`, {})
  expect((await ada.get(deleted.location ?? '')).html).toContain('no longer works')
  expect((await fetch(address)).status).toBe(404)

  const refused = await ada.post(path, { description: 'x'.repeat(201) })
  expect([refused.status, refused.html.includes('got 201')]).toEqual([400, true])
})
