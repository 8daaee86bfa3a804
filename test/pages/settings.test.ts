import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { languages } from '../../src/languages/languages.ts'
import { forms } from '../../src/storage/tables.ts'
import { type Server, writeTo } from '../harness.ts'
import { readPage } from '../read-page.ts'
import { openData } from '../storage/data.ts'
import { siteWorld } from '../world.ts'
import { openSection, sendSection } from './settings-form.ts'

const ownerWithForm = async (fields: object = {}, environment: Readonly<Record<string, string>> = {}) => {
  const { server, ada, formId: id } = await siteWorld({ environment, form: fields })
  const path = `/forms/${id}`
  const settings = `${path}/settings`
  const form = async () => (await ada.api.call('GET', path)).body
  const stored = async () => (await ada.api.call('GET', settings)).body
  const open = (section: string) => openSection(ada, settings, section)
  const send = (opened: Parameters<typeof sendSection>[2], typed: Parameters<typeof sendSection>[3] = {}) =>
    sendSection(ada, settings, opened, typed, { origin: environment.FORMBOX_URL ?? server.url })
  return { server, ada, id, path, form, settings, stored, open, send }
}

/** Of a server that sends mail, takes less from one address, and shows no pages. */
const otherServer = {
  FORMBOX_MAIL_URL: 'smtp://mail.example.com',
  FORMBOX_MAIL_FROM: 'forms@example.com',
  FORMBOX_URL: 'http://forms.example.com',
  FORMBOX_SUBMIT_LIMIT: '60',
  FORMBOX_FORM_PAGES: 'false',
}

/** Writes settings that a server with other limits could have stored. */
const storeSettings = ({ folder }: Server, id: string, settings: object): void =>
  writeTo(folder, (db) => {
    db.update(forms)
      .set({ settings: JSON.stringify(settings) })
      .where(eq(forms.id, id))
      .run()
  })

const textOf = (html: string, id = ''): string | undefined => new RegExp(` id="${id}">([^<]*)`).exec(html)?.[1]

