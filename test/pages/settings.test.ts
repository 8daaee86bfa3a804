import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { languages } from '../../src/languages/languages.ts'
import { forms } from '../../src/storage/tables.ts'
import { type Server, writeTo } from '../harness.ts'
import { readPage } from '../read-page.ts'
import { openData } from '../storage/data.ts'
import { siteWorld } from '../world.ts'
import { openSettings, sendSettings } from './settings-form.ts'

const ownerWithForm = async (fields: object = {}, environment: Readonly<Record<string, string>> = {}) => {
  const { server, ada, formId: id } = await siteWorld({ environment, form: fields })
  const path = `/forms/${id}`
  const settings = `${path}/settings`
  const form = async () => (await ada.api.call('GET', path)).body
  const stored = async () => (await ada.api.call('GET', settings)).body
  const visitors = `${settings}/visitors`
  const spam = `${settings}/spam`
  const open = (page: string) => openSettings(ada, page)
  const send = (
    page: string,
    opened: Parameters<typeof sendSettings>[2],
    typed: Parameters<typeof sendSettings>[3] = {},
  ) => sendSettings(ada, page, opened, typed, { origin: environment.FORMBOX_URL ?? server.url })
  /** Sends a page as it is, but for what is typed. */
  const save = async (page: string, typed: Parameters<typeof sendSettings>[3] = {}) =>
    send(page, await open(page), typed)
  return { server, ada, id, path, form, settings, visitors, spam, stored, open, send, save }
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
    const people = `${settings}/people`
    expect((await ada.get(people)).text).toContain('Nothing yet.')
    await ada.api.call('POST', `${path}/sheets`, {})
    await ada.api.call('POST', `/forms/${id}/members`, { email: 'b@example.com', role: 'reader' })
    const [, section = ''] = /id="trail"([\s\S]*?)<\/section>/.exec((await ada.get(people)).html) ?? []
    expect(section).toContain('shared the form with <bdi>b@example.com</bdi> as Reader')
    expect(section).toContain('changed the live spreadsheets: a new one')
    expect(readPage(section).isolated).toContain(ada.email)
  })

  test('says the five newest deeds at first, and all of them on demand', async () => {
    const { ada, id, settings } = await ownerWithForm()
    const path = `/forms/${id}`
    const people = `${settings}/people`
    const deeds = async (page = people) =>
      /id="trail"[\s\S]*?<\/section>/.exec((await ada.get(page)).html)?.[0].match(/<li/g)?.length
    expect((await ada.get(people)).link('All activity')).toBe(undefined)
    for (const name of 'abcdef')
      await ada.api.call('POST', `${path}/members`, { email: `${name}@example.com`, role: 'reader' })
    const { trail } = (await ada.api.call('GET', `${path}/trail`)).body
    const all = (await ada.get(people)).link('All activity')
    expect(all).toBe(`${people}?activity=all#trail`)
    expect([await deeds(), await deeds(all)]).toEqual([5, trail.length])
    expect((await ada.get(`${people}?activity=all`)).link('All activity')).toBe(undefined)
  })

  test('is a page of at most 35 KiB with 50 people', async () => {
    const { server, ada, id, path, settings } = await ownerWithForm()
    await ada.api.call('POST', `${path}/members`, { email: 'first.of.them@bakery.example', role: 'reader' })
    writeTo(server.folder, (db) =>
      db.$client.run(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 49)
         INSERT INTO members (id, form, email, role, invite_hash, invite_ends_at)
         SELECT id || i, form, i || email, role, invite_hash || i, invite_ends_at FROM members, n
         WHERE form = (SELECT number FROM forms WHERE id = ?)`,
        [id],
      ),
    )
    const seen = new Set<string>()
    for (let next: string | undefined = `${settings}/people`, pages = 0; next !== undefined; pages++) {
      expect(pages).toBeLessThan(3)
      const page = await ada.get(next)
      expect(Buffer.byteLength(page.html)).toBeLessThanOrEqual(35 * 1024)
      for (const [email] of page.html.matchAll(/[\w.]+@bakery\.example(?=<\/bdi><\/strong>)/g)) seen.add(email)
      next = page.link(pages === 0 ? '30 more people' : '10 more people')
    }
    expect(seen.size).toBe(50)
    expect((await ada.get(`${settings}/people?from=40`)).link('40 before')).toBe(`${settings}/people?from=20#people`)
  })

  test('says that a file describes the form, once one was applied to it', async () => {
    const { server, ada, id, settings } = await ownerWithForm()
    const hint = 'A file describes this form, as contact.'
    expect((await ada.get(settings)).html).not.toContain('A file describes this form')
    writeTo(server.folder, (db) => db.update(forms).set({ name: 'contact' }).where(eq(forms.id, id)).run())
    expect((await ada.get(settings)).text).toContain(hint)
  })

  test('shows the form, with what its owner wrote as text', async () => {
    const { ada, visitors } = await ownerWithForm({
      title: '<script>alert(1)</script> & "more"',
      description: '\n</textarea><b>two\nlines',
      returnUrl: 'https://example.com/?a="b"&c',
    })
    const { status, html, isolated, field, current } = await ada.get(visitors)
    expect(status).toBe(200)
    expect(isolated).toContain('<script>alert(1)</script> & "more"')
    expect(html).toContain('>\n\n&lt;/textarea&gt;&lt;b&gt;two\nlines</textarea>')
    expect(field('returnUrl')?.value).toBe('https://example.com/?a="b"&c')
    expect(current).toContain('Settings')
    expect(html).not.toContain('<script>')
  })

  test('says in the rail what is set, and calls each page by its name', async () => {
    const { ada, settings, path } = await ownerWithForm()
    const rail = async (page = '') =>
      [
        ...(await ada.get(`${settings}${page}`)).html.matchAll(/<a href="[^"]*"[^>]*><span>(.*?)<\/span>(.*?)<\/a>/g),
      ].map(([, name, sum = '']) => [name, sum.replaceAll(/<.*?>/g, '')])
    expect(await rail()).toEqual([
      ['Get told', 'Nobody yet'],
      ['Visitors', 'Open · every site · files'],
      ['Spam', 'Light'],
      ['People and data', 'Only you · kept for ever'],
      ['Move or delete', ''],
      ['Guide', 'email notifications'],
    ])
    for (const email of ['grace@example.com', 'alan@example.com'])
      expect((await ada.api.call('POST', `${path}/members`, { email, role: 'reader' })).status).toBe(200)
    await ada.api.call('POST', `${path}/webhooks`, { url: 'https://example.com/<b>', description: '<b>Calendar' })
    await ada.api.call('PATCH', settings, {
      ...{ open: false, allowedOrigins: ['https://example.com'], acceptFiles: false, retentionDays: 1000 },
      ...{ challenge: true, blockedTerms: ['ab', 'cd'], maxLinks: 1, spamDays: 1 },
    })
    const guides = { '': 'email notifications', '/visitors': 'collecting', '/spam': 'spam', '/people': 'accounts' }
    for (const [page, guide] of Object.entries({ ...guides, '/danger': 'deleting' }))
      expect(await rail(page)).toEqual([
        ['Get told', '1 place'],
        ['Visitors', 'Closed · 1 site · no files'],
        ['Spam', 'Own · 2 words'],
        ['People and data', '3 people · kept 1000 days'],
        ['Move or delete', ''],
        ['Guide', guide],
      ])
    const titles = ['Get told', 'Visitors', 'Spam', 'People and data', 'Move or delete']
    for (const [i, page] of ['', '/visitors', '/spam', '/people', '/danger'].entries())
      expect((await ada.get(`${settings}${page}`)).title).toBe(`${titles[i]} · Contact · Formbox`)
  })

  test('asks for every setting on some page of the form', async () => {
    const { server, ada, id, path, settings, stored } = await ownerWithForm(
      { fields: [{ name: 'name' }] },
      { ...otherServer, FORMBOX_FORM_PAGES: 'true' },
    )
    await server.submit(id, { name: 'Grace' })
    const below = ['', '/visitors', '/spam', '/people']
    const pages = [...below.map((page) => `${settings}${page}`), `${path}?choose=columns`]
    const html = (await Promise.all(pages.map(async (page) => (await ada.get(page)).html))).join()
    const isAsked = (name: string) => html.includes(` name="${name}"`)
    // Addresses are rows of the page, and fields of the tab “Form”, which has the page of the form too (form-tab.test.ts). The
    // sender is asked for only where the operator offers some. A question of a page has an input “confirm”.
    const others = ['notify', 'fields', 'otherFields', 'page', 'sender', 'confirm']
    expect(Object.keys(await stored()).filter((name) => !isAsked(name))).toEqual(others)
  })

  test('names each check box by its label, and describes it by its hint', async () => {
    const { ada, settings } = await ownerWithForm()
    for (const [page, name, label] of [
      ['/visitors', 'acceptFiles', 'Visitors may send files'],
      ['/spam', 'challenge', 'Let browsers work before they send'],
    ]) {
      const { html, field } = await ada.get(`${settings}${page}`)
      const { type, ...named } = field(name as string) ?? {}
      expect([type, textOf(html, named['aria-labelledby'])]).toEqual(['checkbox', label as string])
      expect(textOf(html, named['aria-describedby'])).not.toBe('')
    }
  })

  test.each(['', '/visitors', '/spam', '/people'])('says at the top of %s that it was saved', async (page) => {
    const { ada, settings } = await ownerWithForm()
    const { html } = await ada.get(`${settings}${page}?saved=yes`)
    expect(html).toContain('<p class="notice done" id="notice" tabindex="-1" role="status">Saved.</p>')
  })

  test('saves what was typed, and empties what was emptied', async () => {
    const { ada, form, visitors } = await ownerWithForm()
    const typed = { title: ' Newsletter ', description: 'One\r\ntwo', returnUrl: 'https://example.com/thanks' }
    expect(await ada.post(visitors, typed)).toMatchObject({ status: 303, location: `${visitors}?saved=yes#notice` })
    expect(await form()).toMatchObject({ ...typed, title: 'Newsletter', description: 'One\ntwo' })
    await ada.post(visitors, { title: 'Newsletter', description: ' ', returnUrl: '' })
    expect(await form()).toMatchObject({ title: 'Newsletter', description: null, returnUrl: null })
  })

  test('changes nothing where nothing was changed, not even what a browser cannot send back', async () => {
    const { ada, form, visitors } = await ownerWithForm({ title: ' Two\nlines ', description: 'a\r\nb' })
    const before = await form()
    await ada.post(visitors, { title: ' Twolines ', description: 'a\r\nb', returnUrl: '' })
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
    const { status, html } = await ada.post(`${settings}/visitors`, typed)
    expect(status).toBe(400)
    expect(readPage(html).title).toBe('Error: Visitors · Contact · Formbox')
    expect(html).toContain(`role="alert">Not saved. Look at <a href="#${name}">`)
    expect(html).toContain(`id="${name}-error">${message}`)
    for (const [field, value] of Object.entries(typed)) if (field !== name) expect(html).toContain(value)
    expect(await form()).toEqual(before)
  })

  test('opens and closes the form, and leaves the other settings and the form itself alone', async () => {
    const { ada, form, settings, open, visitors, save } = await ownerWithForm()
    await ada.api.call('PATCH', settings, { columns: ['a'] })
    const before = await form()
    const isTicked = async () => (await open(visitors)).get('open') === 'on'
    expect(await isTicked()).toBe(true)
    const closing = await save(visitors, { open: '' })
    expect(closing).toMatchObject({ status: 303, location: `${visitors}?saved=yes#notice` })
    expect((await ada.api.call('GET', settings)).body).toMatchObject({ open: false, columns: ['a'] })
    expect(await isTicked()).toBe(false)
    await save(visitors, { open: 'on' })
    expect((await ada.api.call('GET', settings)).body).toMatchObject({ open: true, columns: ['a'] })
    expect(await form()).toEqual(before)
  })

  test('refuses to close before it opens', async () => {
    const { ada, settings, stored, visitors, save } = await ownerWithForm()
    await ada.api.call('PATCH', settings, { opensAt: '2026-12-01T08:00Z' })
    const { status, problem } = await save(visitors, { open: 'dates', closesAt: '2026-12-01T08:00' })
    const said = 'Must be later than when the form opens (opensAt), 2026-12-01T08:00:00.000Z.'
    expect([status, problem('closesAt')]).toEqual([400, said])
    expect(await stored()).toMatchObject({ closesAt: null })
  })

  test('saves the name of the trap field, and says if visitors may still see a field of that name', async () => {
    const { server, ada, id, settings, spam } = await ownerWithForm()
    const save = (honeypot: string) => ada.post(spam, { spamDays: '30', honeypot })
    const honeypot = async () => (await ada.api.call('GET', settings)).body.honeypot
    expect((await ada.get(spam)).field('honeypot')).toMatchObject({ type: 'text', value: '_gotcha' })
    await server.submit(id, { name: 'Ada' })
    expect(await save(' "><b> ')).toMatchObject({ status: 303, location: `${spam}?saved=yes#notice` })
    expect(await honeypot()).toBe('"><b>')
    const { html, field } = await ada.get(spam)
    expect(field('honeypot')?.value).toBe('"><b>')
    expect(html).not.toContain('This form has had a field')
    await save('name')
    expect(await honeypot()).toBe('"><b>')
    await ada.post(spam, { spamDays: '30', honeypot: 'name', confirm: 'honeypot' })
    expect((await ada.get(spam)).texts).toContain('This form has had a field name.')
    await ada.api.call('PATCH', settings, { honeypot: ' x ' })
    await save(' x ')
    expect(await honeypot()).toBe(' x ')
  })

  test('asks before a field that visitors fill in becomes the trap, since what they write would be lost', async () => {
    const { server, ada, id, settings, spam } = await ownerWithForm()
    const save = (more: Record<string, string> = {}) =>
      ada.post(spam, { spamDays: '7', honeypot: ' <b>message</b> ', ...more })
    const stored = async () => (await ada.api.call('GET', settings)).body
    await server.submit(id, { '<b>message</b>': 'Hello' })

    const asked = await save()
    expect(asked.status).toBe(200)
    expect(asked.heading).toBe('Use <b>message</b> as the trap field?')
    expect(asked.isolated).toContain('<b>message</b>')
    expect(asked.html).toContain('everything they send is held back as spam')
    expect(asked.hidden('spamDays')).toBe('7')
    expect(asked.button('Choose another')).toMatchObject({ formaction: `${spam}#honeypot`, name: 'back' })
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
    const { ada, id, stored, visitors, save } = await ownerWithForm()
    const isTicked = (page: { field: (name: string) => object | undefined }) =>
      'checked' in (page.field('acceptFiles') ?? {})
    const embed = async () => (await ada.get(`/forms/${id}/embed`)).text
    expect(isTicked(await ada.get(visitors))).toBe(true)
    expect(await embed()).toContain('Take the code “With files”: without enctype')
    await save(visitors, { acceptFiles: null })
    expect(await stored()).toMatchObject({ open: true, acceptFiles: false })
    expect(isTicked(await ada.get(visitors))).toBe(false)
    expect(await embed()).toContain('This form takes no files.')
    const refused = await save(visitors, { acceptFiles: 'on', maxFiles: 'x' })
    expect(isTicked(refused)).toBe(true)
    await save(visitors, { acceptFiles: 'on' })
    expect(await stored()).toMatchObject({ open: true, acceptFiles: true })
  })

  test('shows the kinds of files of everyday use as ticks, and the others as text', async () => {
    const { stored, open, visitors, save } = await ownerWithForm()
    const chosen = ['image/*', '.doc .docx .odt .rtf', ' .EPUB, text/plain;.epub txt *.7z ']
    await save(visitors, { fileTypes: chosen })
    const shown = (await open(visitors)).getAll('fileTypes')
    expect(shown).toEqual(['image/*', '.doc .docx .odt .rtf', '.epub text/plain .txt .7z'])
    await save(visitors, { fileTypes: '' })
    expect((await stored()).fileTypes).toEqual([])
  })

  test('offers the languages of visitors by their own names, or that of their browser', async () => {
    const { ada, stored, open, visitors, save } = await ownerWithForm()
    const { html } = await ada.get(visitors)
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
    await save(visitors, { language: 'ar' })
    expect((await stored()).language).toBe('ar')
    expect((await open(visitors)).get('language')).toBe('ar')
    await save(visitors, { language: '' })
    expect((await stored()).language).toBeNull()
  })

  test('changes no kinds of files where no one touched them, in whatever order they are stored', async () => {
    const { ada, settings, stored, open, send, visitors } = await ownerWithForm()
    const fileTypes = ['.stl', '.zip', 'application/pdf', '.docx', 'image/*']
    await ada.api.call('PATCH', settings, { fileTypes, maxFileBytes: 1_234_567 })
    const opened = await open(visitors)
    expect([opened.getAll('fileTypes').at(-1), opened.get('maxFileBytes')]).toEqual(['.stl .docx', '1234567 bytes'])
    await send(visitors, opened, { maxFiles: '1' })
    expect(await stored()).toMatchObject({ fileTypes, maxFileBytes: 1_234_567, maxFiles: 1 })
    // A page from before an update has none of these fields.
    await ada.post(visitors, { maxFiles: '2' })
    expect(await stored()).toMatchObject({ fileTypes, maxFiles: 2 })
  })

  test('keeps the ticks of kinds of files beside one that is wrong', async () => {
    const { ada, visitors, save } = await ownerWithForm()
    const refused = await save(visitors, { fileTypes: ['image/*', 'photos'] })
    const left = await openSettings({ ...ada, get: async () => refused }, visitors)
    expect(left.getAll('fileTypes')).toEqual(['image/*', 'photos'])
  })

  test('says how many submissions from one address the server takes', async () => {
    const { ada, spam } = await ownerWithForm({}, otherServer)
    expect((await ada.get(spam)).html).toContain(
      'Up to 60 from one IP address, which people in one network may share. Leave empty for 60.</p>',
    )
  })

  test('keeps a limit above one that the operator has lowered since, until it is changed', async () => {
    const { server, ada, id, settings, stored, spam, save } = await ownerWithForm({}, otherServer)
    storeSettings(server, id, { submitLimit: 80 })
    expect((await ada.get(spam)).html).toContain('name="submitLimit" type="text" value="80"')
    expect((await save(`${settings}/people`, { retentionDays: '5' })).status).toBe(303)
    expect(await stored()).toMatchObject({ submitLimit: 80, retentionDays: 5 })
    expect((await save(spam, { submitLimit: '79' })).status).toBe(400)
    expect(await stored()).toMatchObject({ submitLimit: 80 })
  })

  test('has any number up to a million where the server has no limit', async () => {
    const { ada, spam } = await ownerWithForm()
    expect((await ada.get(spam)).html).toContain('Leave empty for any number.</p>')
    expect((await ada.post(spam, { submitLimit: '1000001' })).html).toContain(
      'Must be a whole number from 1 to 1000000, or empty.',
    )
    expect((await ada.post(spam, { submitLimit: '1000000' })).status).toBe(303)
  })

  test('refuses what the API refuses, and takes what it takes', async () => {
    const { ada, path, visitors } = await ownerWithForm()
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
      const page = await ada.post(visitors, { title: 'Contact', ...fields })
      expect(page.status, JSON.stringify(fields).slice(0, 60)).toBe(status === 200 ? 303 : 400)
    }
  })
})

