// The fields of a form where its owner reads them: labels, snippets and a test.
import { describe, expect, test } from 'bun:test'
import { digestMail, submissionMail } from '../../src/sending/mail/messages.ts'
import { listSubmission } from '../../src/sending/mail/shown-fields.ts'
import { readPage, unescaped } from '../read-page.ts'
import { siteWorld } from '../world.ts'

const fields = [
  { name: 'email', type: 'email', label: 'Your address', required: true },
  { name: 'guests', type: 'number', min: 1, max: 4 },
  { name: 'size', type: 'choice', options: ['S', '<b>"L"'], other: true, required: true },
  { name: 'tags', type: 'choices', options: ['a', 'b'], min: 2 },
  { name: 'text', type: 'lines', maxLength: 100, help: 'As you like' },
  { name: 'agree', type: 'checkbox', label: 'I agree' },
  { name: 'cv', type: 'file', required: true, fileTypes: ['.pdf'], maxFiles: 2 },
]

describe('labels', () => {
  test('stand on the pages in the place of names, and in no export, webhook or search', async () => {
    const { ada, path, submit } = await siteWorld({
      form: { fields: [{ name: 'size', label: 'Your size' }], columns: ['size', 'note'] },
    })
    const id = await submit({ size: 'XL', note: 'x', from: 'web' })
    expect((await ada.get(path)).html).toContain('<bdi>Your size</bdi></th>')
    const page = (await ada.get(`${path}/submissions/${id}`)).html
    expect(page).toContain('<dt><bdi>Your size</bdi></dt>')
    expect(page).toContain('<dt><bdi>from</bdi></dt>')
    await submit({ size: 'robot', _gotcha: 'x' })
    expect((await ada.get(`${path}/spam`)).html).toContain('<dt><bdi>Your size</bdi></dt>')
    const csv = (await ada.api.call('GET', `${path}/export?format=csv`)).body
    expect(String(csv)).toContain('size')
    expect(String(csv)).not.toContain('Your size')
    expect((await ada.api.call('GET', `${path}/submissions`)).body.submissions[0].data).toHaveProperty('size')
  })

  test('stand in mails', () => {
    const settings = JSON.stringify({ fields: [{ name: 'email', type: 'email', label: 'Your address' }] })
    const about = {
      id: 'd',
      to: 'ada@example.org',
      form: { id: 'f', title: 'Contact', settings },
      link: 'https://f.example/x',
      stop: 'https://f.example/stop',
    }
    const data = '{"email":"bob@example.com","note":"x"}'
    const id = '01kahp6a8d00q2s4tznwe8cm3k9f'
    const mail = submissionMail({ ...about, submission: { id, data, subject: null } })
    expect(mail.text).toContain('Your address')
    expect(mail.replyTo).toBe('bob@example.com')
    const submissions = [listSubmission(id, data, settings)]
    const digest = digestMail({ ...about, submissions, from: 0, until: 0, count: 1, every: 'day', zone: 'UTC' })
    expect(digest.text).toContain('Your address: bob@example.com')
  })
})

describe('/forms/:formId/embed of a form with fields', () => {
  type Ada = Awaited<ReturnType<typeof siteWorld>>['ada']
  const codeOf = async (ada: Ada, path: string, kind: string) => {
    const { html } = await ada.get(`${path}/embed?with=${kind}`)
    return unescaped(/<pre id="snippet"[^>]*><code>([^<]*)</.exec(html)?.[1] ?? '')
  }

  test('has them in its snippets, whose values they take', async () => {
    const { server, ada, path, formId, submissions } = await siteWorld({ form: { fields: fields.slice(0, -1) } })
    const code = await codeOf(ada, path, 'html')
    for (const part of [
      '<label>Your address <input name="email" type="email" maxlength="254" autocomplete="email" required></label>',
      '<input name="guests" type="text" inputmode="decimal">',
      '<label><input type="radio" name="size" value="&lt;b&gt;&quot;L&quot;" required> &lt;b&gt;&quot;L&quot;</label>',
      '<label><input type="radio" name="size" value="" required> Other</label>',
      '<input name="size" placeholder="Another answer" maxlength="200">',
      '<label><input type="checkbox" name="tags" value="a"> a</label>',
      '<textarea name="text" maxlength="100"></textarea>',
      '<label><input name="agree" type="checkbox" value="I agree"> I agree</label>',
    ])
      expect(code).toContain(part)
    expect((await ada.get(`${path}/embed`)).text).toContain('The code has the fields of the form and their rules.')
    await new (Object.getPrototypeOf(async () => {}).constructor)(await codeOf(ada, path, 'fetch'))()
    const curl = await codeOf(ada, path, 'curl')
    const data = /-d '(.*)'/.exec(curl)?.[1] ?? ''
    const headers = { 'content-type': 'application/json' }
    expect((await server.fetch(`/s/${formId}`, { method: 'POST', body: data, headers })).status).toBe(200)
    expect(await submissions()).toHaveLength(2)
  })

  test('has a snippet for files if there is a field for one', async () => {
    const { ada, path } = await siteWorld({ form: { fields } })
    const code = await codeOf(ada, path, 'html')
    expect(code).toContain('enctype="multipart/form-data"')
    expect(code).toContain('<input name="cv" type="file" accept=".pdf" multiple required>')
    expect((await ada.get(`${path}/embed`)).links.join()).not.toContain('with=files')
  })

  test('sends a test that goes through the same rules, but for files', async () => {
    const { ada, path, submissions } = await siteWorld({ form: { fields } })
    const good = { email: 'ada@example.com', guests: '2', size: 'S', text: 'x' }
    const wrong = await ada.post(`${path}/embed`, { ...good, email: 'ada@', guests: '9' })
    expect(wrong.status).toBe(400)
    const { texts } = readPage(wrong.html)
    expect(texts).toContain('Enter an email address, such as ada@example.com.')
    expect(texts).toContain('Enter 4 or less.')
    expect(wrong.html).toContain('value="ada@"')
    expect(await submissions()).toEqual([])
    expect((await ada.post(`${path}/embed`, good)).status).toBe(303)
    expect((await submissions())[0].data).toEqual(good)
  })

  test('says without a list that nothing is checked, and leads to where that is changed', async () => {
    const { ada, path } = await siteWorld()
    const { html } = await ada.get(`${path}/embed`)
    expect(html).toContain(`Nothing is checked yet. <a href="${path}/form">List the fields</a>`)
  })
})