describe('/forms/:formId/settings', () => {
  test('says who did what with the form', async () => {
    const { ada, id, path, settings } = await ownerWithForm()
    expect((await ada.get(settings)).text).toContain('Activity Nothing yet')
    await ada.api.call('POST', `${path}/sheets`, {})
    await ada.api.call('POST', `/forms/${id}/members`, { email: 'b@example.com', role: 'reader' })
    const [, section = ''] = /id="trail-heading"([\s\S]*?)<\/details>/.exec((await ada.get(settings)).html) ?? []
    expect(readPage(section).isolated).toContain('Shared the form')
    expect(section).toContain('Changed settings: <bdi>sheet created</bdi>')
    expect(readPage(section).isolated).toContain(ada.email)
    expect((await ada.get(`${path}/members`)).html).not.toContain('Activity')
  })

  test('says that a file describes the form, once one was applied to it', async () => {
    const { server, ada, id, settings } = await ownerWithForm()
    const hint = 'A file describes this form, as contact.'
    expect((await ada.get(settings)).html).not.toContain('A file describes this form')
    writeTo(server.folder, (db) => db.update(forms).set({ name: 'contact' }).where(eq(forms.id, id)).run())
    expect((await ada.get(settings)).text).toContain(hint)
  })

  test('shows the form, with what its owner wrote as text', async () => {
    const { ada, settings } = await ownerWithForm({
      title: '<script>alert(1)</script> & "more"',
      description: '\n</textarea><b>two\nlines',
      returnUrl: 'https://example.com/?a="b"&c',
    })
    const { status, html, isolated, field, current } = await ada.get(settings)
    expect(status).toBe(200)
    expect(isolated).toContain('<script>alert(1)</script> & "more"')
    expect(html).toContain('>\n\n&lt;/textarea&gt;&lt;b&gt;two\nlines</textarea>')
    expect(field('returnUrl')?.value).toBe('https://example.com/?a="b"&c')
    expect(current).toContain('Settings')
    expect(html).not.toContain('<script>')
  })

  test('folds its sections, and says on the line of each what is set', async () => {
    const { ada, settings, path } = await ownerWithForm()
    const lines = async () =>
      [
        ...(await ada.get(settings)).html.matchAll(
          /<details class="fold">\n<summary><h2[^>]*>(.*?)<\/h2>(.*?)<\/summary>/gs,
        ),
      ].map(([, heading, set = '']) => [heading, set.replaceAll(/<.*?>/g, '').trim()])
    expect(await lines()).toEqual([
      ['General', 'After sending: the built-in thank-you page'],
      ['Open and closed', 'Open'],
      ['Collecting', 'Every page may send'],
      ['Fields', 'Not checked'],
      ['Page', 'None'],
      ['Files', 'Accepted'],
      ['Spam', 'Trap field _gotcha · Kept for 30 days'],
      ['Notifications', 'No one'],
      ['Automatic reply', 'None'],
      ['Webhooks', 'None'],
      ['People', 'Only you'],
      ['Activity', 'Nothing yet'],
      ['Copy or delete', ''],
    ])
    for (const email of ['grace@example.com', 'alan@example.com'])
      expect((await ada.api.call('POST', `${path}/members`, { email, role: 'reader' })).status).toBe(200)
    await ada.api.call('PATCH', settings, { closesAt: '2020-12-24T12:00Z' })
    expect(await lines()).toContainEqual(['Open and closed', 'Until 24 Dec 2020, 12:00 UTC'])
    await ada.api.call('PATCH', path, { returnUrl: 'https://example.com/?a="<b>' })
    await ada.api.call('POST', `${path}/webhooks`, { url: 'https://example.com/<b>', description: '<b>Calendar' })
    await ada.api.call('PATCH', settings, {
      ...{ thankYou: 'Merci', columns: ['a'], open: false, closedText: 'Later', maxSubmissions: 1000 },
      ...{ opensAt: '2026-12-01T08:00Z', closesAt: '2026-12-24T12:00Z', allowedOrigins: ['https://example.com'] },
      ...{ submitLimit: 2, retentionDays: 1000, acceptFiles: false, fileTypes: ['.pdf', 'image/*'], maxFiles: 2 },
      ...{ maxFileBytes: 1024, honeypot: '<b>', challenge: true, blockedTerms: ['ab', 'cd'], maxLinks: 1, spamDays: 1 },
      ...{ fields: [{ name: 'a' }], otherFields: 'refuse', page: { frame: true }, language: 'ar' },
    })
    expect(await lines()).toEqual([
      ['General', 'After sending: https://example.com/?a=&quot;&lt;b&gt; · Thank-you text · In العربية · 1 column'],
      [
        'Open and closed',
        'Closed · From 1 Dec 2026, 08:00 UTC · Until 24 Dec 2026, 12:00 UTC · Up to 1,000 submissions · Text for visitors',
      ],
      ['Collecting', '1 origin · 2 a minute from one IP address · Kept for 1000 days'],
      ['Fields', '1 field · No others'],
      ['Page', 'Shown, also in frames'],
      ['Files', 'Not accepted · .pdf image/* · 2 in a submission · Up to 1 KiB each'],
      ['Spam', 'Trap field &lt;b&gt; · 2 blocked terms · Up to 1 link · Kept for 1 day · Proof of work'],
      ['Notifications', 'No one'],
      ['Automatic reply', 'None'],
      ['Webhooks', '&lt;b&gt;Calendar'],
      ['People', 'grace@example.com and 1 other'],
      ['Activity', 'Changed settings'],
      ['Copy or delete', ''],
    ])
  })

  test('opens what was saved, what is wrong, what was edited, and the title of a copy', async () => {
    const { ada, path, settings, open, send } = await ownerWithForm()
    const opened = (html: string) =>
      [...html.matchAll(/<details class="fold" open>\n<summary><h2[^>]*>(.*?)<\/h2>/g)].map(([, heading]) => heading)
    expect(opened((await ada.get(`${settings}?saved=spam`)).html)).toEqual(['Spam'])
    const all = [...(await open('files')), ...(await open('spam'))]
    const refused = await send(all, { maxFiles: '1', maxLinks: 'many', section: 'spam' })
    expect(opened(refused.html)).toEqual(['Files', 'Spam'])
    expect(opened((await ada.post(`${path}/delete`, { confirm: 'another' })).html)).toEqual(['Copy or delete'])
    const { location } = await ada.post(`${path}/duplicate`)
    expect(opened((await ada.get(location as string)).html)).toEqual(['General'])
  })

  test('names each check box by its label, and describes it by its hint', async () => {
    const { ada, settings } = await ownerWithForm()
    const { html, field } = await ada.get(settings)
    for (const [name, label] of [
      ['open', 'Open'],
      ['acceptFiles', 'Accept files'],
      ['challenge', 'Ask browsers for a proof of work'],
    ]) {
      const { type, ...named } = field(name as string) ?? {}
      expect([type, textOf(html, named['aria-labelledby'])]).toEqual(['checkbox', label as string])
      expect(textOf(html, named['aria-describedby'])).not.toBe('')
    }
  })

  test.each(['general', 'opening', 'collecting', 'files', 'spam'])(
    'says in the section %s that it was saved',
    async (section) => {
      const { ada, settings } = await ownerWithForm()
      const { html } = await ada.get(`${settings}?saved=${section}`)
      const [before, after] = html.split('<p class="notice done" id="notice" tabindex="-1" role="status">Saved.</p>')
      expect(before?.match(/<div class="parts" id="(\w+)"/g)?.at(-1)).toContain(section)
      expect(after).toContain(`<button class="primary" name="section" value="${section}">Save`)
    },
  )

  test('saves what was typed, and empties what was emptied', async () => {
    const { ada, form, settings } = await ownerWithForm()
    const typed = { title: ' Newsletter ', description: 'One\r\ntwo', returnUrl: 'https://example.com/thanks' }
    expect(await ada.post(settings, typed)).toMatchObject({ status: 303, location: `${settings}?saved=general#notice` })
    expect(await form()).toMatchObject({ ...typed, title: 'Newsletter', description: 'One\ntwo' })
    await ada.post(settings, { title: 'Newsletter', description: ' ', returnUrl: '' })
    expect(await form()).toMatchObject({ title: 'Newsletter', description: null, returnUrl: null })
  })

  test('changes nothing where nothing was changed, not even what a browser cannot send back', async () => {
    const { ada, form, settings } = await ownerWithForm({ title: ' Two\nlines ', description: 'a\r\nb' })
    const before = await form()
    await ada.post(settings, { title: ' Twolines ', description: 'a\r\nb', returnUrl: '' })
    expect(await form()).toEqual(before)
    expect(before.updatedAt).toBeNull()
  })

  test.each([
    ['title', { title: ' ' }, 'Must be 1 to 255 characters, not only white space; got 0.'],
    ['title', { title: '🦊'.repeat(256) }, 'Must be 1 to 255 characters, not only white space; got 256.'],
    ['title', { title: 'a\0b' }, 'Must be 1 to 255 characters, not only white space; got 3.'],
    ['description', { description: 'x'.repeat(1001) }, 'Must be at most 1000 characters; got 1001.'],
    ['returnUrl', { returnUrl: 'example.com' }, 'Must be an absolute http or https URL of at most 2048 characters'],
    ['returnUrl', { returnUrl: 'javascript:alert(1)' }, 'Must be an absolute http or https URL'],
  ])('says what is wrong with the %s, and keeps what was typed', async (name, wrong, message) => {
    const { ada, form, settings } = await ownerWithForm()
    const before = await form()
    const typed = {
      title: 'Typed title',
      description: 'Typed description',
      returnUrl: 'https://typed.example',
      thankYou: 'Typed thanks',
      ...wrong,
    }
    const { status, html } = await ada.post(settings, typed)
    expect(status).toBe(400)
    expect(readPage(html).title).toBe('Error: Settings · Contact · Formbox')
    expect(html).toContain(`role="alert">Not saved. Look at <a href="#${name}">`)
    expect(html).toContain(`id="${name}-error">${message}`)
    for (const [field, value] of Object.entries(typed)) if (field !== name) expect(html).toContain(value)
    expect(await form()).toEqual(before)
  })

  test('says which fields there were, and keeps columns that a browser cannot send back', async () => {
    const { server, ada, id, settings, stored, open, send } = await ownerWithForm()
    await server.submit(id, { name: 'Grace', '<b>': 1 })
    expect((await ada.get(settings)).html).toContain('Seen so far: <bdi>name</bdi>, <bdi>&lt;b&gt;</bdi>.')
    await ada.api.call('PATCH', settings, { columns: [' x', 'x'], thankYou: ' a\r\nb ' })
    await send(await open('general'))
    expect(await stored()).toMatchObject({ columns: [' x', 'x'], thankYou: ' a\r\nb ' })
  })

  test('saves columns that no submission has had, and says which they are', async () => {
    const { server, ada, id, settings, stored, open, send } = await ownerWithForm()
    const unseen = async () =>
      (await ada.get(`${settings}?saved=general`)).texts.find((text) => text.startsWith('Not among '))
    const columns = 'name\r\nmesage\r\n<b>topic'
    await send(await open('general'), { columns })
    // Nothing has come in yet, so nothing is known.
    expect(await unseen()).toBeUndefined()
    await server.submit(id, { name: 'Grace', message: 'Hello' })
    expect((await stored()).columns).toEqual(['name', 'mesage', '<b>topic'])
    expect(await unseen()).toBe('Not among the fields seen so far: mesage, <b>topic. Check the columns of the list.')
    await send(await open('general'), { columns: 'name\r\nmessage' })
    expect(await unseen()).toBeUndefined()
  })

  test('opens and closes the form, and leaves the other settings and the form itself alone', async () => {
    const { ada, form, settings, open, send } = await ownerWithForm()
    await ada.api.call('PATCH', settings, { columns: ['a'] })
    const before = await form()
    const isTicked = async () => 'checked' in ((await ada.get(settings)).field('open') ?? {})
    expect(await isTicked()).toBe(true)
    const closing = await send(await open('opening'), { open: null })
    expect(closing).toMatchObject({ status: 303, location: `${settings}?saved=opening#notice` })
    expect((await ada.api.call('GET', settings)).body).toMatchObject({ open: false, columns: ['a'] })
    expect(await isTicked()).toBe(false)
    await send(await open('opening'), { open: 'on' })
    expect((await ada.api.call('GET', settings)).body).toMatchObject({ open: true, columns: ['a'] })
    expect(await form()).toEqual(before)
  })

  test('refuses to close before it opens', async () => {
    const { ada, settings, stored, open, send } = await ownerWithForm()
    await ada.api.call('PATCH', settings, { opensAt: '2026-12-01T08:00Z' })
    const { status, problem } = await send(await open('opening'), { closesAt: '2026-12-01T08:00' })
    const said = 'Must be later than when the form opens (opensAt), 2026-12-01T08:00:00.000Z.'
    expect([status, problem('closesAt')]).toEqual([400, said])
    expect(await stored()).toMatchObject({ closesAt: null })
  })

  test('saves the name of the trap field, and says if visitors may still see a field of that name', async () => {
    const { server, ada, id, settings } = await ownerWithForm()
    const save = (honeypot: string) => ada.post(settings, { section: 'spam', spamDays: '30', honeypot })
    const honeypot = async () => (await ada.api.call('GET', settings)).body.honeypot
    expect((await ada.get(settings)).field('honeypot')).toMatchObject({ type: 'text', value: '_gotcha' })
    await server.submit(id, { name: 'Ada' })
    expect(await save(' "><b> ')).toMatchObject({ status: 303, location: `${settings}?saved=spam#notice` })
    expect(await honeypot()).toBe('"><b>')
    const { html, field } = await ada.get(settings)
    expect(field('honeypot')?.value).toBe('"><b>')
    expect(html).not.toContain('This form has had a field')
    await save('name')
    expect(await honeypot()).toBe('"><b>')
    await ada.post(settings, { section: 'spam', spamDays: '30', honeypot: 'name', confirm: 'honeypot' })
    expect((await ada.get(settings)).texts).toContain('This form has had a field name.')
    await ada.api.call('PATCH', settings, { honeypot: ' x ' })
    await save(' x ')
    expect(await honeypot()).toBe(' x ')
  })

  test('asks before a field that visitors fill in becomes the trap, since what they write would be lost', async () => {
    const { server, ada, id, settings } = await ownerWithForm()
    const save = (more: Record<string, string> = {}) =>
      ada.post(settings, { section: 'spam', spamDays: '7', honeypot: ' <b>message</b> ', ...more })
    const stored = async () => (await ada.api.call('GET', settings)).body
    await server.submit(id, { '<b>message</b>': 'Hello' })

    const asked = await save()
    expect(asked.status).toBe(200)
    expect(asked.heading).toBe('Use <b>message</b> as the trap field?')
    expect(asked.isolated).toContain('<b>message</b>')
    expect(asked.html).toContain('everything they send is held back as spam')
    expect(asked.hidden('spamDays')).toBe('7')
    expect(asked.button('Choose another')).toMatchObject({ formaction: `${settings}#honeypot`, name: 'back' })
    expect(await stored()).toMatchObject({ honeypot: '_gotcha', spamDays: 30 })
    const back = await save({ back: '' })
    expect(back.status).toBe(200)
    expect([back.field('honeypot')?.value, back.field('spamDays')?.value]).toEqual([' <b>message</b> ', '7'])
    expect(await stored()).toMatchObject({ honeypot: '_gotcha', spamDays: 30 })

    expect((await save({ confirm: 'honeypot' })).status).toBe(303)
    expect(await stored()).toMatchObject({ honeypot: '<b>message</b>', spamDays: 7 })
    // It was asked before.
    expect((await save()).status).toBe(303)
  })

  test('takes files, no longer, and again', async () => {
    const { ada, id, settings, stored, open, send } = await ownerWithForm()
    const isTicked = (page: { field: (name: string) => object | undefined }) =>
      'checked' in (page.field('acceptFiles') ?? {})
    const embed = async () => (await ada.get(`/forms/${id}/embed`)).text
    expect(isTicked(await ada.get(settings))).toBe(true)
    expect(await embed()).toContain('For files, the form needs enctype="multipart/form-data"')
    await send(await open('files'), { acceptFiles: null })
    expect(await stored()).toMatchObject({ open: true, acceptFiles: false })
    expect(isTicked(await ada.get(settings))).toBe(false)
    expect(await embed()).toContain('This form accepts no files.')
    const refused = await send(await open('files'), { acceptFiles: 'on', maxFiles: 'x' })
    expect(isTicked(refused)).toBe(true)
    await send(await open('files'), { acceptFiles: 'on' })
    expect(await stored()).toMatchObject({ open: true, acceptFiles: true })
  })

  test('shows the kinds of files of everyday use as ticks, and the others as text', async () => {
    const { stored, open, send } = await ownerWithForm()
    const chosen = ['image/*', '.doc .docx .odt .rtf', ' .EPUB, text/plain;.epub txt *.7z ']
    await send(await open('files'), { fileTypes: chosen })
    const shown = (await open('files')).getAll('fileTypes')
    expect(shown).toEqual(['image/*', '.doc .docx .odt .rtf', '.epub text/plain .txt .7z'])
    await send(await open('files'), { fileTypes: '' })
    expect((await stored()).fileTypes).toEqual([])
  })

  test('offers the languages of visitors by their own names, or that of their browser', async () => {
    const { ada, settings, stored, open, send } = await ownerWithForm()
    const { html } = await ada.get(settings)
    const [, select = ''] = /<select id="language"[^>]*>(.*?)<\/select>/s.exec(html) ?? []
    const options = [...select.matchAll(/value="(\w*)"(?: lang="(\w+)")?( selected)?>([^<]*)</g)].map(
      ([, ...one]) => one,
    )
    expect(options.map(([value]) => value)).toEqual(['', ...languages])
    expect(options.map(([, language]) => language ?? '')).toEqual(['', ...languages])
    expect(options.flatMap(([value, , selected]) => (selected ? [value] : []))).toEqual([''])
    const names = options.map(([, , , name]) => name)
    expect(names[0]).toBe('The visitor’s browser decides')
    for (const name of ['Deutsch', 'Français', 'العربية', '日本語']) expect(names).toContain(name)
    await send(await open('general'), { language: 'ar' })
    expect((await stored()).language).toBe('ar')
    expect((await open('general')).get('language')).toBe('ar')
    await send(await open('general'), { language: '' })
    expect((await stored()).language).toBeNull()
  })

  test('changes no kinds of files where no one touched them, in whatever order they are stored', async () => {
    const { ada, settings, stored, open, send } = await ownerWithForm()
    const fileTypes = ['.stl', '.zip', 'application/pdf', '.docx', 'image/*']
    await ada.api.call('PATCH', settings, { fileTypes, maxFileBytes: 1_234_567 })
    const opened = await open('files')
    expect([opened.getAll('fileTypes').at(-1), opened.get('maxFileBytes')]).toEqual(['.stl .docx', '1234567 bytes'])
    await send(opened, { maxFiles: '1' })
    expect(await stored()).toMatchObject({ fileTypes, maxFileBytes: 1_234_567, maxFiles: 1 })
    // A page from before an update has none of these fields.
    await ada.post(settings, { section: 'files', maxFiles: '2' })
    expect(await stored()).toMatchObject({ fileTypes, maxFiles: 2 })
  })

  test('keeps the ticks of kinds of files beside one that is wrong', async () => {
    const { ada, settings, open, send } = await ownerWithForm()
    const refused = await send(await open('files'), { fileTypes: ['image/*', 'photos'] })
    const left = await openSection({ ...ada, get: async () => refused }, settings, 'files')
    expect(left.getAll('fileTypes')).toEqual(['image/*', 'photos'])
  })

  test('says how many submissions from one address the server takes', async () => {
    const { ada, settings } = await ownerWithForm({}, otherServer)
    expect((await ada.get(settings)).html).toContain(
      'Up to 60 from one IP address, which people in one network may share. Leave empty for 60.</p>',
    )
  })

  test('keeps a limit above one that the operator has lowered since, until it is changed', async () => {
    const { server, ada, id, settings, stored, open, send } = await ownerWithForm({}, otherServer)
    storeSettings(server, id, { submitLimit: 80 })
    expect((await ada.get(settings)).html).toContain('name="submitLimit" type="text" value="80"')
    expect((await send(await open('collecting'), { retentionDays: '5' })).status).toBe(303)
    expect(await stored()).toMatchObject({ submitLimit: 80, retentionDays: 5 })
    expect((await send(await open('collecting'), { submitLimit: '79' })).status).toBe(400)
    expect(await stored()).toMatchObject({ submitLimit: 80 })
  })

  test('has any number up to a million where the server has no limit', async () => {
    const { ada, settings } = await ownerWithForm()
    expect((await ada.get(settings)).html).toContain('Leave empty for any number.</p>')
    expect((await ada.post(settings, { section: 'collecting', submitLimit: '1000001' })).html).toContain(
      'Must be a whole number from 1 to 1000000, or empty.',
    )
    expect((await ada.post(settings, { section: 'collecting', submitLimit: '1000000' })).status).toBe(303)
  })

  test('says what is missing where the server sends no mail, and takes no address', async () => {
    const { ada, settings } = await ownerWithForm()
    const { html } = await ada.get(settings)
    expect(html).toContain(
      'set <code>FORMBOX_URL</code>, <code>FORMBOX_MAIL_URL</code> and <code>FORMBOX_MAIL_FROM</code>',
    )
    expect(html).not.toContain('name="notify"')
    const refused = await ada.post(settings, { section: 'notifications', notify: 'ada@example.com' })
    expect(refused.status).toBe(400)
    expect(refused.html).toContain(
      'id="notify-error">Must be empty: this server sends no email, because FORMBOX_URL, FORMBOX_MAIL_URL',
    )
    expect((await ada.api.call('GET', settings)).body.notify).toEqual([])
  })

  test('refuses more new addresses than a user may add in a day, and leads to what was sent', async () => {
    const { server, ada, settings } = await ownerWithForm({ notify: ['ada@example.com'] }, otherServer)
    expect((await ada.get(settings)).link('See what was sent')).toBe(settings.replace('settings', 'deliveries'))
    writeTo(server.folder, ({ $client }) => {
      const told = $client.query('INSERT INTO addresses (hash, told_at, told_by) VALUES (?, ?, ?)')
      for (let i = 0; i < 50; i++) told.run(`${i}@example.org`, Date.now(), ada.api.id)
    })
    const typed = { section: 'notifications', notify: 'new@example.com' }
    const { status, html, problem } = await ada.post(settings, typed, { origin: 'http://forms.example.com' })
    expect(status).toBe(400)
    expect(problem('notify')).toMatch(/^Must not have new addresses before [-\d]{10} [\d:]{5} UTC: /)
    expect(html).toMatch(/<textarea id="notify"[^>]* autofocus/)
    expect(html).toContain('>\nnew@example.com</textarea>')
    expect((await ada.api.call('GET', settings)).body.notify).toEqual(['ada@example.com'])
  })

  test('marks the fields that must be filled in, and not the many others', async () => {
    const { ada, settings } = await ownerWithForm({}, otherServer)
    for (const path of [settings, settings.replace('settings', 'webhooks/new')]) {
      const { html } = await ada.get(path, { origin: 'http://forms.example.com' })
      const required = [...html.matchAll(/<(?:input|textarea) id="([^"]+)"[^>]* required/g)].map(([, id]) => id)
      const marked = [...html.matchAll(/<label for="([^"]+)">[^\n]*>required<\/span>/g)].map(([, id]) => id)
      // A text to type is no question.
      expect(marked).toEqual(required.filter((id) => id !== 'confirm'))
      expect(marked.length).toBeGreaterThan(0)
      expect(html).not.toContain('>optional<')
    }
  })

  test('asks for addresses that get their mails in the same way together, and saves none that no one changed', async () => {
    const { ada, settings, open, send: sendTo } = await ownerWithForm({}, otherServer)
    const notify = async () => (await ada.api.call('GET', settings)).body.notify
    const only = { field: '<b>', equals: 'a"\\b' }
    const mixed = ['a@example.com', { address: 'b@example.com', only, digest: 'day' }, 'c@example.com']
    await ada.api.call('PATCH', settings, { notify: mixed, timeZone: 'Asia/Kathmandu' })
    const opened = await open('notifications')
    expect(opened.getAll('notify')).toEqual(['a@example.com\r\nc@example.com', 'b@example.com', ''])
    expect(opened.getAll('notify-when')).toEqual(['', 'day', ''])
    expect(opened.getAll('notify-field')).toEqual(['', '<b>', ''])
    const send = (typed: Parameters<typeof sendTo>[1]) => sendTo(opened, typed)
    expect((await send({})).status).toBe(303)
    expect(await notify()).toEqual(mixed)
    expect((await send({ notify: ['a@example.com', 'b@example.com', 'd@example.com'] })).status).toBe(303)
    expect(await notify()).toEqual([
      'a@example.com',
      'd@example.com',
      { address: 'b@example.com', only, digest: 'day' },
    ])
    // The page was opened before that.
    expect((await send({ notify: ['a@example.com', '', ''] })).html).toContain('was changed elsewhere')
    expect((await ada.get(settings)).isolated).toContain('Asia/Kathmandu')
  })

  test.each<[string, string, Record<string, string | string[]>, string]>([
    [
      'notify',
      'half a condition',
      { notify: 'a@b', 'notify-field': 'topic' },
      'Must have both a field and its value, each of 1 to',
    ],
    [
      'notify',
      'a long value',
      { notify: 'a@b', 'notify-equals': 'x'.repeat(256), 'notify-field': 'x' },
      'Must have both a field and its value',
    ],
    [
      'notify',
      'an address that is there twice',
      { notify: ['a@b', 'A@b'], 'notify-when': ['', 'day'] },
      'Must have each address once; got A@b twice',
    ],
  ])('says at %s what is wrong with %s', async (name, _what, typed, message) => {
    const { stored, open, send } = await ownerWithForm({}, otherServer)
    const sent = await send(await open('notifications'), typed)
    expect(sent.status).toBe(400)
    expect(sent.html).toContain(`id="${name}-error">${message}`)
    expect(await stored()).toMatchObject({ notify: [], timeZone: 'UTC' })
    // What was typed is still there.
    for (const value of Object.values(typed).flat().filter(Boolean)) expect(sent.html).toContain(value)
  })

  test('refuses what the API refuses, and takes what it takes', async () => {
    const { ada, path, settings } = await ownerWithForm()
    const titles = ['x', '🦊'.repeat(255), '🦊'.repeat(256), 'x'.repeat(256), '\u3000', 'a\0']
    const urls = [
      'http://a',
      'https://example.com/ä?b#c',
      `https://a/${'x'.repeat(2039)}`,
      'ftp://a',
      'http://',
      'http://a b',
    ]
    for (const fields of [
      ...titles.map((title) => ({ title })),
      ...['y'.repeat(1000), 'y'.repeat(1001)].map((description) => ({ description })),
      ...urls.map((returnUrl) => ({ returnUrl })),
    ]) {
      const { status } = await ada.api.call('PATCH', path, fields)
      const page = await ada.post(settings, { title: 'Contact', ...fields })
      expect(page.status, JSON.stringify(fields).slice(0, 60)).toBe(status === 200 ? 303 : 400)
    }
  })
})