test('refuses a page of settings that is larger than any', async () => {
  const { ada, spam } = await ownerWithForm()
  expect((await ada.post(spam, { blockedTerms: 'x'.repeat(512 * 1024) })).status).toBe(413)
})

describe('settings that were changed elsewhere after the page was opened', () => {
  test('keep that change, if it was in another field', async () => {
    const { ada, form, stored, settings, visitors, spam, open, send } = await ownerWithForm({ description: 'Old' })
    const [words, levels] = [await open(visitors), await open(spam)]
    await ada.api.call('PATCH', settings, {
      ...{ thankYou: 'Merci', acceptFiles: false, allowedOrigins: ['https://a.example'], spamDays: 9 },
    })
    await ada.api.call('PATCH', settings.replace('/settings', ''), { description: 'New' })

    expect((await send(visitors, words, { title: 'Renamed' })).status).toBe(303)
    expect(await form()).toMatchObject({ title: 'Renamed', description: 'New' })
    expect((await send(spam, levels, { submitLimit: '5' })).status).toBe(303)
    const kept = { thankYou: 'Merci', acceptFiles: false, allowedOrigins: ['https://a.example'], spamDays: 9 }
    expect(await stored()).toMatchObject({ ...kept, submitLimit: 5 })
  })

  test('are not overwritten without notice, but when they are saved again', async () => {
    const { ada, stored, settings, spam, open, send } = await ownerWithForm()
    await ada.api.call('PATCH', settings, { blockedTerms: ['casino'] })
    const opened = await open(spam)
    await ada.api.call('PATCH', settings, { blockedTerms: ['casino', 'lottery'], maxLinks: 9 })

    const refused = await send(spam, opened, { blockedTerms: 'casino\r\npoker', spamDays: '7' })
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('role="alert">Not saved. Look at <a href="#blockedTerms">Words that are spam</a>.')
    expect(refused.html).toContain('id="blockedTerms-error">This was changed elsewhere after you opened the page;')
    expect(refused.html).toContain('>\ncasino\npoker</textarea>')
    // A setting that no one typed is shown with its present value.
    expect(refused.html).toMatch(/id="maxLinks"[^>]* value="9"/)
    expect(await stored()).toMatchObject({ blockedTerms: ['casino', 'lottery'], spamDays: 30 })

    const again = await openSettings({ ...ada, get: async () => refused }, spam)
    expect((await send(spam, again)).status).toBe(303)
    expect(await stored()).toMatchObject({ blockedTerms: ['casino', 'poker'], maxLinks: 9, spamDays: 7 })
  })

  test('are saved without a word if both changes are the same', async () => {
    const { ada, stored, settings, visitors, open, send } = await ownerWithForm()
    const opened = await open(visitors)
    await ada.api.call('PATCH', settings, { open: false, maxFiles: 3 })
    expect((await send(visitors, opened, { open: '', maxFiles: '3' })).status).toBe(303)
    expect(await stored()).toMatchObject({ open: false, maxFiles: 3 })
  })
})

