// A page that was moved from another service may send a `_next` that has no effect. Otherwise only its visitors would see that.
import { expect, test } from 'bun:test'
import { readPage } from '../read-page.ts'
import { owner } from '../visitor.ts'
import { siteWorld } from '../world.ts'

const prepare = async () => {
  const { server, ada, formId: id } = await siteWorld()
  /** Sends as a browser does, and returns where that goes then. */
  const send = async (next: string, headers: Record<string, string> = { accept: 'text/html' }) => {
    const body = new URLSearchParams({ a: '1', _next: next })
    const { status, headers: answered } = await server.fetch(`/s/${id}`, {
      method: 'POST',
      body,
      headers,
      redirect: 'manual',
    })
    return [status, answered.get('location')]
  }
  const pages = async () => {
    const [list, settings] = [await ada.get(`/forms/${id}`), await ada.get(`/forms/${id}/settings/visitors`)]
    return [list.html, settings.html]
  }
  return { server, ada, id, send, pages }
}

test('the pages of a form say where `_next` has not led, until it does', async () => {
  const { ada, id, send, pages } = await prepare()
  expect(await send('https://my.example/thanks')).toEqual([200, null])
  expect(await send('https://my.example/other')).toEqual([200, null])
  expect(await send('/thanks')).toEqual([200, null])
  const text =
    '<code>_next</code> had no effect lately: in 2 submissions to <bdi>https://my.example</bdi>, in 1 submission without a ' +
    'complete URL. It works on the site of the return address, and on pages that may send.'
  const [list, settings] = await pages()
  expect(list).toContain(
    `<div class="notice"><p>${text}</p><a href="/forms/${id}/settings/visitors#returnUrl">Set the return address</a></div>`,
  )
  expect(readPage(settings as string).texts).toContain(text.replaceAll(/<[^>]*>/g, ''))

  await ada.api.call('PATCH', `/forms/${id}`, { returnUrl: 'https://my.example/' })
  expect(await send('https://my.example/thanks')).toEqual([303, 'https://my.example/thanks'])
  expect(await send('/thanks')).toEqual([303, 'https://my.example/thanks'])
  // That it was relative then is not remembered.
  for (const html of await pages()) {
    expect(html).toContain('had no effect lately: in 1 submission without a complete URL.')
    expect(html).not.toContain('in 2 submissions')
  }
})

test('they say nothing of scripts, which go nowhere, nor of forms without `_next`', async () => {
  const { send, pages } = await prepare()
  expect(await send('https://my.example/thanks', {})).toEqual([200, null])
  expect(await send('')).toEqual([200, null])
  for (const html of await pages()) expect(html).not.toContain('_next')
})

test('members who may not configure the form are not told', async () => {
  const { server, ada, id, send } = await prepare()
  await send('https://my.example/thanks')
  const bob = await owner(server)
  const shared = await ada.api.call('POST', `/forms/${id}/members`, { email: bob.email, role: 'editor' })
  expect(shared.body.state).toBe('member')
  const { status, html } = await bob.get(`/forms/${id}`)
  expect(status).toBe(200)
  expect(html).not.toContain('had no effect')
})