test('refuses a page of settings that is larger than any', async () => {
  const { ada, settings } = await ownerWithForm()
  expect((await ada.post(settings, { section: 'spam', blockedTerms: 'x'.repeat(512 * 1024) })).status).toBe(413)
})

describe('settings that were changed elsewhere after the page was opened', () => {
  test('keep that change, if it was in another field', async () => {
    const { ada, form, stored, settings, open, send } = await ownerWithForm({ description: 'Old' })
    const [general, collecting] = [await open('general'), await open('collecting')]
    await ada.api.call('PATCH', settings, {
      thankYou: 'Merci',
      acceptFiles: false,
      allowedOrigins: ['https://a.example'],
    })
    await ada.api.call('PATCH', settings.replace('/settings', ''), { description: 'New' })

    expect((await send(general, { title: 'Renamed' })).status).toBe(303)
    expect(await form()).toMatchObject({ title: 'Renamed', description: 'New' })
    expect((await send(collecting, { retentionDays: '9', submitLimit: '5' })).status).toBe(303)
    expect(await stored()).toMatchObject({
      thankYou: 'Merci',
      acceptFiles: false,
      allowedOrigins: ['https://a.example'],
      retentionDays: 9,
      submitLimit: 5,
    })
  })

  test('are not overwritten without notice, but when they are saved again', async () => {
    const { ada, stored, settings, open, send } = await ownerWithForm()
    await ada.api.call('PATCH', settings, { blockedTerms: ['casino'] })
    const spam = await open('spam')
    await ada.api.call('PATCH', settings, { blockedTerms: ['casino', 'lottery'], maxLinks: 9 })

    const refused = await send(spam, { blockedTerms: 'casino\r\npoker', spamDays: '7' })
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('role="alert">Not saved. Look at <a href="#blockedTerms">Blocked terms</a>.')
    expect(refused.html).toContain('id="blockedTerms-error">This was changed elsewhere after you opened the page;')
    expect(refused.html).toContain('>\ncasino\npoker</textarea>')
    // A setting that no one typed is shown with its present value.
    expect(refused.html).toMatch(/id="maxLinks"[^>]* value="9"/)
    expect(await stored()).toMatchObject({ blockedTerms: ['casino', 'lottery'], spamDays: 30 })

    const again = await openSection({ ...ada, get: async () => refused }, settings, 'spam')
    expect((await send(again)).status).toBe(303)
    expect(await stored()).toMatchObject({ blockedTerms: ['casino', 'poker'], maxLinks: 9, spamDays: 7 })
  })

  test('are saved without a word if both changes are the same', async () => {
    const { ada, stored, settings, open, send } = await ownerWithForm()
    const collecting = await open('collecting')
    await ada.api.call('PATCH', settings, { open: false, retentionDays: 30 })
    expect((await send(collecting, { open: null, retentionDays: '30' })).status).toBe(303)
    expect(await stored()).toMatchObject({ open: false, retentionDays: 30 })
  })
})