describe('what is typed on one page', () => {
  test('is saved together, by Enter too, which presses the button that does nothing else', async () => {
    const { ada, stored, form, visitors, save } = await ownerWithForm()
    const { html } = await ada.get(visitors)
    expect(html).toContain('<button hidden name="save"></button>')
    expect((await save(visitors, { title: ' New ', thankYou: 'Merci', open: '', save: '' })).status).toBe(303)
    expect((await form()).title).toBe('New')
    expect(await stored()).toMatchObject({ thankYou: 'Merci', open: false })
  })

  test('stays if one of it is wrong, with the line open in which that is', async () => {
    const { stored, spam, save } = await ownerWithForm()
    const refused = await save(spam, { maxLinks: 'many', spamDays: '7' })
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('data-edits="unsaved"')
    expect(refused.html).toContain('<div class="save is-unsaved">')
    expect(refused.html).toContain('<details class="fold card" open><summary><strong>One by one</strong>')
    expect([refused.field('maxLinks')?.value, refused.field('spamDays')?.value]).toEqual(['many', '7'])
    expect(await stored()).toMatchObject({ maxLinks: null, spamDays: 30 })
  })

  test('names what is wrong with a setting of another page', async () => {
    const { ada, settings, visitors, save } = await ownerWithForm({ fields: [{ name: 'a' }] })
    const framed = { page: { frame: true }, allowedOrigins: ['https://example.com'] }
    expect((await ada.api.call('PATCH', settings, framed)).status).toBe(200)
    const refused = await save(visitors, { allowedOrigins: '' })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('frame')
  })

  test('is kept while a question about it is answered', async () => {
    const { server, ada, id, stored, spam, save } = await ownerWithForm()
    await server.submit(id, { message: 'Hello' })
    const asked = await save(spam, { honeypot: 'message', level: 'usual' })
    expect(asked.html).toContain('as the trap field?</h1>')
    const inputs = [...asked.html.matchAll(/<input type="hidden" name="([\w-]+)" value="([^"]*)">/g)]
    const hidden = inputs.map(([, name = '', value = '']): [string, string] => [name, value])
    expect((await ada.post(spam, [...hidden, ['confirm', 'honeypot']])).status).toBe(303)
    expect(await stored()).toMatchObject({ honeypot: 'message', maxLinks: 3, learnSpam: true })
  })
})

describe('how much is held back', () => {
  const chosen = async (ada: Awaited<ReturnType<typeof ownerWithForm>>['ada'], spam: string) => {
    const { html } = await ada.get(spam)
    const tiles = [...html.matchAll(/name="level" value="(\w+)"( checked)?/g)]
    const isFolded = !html.includes('<details class="fold card" open><summary><strong>One by one')
    return [tiles.map(([, level]) => level).join(' '), tiles.find(([, , on]) => on)?.[1], isFolded]
  }

  test('is one choice for three settings', async () => {
    const { ada, stored, spam, save } = await ownerWithForm()
    expect(await chosen(ada, spam)).toEqual(['light usual strict', 'light', true])
    for (const [level, maxLinks, learnSpam, challenge] of [
      ['usual', 3, true, false],
      ['strict', 0, true, true],
      ['light', null, false, false],
    ] as const) {
      expect((await save(spam, { level })).status).toBe(303)
      expect(await stored()).toMatchObject({ maxLinks, learnSpam, challenge, honeypot: '_gotcha', spamDays: 30 })
      expect(await chosen(ada, spam)).toEqual(['light usual strict', level, true])
    }
  })

  test('is called “Own” where one of them was set by itself, which wins over the choice', async () => {
    const { ada, stored, spam, save } = await ownerWithForm()
    await save(spam, { level: 'usual', maxLinks: '7' })
    expect(await stored()).toMatchObject({ maxLinks: 7, learnSpam: true, challenge: false })
    expect(await chosen(ada, spam)).toEqual(['light usual strict own', 'own', false])
    await save(spam, { spamDays: '7' })
    expect(await stored()).toMatchObject({ maxLinks: 7, learnSpam: true, spamDays: 7 })
    await save(spam, { level: 'light' })
    expect(await stored()).toMatchObject({ maxLinks: null, learnSpam: false })
  })
})