describe('edits in several sections', () => {
  const openAll = async (open: (section: string) => Promise<URLSearchParams>) =>
    new URLSearchParams(
      (await Promise.all(['general', 'opening', 'collecting', 'files', 'spam', 'notifications'].map(open))).flatMap(
        (all) => [...all],
      ),
    )

  test('are saved one section at a time, and the others stay on the page as they were typed', async () => {
    const { ada, stored, form, settings, open, send } = await ownerWithForm()
    const all = await openAll(open)
    const typed = { title: ' New ', thankYou: 'Merci', maxLinks: 'many', open: null, section: 'general' }
    const saved = await send(all, typed)
    expect(saved.status).toBe(200)
    expect(saved.html).toContain('role="status">Saved.</p>')
    const links = '<a href="#opening">Open and closed</a>, <a href="#spam">Spam</a>.'
    expect(saved.html).toContain(`role="alert">Not saved yet: ${links}`)
    expect(saved.html).toContain('data-edits="unsaved"')
    expect((await form()).title).toBe('New')
    expect(await stored()).toMatchObject({ thankYou: 'Merci', maxLinks: null, open: true })

    const page = { ...ada, get: async () => saved }
    const left = await openAll((section) => openSection(page, settings, section))
    expect(left.get('title')).toBe('New')
    expect(left.get('maxLinks')).toBe('many')
    expect(left.has('open')).toBe(false)
    const wrong = await send(left, { section: 'spam' })
    expect(wrong.status).toBe(400)
    expect(wrong.html).toContain('role="alert">Not saved. Look at <a href="#maxLinks">')
    expect((await send(left, { section: 'spam', maxLinks: '3' })).html).toContain(
      'Not saved yet: <a href="#opening">Open and closed</a>.',
    )
    const last = await send(left, { section: 'opening', maxLinks: '3' })
    expect(last).toMatchObject({ status: 303, location: `${settings}?saved=opening#notice` })
    expect(await stored()).toMatchObject({ thankYou: 'Merci', maxLinks: 3, open: false })
  })

  test('are saved by Enter, which presses no button, in the section that was changed', async () => {
    const { stored, settings, open, send } = await ownerWithForm()
    const all = await openAll(open)
    const sent = await send(all, { maxLinks: '3', section: null })
    expect(sent).toMatchObject({ status: 303, location: `${settings}?saved=spam#notice` })
    expect(await stored()).toMatchObject({ maxLinks: 3 })
  })

  test('are kept while a question about one of them is answered', async () => {
    const { server, ada, id, stored, settings, open, send } = await ownerWithForm()
    await server.submit(id, { message: 'Hello' })
    const asked = await send(await openAll(open), { honeypot: 'message', thankYou: 'Merci', section: 'spam' })
    expect(asked.html).toContain('as the trap field?</h1>')
    const inputs = [...asked.html.matchAll(/<input type="hidden" name="([\w-]+)" value="([^"]*)">/g)]
    const hidden = inputs.map(([, name = '', value = '']): [string, string] => [name, value])
    const confirmed = await ada.post(settings, [...hidden, ['confirm', 'honeypot']])
    expect(confirmed.html).toContain('Not saved yet: <a href="#general">General</a>.')
    expect(confirmed.html).toContain('>\nMerci</textarea>')
    expect(await stored()).toMatchObject({ honeypot: 'message', thankYou: null })
  })
})