describe('whether the form is open', () => {
  test('is one choice, and open ends the dates', async () => {
    const { stored, visitors, open, save } = await ownerWithForm()
    const dates = { opensAt: '2026-12-01T08:00', closesAt: '2026-12-24T12:00' }
    await save(visitors, { open: 'dates', ...dates })
    expect(await stored()).toMatchObject({ open: true, opensAt: '2026-12-01T08:00:00.000Z' })
    expect((await open(visitors)).get('open')).toBe('dates')
    await save(visitors, { open: '' })
    expect(await stored()).toMatchObject({ open: false, opensAt: '2026-12-01T08:00:00.000Z' })
    await save(visitors, { open: 'on' })
    expect(await stored()).toMatchObject({ open: true, opensAt: null, closesAt: null })
    // Dates that are wrong are in sight.
    const refused = await save(visitors, { open: 'dates', closesAt: 'soon' })
    expect(refused.html).toContain('name="open" value="dates" checked')
  })
})

test('what a browser cannot send back as it is stored is not a change', async () => {
  const { stored, form, settings, ada, visitors, spam, open, send, save } = await ownerWithForm({
    title: ' Two\nlines ',
    description: 'a\rb\r\nc',
  })
  await ada.api.call('PATCH', settings, { thankYou: ' a\rb\r\n', honeypot: ' x ', columns: [' y', 'y'] })
  const before = [await form(), await stored()]
  const opened = new Map([...(await open(visitors))].map(([name, text]) => [name, asBrowserSends(name, text)]))
  expect((await send(visitors, opened, { returnUrl: 'https://example.com/' })).status).toBe(303)
  expect((await save(spam, { maxLinks: '' })).status).toBe(303)
  expect([{ ...(await form()), returnUrl: null, updatedAt: null }, await stored()]).toEqual(before)
})

/** A line without line breaks, or several lines that end with two characters each. */
const asBrowserSends = (name: string, text: string): string =>
  name === 'title' ? text.replaceAll('\n', '') : text.replaceAll(/\r\n?|\n/g, '\r\n')

test('a page from before an update, without a setting that there is now, does not change it', async () => {
  const { stored, visitors, open, send } = await ownerWithForm()
  const old = new Map([...(await open(visitors))].filter(([name]) => !/acceptFiles|maxFiles/.test(name)))
  expect((await send(visitors, old, { maxSubmissions: '30' })).status).toBe(303)
  expect(await stored()).toMatchObject({ acceptFiles: true, maxFiles: null, maxSubmissions: 30 })
})

describe('/forms/:formId/duplicate', () => {
  test('makes a copy and leads to its settings', async () => {
    const { ada, path, form } = await ownerWithForm({ description: 'Mine', returnUrl: 'https://example.com/' })
    const { status, location } = await ada.post(`${path}/duplicate`)
    expect(status).toBe(303)
    const copy = /^\/forms\/(\w{28})\/settings\/visitors\?done=duplicated#notice$/.exec(location ?? '')?.[1]
    const { title, description, returnUrl } = await form()
    expect((await ada.api.call('GET', `/forms/${copy}`)).body).toMatchObject({ title, description, returnUrl })
    expect((await ada.get(location ?? '')).html).toContain('This is the copy.')
  })
})