test('what a browser cannot send back as it is stored is not a change', async () => {
  const { stored, form, settings, ada, open, send } = await ownerWithForm({
    title: ' Two\nlines ',
    description: 'a\rb\r\nc',
  })
  await ada.api.call('PATCH', settings, { thankYou: ' a\rb\r\n', honeypot: ' x ', columns: [' y', 'y'] })
  const before = [await form(), await stored()]
  const general = new Map([...(await open('general'))].map(([name, text]) => [name, asBrowserSends(name, text)]))
  expect((await send(general, { returnUrl: 'https://example.com/' })).status).toBe(303)
  expect((await send(await open('spam'), { maxLinks: '' })).status).toBe(303)
  expect([{ ...(await form()), returnUrl: null, updatedAt: null }, await stored()]).toEqual(before)
})

/** A line without line breaks, or several lines that end with two characters each. */
const asBrowserSends = (name: string, text: string): string =>
  name === 'title' ? text.replaceAll('\n', '') : text.replaceAll(/\r\n?|\n/g, '\r\n')

test('a page from before an update, without a setting that there is now, does not change it', async () => {
  const { stored, open, send } = await ownerWithForm()
  const collecting = await open('collecting')
  const old = new Map([...collecting].filter(([name]) => !/acceptFiles|submitLimit/.test(name)))
  expect((await send(old, { retentionDays: '30' })).status).toBe(303)
  expect(await stored()).toMatchObject({ acceptFiles: true, submitLimit: null, retentionDays: 30 })
})