describe('moving a form', () => {
  test('closes it, opens it again, and writes it down as a file that can be applied', async () => {
    const { ada, path, settings } = await ownerWithForm()
    const danger = `${settings}/danger`
    expect((await ada.get(danger)).text).toContain('Close it')
    const closed = await ada.post(`${path}/close`, { open: 'off' })
    expect(closed.location).toBe(`${danger}?done=closed#notice`)
    expect((await ada.get(danger)).text).toContain('Open it again')
    const { headers, html } = await ada.get(`${settings}/file`)
    expect(headers.get('content-disposition')).toBe('attachment; filename="Contact.toml"')
    expect(Bun.TOML.parse(html)).toMatchObject({ forms: { contact: { title: 'Contact', open: false } } })
    await ada.post(`${path}/close`, { open: 'on' })
    expect((await ada.api.call('GET', settings)).body.open).toBe(true)
    expect((await ada.get(danger)).links).toContain(`${path}/export?format=zip`)
    expect((await ada.get(danger)).text).not.toContain('Give it to someone')
  })

  test('says what an archive would have: submissions, and the files of these with their size', async () => {
    const { server, ada, id, settings } = await ownerWithForm({ blockedTerms: ['casino'], acceptFiles: true })
    const says = async () => (await ada.get(`${settings}/danger`)).text
    expect(await says()).toContain('0 submissions with their notes, as one archive.')
    for (const message of ['Hello', 'casino']) {
      const body = new FormData()
      body.append('message', message)
      for (const name of ['a', 'b']) body.append('files', new File(['x'.repeat(1200)], `${name}.txt`))
      expect((await server.fetch(`/s/${id}`, { method: 'POST', body })).status).toBe(200)
    }
    expect(await says()).toContain('1 submission with its notes and 2 files, 2.4 kB, as one archive.')
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
    const said = async () => /<p>([^<]*?) This can’t be undone/.exec((await ada.get(`${settings}/danger`)).html)?.[1]
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
    const people = `${found.settings}/people`
    const save = (retentionDays: string, more: Record<string, string> = {}) =>
      found.ada.post(people, { retentionDays, ...more })
    const stored = async () => (await found.ada.api.call('GET', found.settings)).body.retentionDays
    return { ...found, people, save, stored }
  }
  const day = 86_400_000

  test('are saved at once where nothing is so old, and emptied', async () => {
    const { ada, server, id, people, save, stored } = await prepare()
    await server.submit(id, { a: 1 })
    expect(await stored()).toBeNull()
    expect((await save(' 30 ')).location).toBe(`${people}?saved=yes#notice`)
    expect(await stored()).toBe(30)
    expect((await ada.get(people)).html).toMatch(/id="retentionDays"[^>]* value="30"/)
    await save('')
    expect(await stored()).toBeNull()
    await save('3650')
    // A form without the field does not change it.
    await ada.post(people, {})
    expect(await stored()).toBe(3650)
  })

  test('ask first, with the number of submissions that they delete', async () => {
    const { ada, server, id, people, save, stored } = await prepare()
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
    expect((await ada.get(people)).html).toMatch(/id="retentionDays"[^>]* value="35"/)
  })
})