describe('/forms/:formId/duplicate', () => {
  test('makes a copy and leads to its settings', async () => {
    const { ada, path, form } = await ownerWithForm({ description: 'Mine', returnUrl: 'https://example.com/' })
    const { status, location } = await ada.post(`${path}/duplicate`)
    expect(status).toBe(303)
    const copy = /^\/forms\/(\w{28})\/settings\?done=duplicated#notice$/.exec(location ?? '')?.[1]
    const { title, description, returnUrl } = await form()
    expect((await ada.api.call('GET', `/forms/${copy}`)).body).toMatchObject({ title, description, returnUrl })
    expect((await ada.get(location ?? '')).html).toContain('This is the copy.')
  })
})

describe('/forms/:formId/delete', () => {
  test.each([
    ['Contact', 'Contact'],
    ['Contact', ' Contact '],
    ['Two\nlines  here', 'Two lines here'],
    ['نموذج 🦊', 'نموذج 🦊'],
  ])('deletes the form %j when %j is typed', async (title, confirm) => {
    const { ada, path } = await ownerWithForm({ title })
    expect(await ada.post(`${path}/delete`, { confirm })).toMatchObject({
      status: 303,
      location: '/forms?done=deleted#notice',
    })
    expect((await ada.api.call('GET', path)).status).toBe(404)
    expect((await ada.get(`${path}/settings`)).status).toBe(404)
  })

  test('says what goes with it, spam too', async () => {
    const { server, ada, id, settings } = await ownerWithForm()
    const said = async () => /<p class="small">(.*?) This can’t be undone/.exec((await ada.get(settings)).html)?.[1]
    expect(await said()).toBe('It has no submissions.')
    await server.submit(id, { a: 1, _gotcha: 'x' })
    expect(await said()).toBe('Its 1 piece of spam goes with it.')
    await server.submit(id, { a: 2 })
    expect(await said()).toBe('Its 1 submission and 1 piece of spam go with it.')
    await server.submit(id, { a: 3 })
    await server.submit(id, { a: 4, _gotcha: 'x' })
    expect(await said()).toBe('Its 2 submissions and 2 pieces of spam go with it.')
  })

  test.each([{}, { confirm: '' }, { confirm: 'contact' }, { confirm: 'Contact form' }])(
    'keeps the form when its title was not typed: %j',
    async (fields) => {
      const { server, ada, id, path, form } = await ownerWithForm()
      await server.submit(id, { name: 'Grace' })
      const { status, html } = await ada.post(`${path}/delete`, fields as Record<string, string>)
      expect(status).toBe(400)
      expect(html).toContain('id="confirm-error">This is not the title of the form.')
      expect(html).toContain(`name="confirm" type="text" value="${fields.confirm ?? ''}"`)
      expect(html).toContain('Its 1 submission goes with it.')
      expect((await form()).submissionCount).toBe(1)
    },
  )
})

describe('the days to keep submissions', () => {
  const prepare = async () => {
    const found = await ownerWithForm({ title: 'Old <letters>' })
    const save = (retentionDays: string, more: Record<string, string> = {}) =>
      found.ada.post(found.settings, { section: 'collecting', open: 'on', retentionDays, ...more })
    const stored = async () => (await found.ada.api.call('GET', found.settings)).body.retentionDays
    return { ...found, save, stored }
  }
  const day = 86_400_000

  test('are saved at once where nothing is so old, and emptied', async () => {
    const { ada, server, id, settings, save, stored } = await prepare()
    await server.submit(id, { a: 1 })
    expect(await stored()).toBeNull()
    expect((await save(' 30 ')).location).toBe(`${settings}?saved=collecting#notice`)
    expect(await stored()).toBe(30)
    expect((await ada.get(settings)).html).toMatch(/id="retentionDays"[^>]* value="30"/)
    await save('')
    expect(await stored()).toBeNull()
    await save('3650')
    // A form without the field does not change it.
    await ada.post(settings, { section: 'collecting', open: 'on' })
    expect(await stored()).toBe(3650)
  })

  test('ask first, with the number of submissions that they delete', async () => {
    const { ada, server, id, settings, save, stored } = await prepare()
    const { submit } = openData(server.folder)
    const now = Date.now()
    submit(id, [...Array.from({ length: 1234 }, (_, i) => now - 40 * day - i), now - 20 * day, now])

    const asked = await save('30')
    expect(asked.status).toBe(200)
    expect(asked.heading).toBe('Delete 1,234 submissions?')
    expect(asked.html).toContain('1,234 of 1,236 are older than 30 days.')
    expect(asked.isolated).toContain('Old <letters>')
    expect(asked.hidden('retentionDays')).toBe('30')
    expect(await stored()).toBeNull()

    await save('30', { confirm: 'retentionDays' })
    expect(await stored()).toBe(30)
    // Longer than before, or as long: it deletes nothing that is not deleted anyway.
    expect((await save('35')).status).toBe(303)
    expect((await save('35')).status).toBe(303)
    expect((await save('10')).heading).toBe('Delete 1,235 submissions?')
    expect((await ada.get(settings)).html).toMatch(/id="retentionDays"[^>]* value="35"/)
  })
})

describe('the page of a form', () => {
  const fields = [{ name: 'name' }]

  test('is turned on, written and turned off in its section', async () => {
    const { ada, path, change, settings } = await siteWorld({ form: { fields } })
    await change({ allowedOrigins: ['https://example.com'] })
    const page = `${path}/settings`
    const send = async (typed: Record<string, string | null>) =>
      sendSection(ada, page, await openSection(ada, page, 'page'), typed)
    const text = ' One\r\n\r\ntwo '
    expect((await send({ 'page-on': 'on', 'page-text': text, 'page-frame': 'on' })).status).toBe(303)
    expect((await settings()).page).toEqual({ title: null, text: 'One\n\ntwo', button: null, frame: true })
    expect((await ada.get(page)).html).toContain('>See the page</a>')
    expect((await send({ 'page-button': 'Join', 'page-frame': null })).status).toBe(303)
    expect((await settings()).page).toEqual({ title: null, text: 'One\n\ntwo', button: 'Join', frame: false })
    expect((await send({ 'page-on': null })).status).toBe(303)
    expect((await settings()).page).toBeNull()
  })

  test('says what is wrong, and keeps what was typed', async () => {
    const { ada, path, settings } = await siteWorld({ form: { fields } })
    const page = `${path}/settings`
    for (const [typed, input, must] of [
      [{ 'page-button': 'x'.repeat(41) }, 'page-button', 'Must be at most 40 characters; got 41.'],
      [{ 'page-text': 'x'.repeat(2001) }, 'page-text', 'Must be at most 2000 characters; got 2001.'],
      [{ 'page-button': 'PIN' }, 'page-on', 'Must not ask for “pin”: a page of Formbox asks for no passwords'],
      [{ 'page-frame': 'on' }, 'page-on', 'Must not be framed while every page may send'],
    ] as const) {
      const refusal = await sendSection(ada, page, await openSection(ada, page, 'page'), { 'page-on': 'on', ...typed })
      expect(refusal.status).toBe(400)
      expect(refusal.problem(input)).toContain(must)
      expect(refusal.field(input)).toMatchObject({ 'aria-invalid': 'true' })
      expect(refusal.field(input)).toHaveProperty('autofocus')
      for (const [name, value] of Object.entries(typed))
        if (value !== 'on') expect(refusal.field(name)?.value).toBe(value)
    }
    expect((await settings()).page).toBeNull()
  })

  test('needs fields, and an operator who wants pages', async () => {
    const without = await siteWorld()
    expect((await without.ada.get(`${without.path}/settings`)).html).toContain(
      'First add <a href="#checks">the fields</a>',
    )
    const off = await siteWorld({ form: { fields }, environment: otherServer })
    const { html } = await off.ada.get(`${off.path}/settings`)
    expect(html).toContain('does not allow pages of forms')
    expect(html).not.toContain('name="page-on"')
    expect((await off.ada.get(`${off.path}/embed`)).html).not.toContain('Without a website')
  })
})
